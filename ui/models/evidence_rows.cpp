// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/evidence_rows.h"

#include <map>

#include "base/clock.h"
#include "reconcile/check_table.h"
#include "report/csv.h"
#include "ui/models/matrix_model.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "wire/prometheus.h"

namespace kvcliff::ui {
namespace {

using Rows = std::vector<std::vector<Cell>>;

QString value_words(double v) {
  if (v == std::round(v) && std::fabs(v) < 9e15) return exact(qint64(v));
  return QLocale().toString(v, 'g', 9);
}

Cell number(const std::optional<double>& v, bool sign = false) {
  if (!v) return {QObject::tr("not reported"), {}, "text3"};
  Cell c;
  c.text = sign && *v > 0 ? QLatin1Char('+') + value_words(*v) : value_words(*v);
  if (sign && *v < 0) c.text.replace(QLatin1Char('-'), QChar(0x2212));
  c.plain = QString::fromStdString(report::plain_number(*v));
  return c;
}

void add_difference(Rows& rows, const QString& name, const QString& tip, const std::optional<double>& a, const std::optional<double>& b, bool moved) {
  std::optional<double> d;
  if (a && b) d = *b - *a;
  if (moved && d && *d == 0) return;
  Cell last = number(d, true);
  last.bold = true;
  if (d && *d < 0) last.tip = QObject::tr("A counter that goes down was reset, or belongs to another process.");
  Cell first{name, {}, {}, false, true, tip};
  Cell before = number(a), after = number(b);
  before.tone = after.tone = "text2";
  rows.push_back({first, before, after, last});
}

QString since(const RequestDetail& d, MonoNs at) {
  const MonoNs t0 = d.record.stream.times.t0;
  if (t0 == 0 || at == 0) return QObject::tr("unknown");
  const double ms = double(at - t0) * 1e-6;
  return (ms < 0 ? QString(QChar(0x2212)) : QString()) + QLocale().toString(std::fabs(ms), 'f', 3);
}

QString kind_words(EventKind k) { return QString::fromUtf8(to_string(k).data(), int(to_string(k).size())); }

}  // namespace

Rows scrape_rows(const RequestDetail& d, bool moved) {
  Rows rows;
  std::map<std::string, const CounterReading*> before, after;
  if (d.before)
    for (const auto& [name, r] : d.before->readings) before[name] = &r;
  if (d.after)
    for (const auto& [name, r] : d.after->readings) after[name] = &r;
  std::map<std::string, int> names;
  for (const auto& [n, r] : before) names[n] = 0;
  for (const auto& [n, r] : after) names[n] = 0;
  for (const auto& [name, unused] : names) {
    const CounterReading* a = before.count(name) ? before[name] : nullptr;
    const CounterReading* b = after.count(name) ? after[name] : nullptr;
    const CounterReading& any = b ? *b : *a;
    const QString tip = QStringLiteral("%1\n%2").arg(shown(any.series), shown(any.unit));
    const auto value = [](const CounterReading* r, const std::optional<CounterSnapshot>& s, const std::string& n) {
      return r ? std::optional(r->value) : s ? s->value(n) : std::nullopt;
    };
    add_difference(rows, shown(name), tip, value(a, d.before, name), value(b, d.after, name), moved);
    std::map<std::string, int> labels;
    if (a) for (const auto& [l, v] : a->by_label) labels[l] = 0;
    if (b) for (const auto& [l, v] : b->by_label) labels[l] = 0;
    for (const auto& [l, zero] : labels) {
      const auto part = [&l = l](const CounterReading* r, const std::optional<CounterSnapshot>& s) -> std::optional<double> {
        if (r) {
          const auto it = r->by_label.find(l);
          if (it != r->by_label.end()) return it->second;
        }
        return s && s->good() ? std::optional(0.0) : std::nullopt;  // declared, without this label yet
      };
      add_difference(rows, QStringLiteral("\u2026 %1").arg(shown(l)), tip, part(a, d.before), part(b, d.after), moved);
    }
  }
  return rows;
}

Rows raw_scrape_rows(const RequestDetail& d, bool moved) {
  struct Line {
    std::optional<double> before, after;
  };
  // In the order of the later page; what only the earlier one has comes last.
  std::vector<QString> order;
  std::map<QString, Line> lines;
  const auto read = [&](const std::optional<CounterSnapshot>& s, bool later) {
    if (!s || !s->raw) return;
    const auto page = wire::parse_prometheus(s->raw, true);
    for (const auto& sample : page.samples()) {
      QString name = QString::fromUtf8(sample.name.data(), int(sample.name.size()));
      QStringList labels;
      for (const auto& [k, v] : sample.labels)
        labels << QStringLiteral("%1=\"%2\"").arg(QString::fromUtf8(k.data(), int(k.size())), QString::fromUtf8(v.data(), int(v.size())));
      if (!labels.isEmpty()) name += QLatin1Char('{') + labels.join(QLatin1Char(',')) + QLatin1Char('}');
      const auto [it, fresh] = lines.try_emplace(name);
      if (fresh) order.push_back(name);
      (later ? it->second.after : it->second.before) = sample.value;
    }
  };
  read(d.after, true);
  read(d.before, false);
  Rows rows;
  for (const QString& name : order) add_difference(rows, name, name, lines[name].before, lines[name].after, moved);
  return rows;
}

Rows event_rows(const RequestDetail& d) {
  Rows rows;
  const auto& s = d.record.stream;
  std::size_t offset = 0;
  int i = 0;
  for (const auto& e : s.events) {
    QString raw = s.raw.empty() ? QString() : QObject::tr("not in the bytes kept");
    if (!s.raw.empty() && offset + e.bytes <= s.raw.size())
      raw = QString::fromUtf8(s.raw.data() + offset, int(e.bytes)).trimmed().replace(QLatin1Char('\n'), QStringLiteral(" \u23ce "));
    offset += e.bytes;
    const QByteArray tone = e.kind == EventKind::error || e.kind == EventKind::malformed ? "fail" : e.kind == EventKind::token ? "text" : "text2";
    rows.push_back({{QString::number(++i), {}, "text3"},
                    {since(d, e.at), QString::number(double(e.at - s.times.t0) * 1e-6, 'f', 6)},
                    {kind_words(e.kind), {}, tone},
                    {exact(e.bytes), QString::number(e.bytes)},
                    s.ids_returned ? Cell{exact(e.tokens), QString::number(e.tokens)} : Cell{QObject::tr("not reported"), {}, "text3"},
                    {raw.isEmpty() ? QObject::tr("not kept") : raw, {}, raw.isEmpty() ? QByteArray("text3") : QByteArray("text2"), false, !raw.isEmpty()}});
  }
  return rows;
}

Rows log_rows(const RequestDetail& d) {
  Rows rows;
  for (const auto& l : d.log)
    rows.push_back({{since(d, l.at.mono), {}, "text3", false, false, shown(iso8601(l.at.wall))},
                    {l.is_stderr ? QStringLiteral("stderr") : QStringLiteral("stdout"), {}, "text3"},
                    {shown(l.text) + (l.truncated ? QObject::tr(" \u2026 cut") : QString()), {}, {}, false, true}});
  return rows;
}

Rows prompt_rows(const Judged& j, const RequestDetail& d) {
  Rows rows;
  const RequestRecord& r = d.record;
  const auto add = [&](const QString& what, const QString& value, const QString& from, const char* tone = "") {
    rows.push_back({{what, {}, "text2"}, {value, {}, tone}, {from, {}, "text3"}});
  };
  const QString none = QObject::tr("not reported");
  const auto tokens = [&](const MeasuredTokens& m) { return m.value ? exact(m.value->v) : QObject::tr("unknown"); };
  const auto& p = r.plan;
  add(QObject::tr("prompt"), QObject::tr("%1 tokens").arg(exact(p.prompt_tokens)), QObject::tr("token ids sent"));
  add(QObject::tr("prompt hash"), shown(p.prompt_hash), QObject::tr("SHA-256 over the ids as little-endian int32"));
  add(QObject::tr("document, round"), p.document >= 0 ? QObject::tr("%1, %2").arg(p.document + 1).arg(p.round) : QObject::tr("none"), QObject::tr("plan"));
  add(QObject::tr("full blocks"), exact(qint64(p.block_hashes.size())), QObject::tr("only full blocks are cached"));
  add(QObject::tr("revisit distance"), p.revisit_distance >= 0 ? QObject::tr("%1 blocks").arg(exact(p.revisit_distance)) : QObject::tr("none: first visit"),
      QObject::tr("distinct blocks since the last visit, itself included"));
  const auto predicted = [&](const PredictedCount& c) { return c.is_exact() ? exact(c.min) : QObject::tr("%1 to %2").arg(exact(c.min), exact(c.max)); };
  const bool any = p.predicted.computed.max > 0;
  const auto source = [&](const QString& name, const MeasuredTokens& m, const PredictedCount& c) {
    add(name, tokens(m), shown(m.from));
    add(QObject::tr("  predicted"), any ? predicted(c) : QObject::tr("none"), shown(c.why));
  };
  source(QObject::tr("computed"), r.sources.computed, p.predicted.computed);
  source(QObject::tr("GPU hit"), r.sources.gpu_hit, p.predicted.gpu_hit);
  source(QObject::tr("host loaded"), r.sources.host_loaded, p.predicted.host_loaded);
  if (r.sources.unknown.value && r.sources.unknown.value->v != 0) add(QObject::tr("unknown"), tokens(r.sources.unknown), shown(r.sources.unknown.from));
  add(QObject::tr("bytes loaded"), r.loaded_bytes ? exact(r.loaded_bytes->v) : none, shown(r.bytes_from));
  add(QObject::tr("bytes stored"), r.stored_bytes ? exact(r.stored_bytes->v) : none, shown(r.bytes_from));
  const auto ttft = r.stream.ttft();
  add(QObject::tr("TTFT"), ttft ? QObject::tr("%1 ns").arg(exact(*ttft)) : QObject::tr("none"), QObject::tr("first non-empty token \u2212 t0, one monotonic clock"), "text");
  add(QObject::tr("outcome"), QString::fromUtf8(to_string(r.stream.outcome).data()), shown(r.stream.why));
  add(QObject::tr("settled"), r.settled ? QObject::tr("after %1 ms, %2 scrapes").arg(QLocale().toString(double(r.settle_ns) * 1e-6, 'f', 1)).arg(r.settle_polls) : QObject::tr("no"),
      shown(r.not_settled_why));
  add(QObject::tr("sent"), shown(iso8601(r.sent.wall)), QObject::tr("UTC"));
  add(QObject::tr("usage"), r.stream.usage.raw.empty() ? none : shown(r.stream.usage.raw), QObject::tr("as the engine sent it"));
  add(QObject::tr("request id"), r.stream.request_id.empty() ? none : shown(r.stream.request_id), QObject::tr("of the engine"));
  add(QObject::tr("answer"), shown(r.stream.text), QObject::tr("text of choice 0"));
  const auto& s = j.input.sessions[j.measured[std::size_t(d.request)]->session];
  add(QObject::tr("KV bytes per token"), s.kv.bytes_per_token ? exact(*s.kv.bytes_per_token) : QObject::tr("unknown"), shown(s.kv.from));
  return rows;
}

Rows check_rows(const Judged& j, int request) {
  Rows rows;
  for (const auto& c : j.measured[std::size_t(request)]->checks) {
    const auto* info = reconcile::find_check(c.id);
    const char* tones[] = {"pass", "fail", "notpossible", "notsettled", "text3"};
    const bool counted = c.state == CheckState::pass || c.state == CheckState::fail;
    rows.push_back({{shown(c.id), {}, {}, true},
                    {info ? QString::fromUtf8(info->title.data(), int(info->title.size())) : QString(), {}, "text2"},
                    {state_words(c.state), {}, tones[int(c.state)], true},
                    counted ? Cell{residual_words(c), QString::fromStdString(report::plain_number(c.residual))} : Cell{QString(), {}, "text3"},
                    {shown(c.why), {}, c.state == CheckState::fail ? QByteArray("fail") : QByteArray("text3")}});
  }
  return rows;
}

}  // namespace kvcliff::ui
