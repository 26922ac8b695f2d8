// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/evidence_estimates.h"

#include "report/csv.h"
#include "report/report.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

QString ms(double v) { return QLocale().toString(v, 'f', v < 1000 ? 1 : 0) + QObject::tr(" ms"); }
QString percent(double share, int decimals = 1) {
  const QString n = QLocale().toString(std::fabs(share) * 100, 'f', decimals);
  return (share < 0 ? QString(QChar(0x2212)) : share > 0 ? QStringLiteral("+") : QString()) + n + QStringLiteral(" %");
}
QString plain(double v) { return QString::fromStdString(report::plain_number(v)); }
QString range(double low, double high, int decimals) { return QObject::tr("%1 to %2").arg(ratio(low, decimals), ratio(high, decimals)); }
QString text(const std::string& s) { return shown(s); }

}  // namespace

std::vector<std::vector<Cell>> estimate_rows(const Judged& j) {
  const auto& d = j.evaluation.decision;
  const bool hidden = d.withdrawn();
  std::vector<std::vector<Cell>> rows;
  const auto add = [&](const QString& what, Cell estimate, Cell interval, const QString& basis, const QString& definition) {
    estimate.bold = true;
    estimate.definition = definition;
    rows.push_back({{what}, std::move(estimate), std::move(interval), {basis, {}, "text2"}});
  };
  const Cell withheld{QObject::tr("withheld"), QString(), "text3"}, none{QString(), QString(), "text3"};
  const auto effect = [&](const QString& what, const analysis::EffectResult& e, bool hide, const QString& definition) {
    if (hide) {
      add(what, withheld, none, QObject::tr("no estimate from this run"), definition);
    } else if (!e.effect) {
      add(what, {QObject::tr("not possible"), {}, "text3"}, none, text(e.why), definition);
    } else {
      const auto& x = *e.effect;
      add(what, {ratio(x.ratio.estimate, 3), plain(x.ratio.estimate)}, {range(x.ratio.low, x.ratio.high, 2), plain(x.ratio.low) + QLatin1Char(' ') + plain(x.ratio.high)},
          QObject::tr("%1; %2 sessions, %3 visits each").arg(text(x.basis)).arg(x.sessions.size()).arg(x.matched_visits), definition);
    }
  };
  if (d.cliff)
    for (const auto& e : d.cliff->edges) {
      const QString name = e.tier ? QObject::tr("Cliff with the tier") : QObject::tr("Cliff without the tier");
      const QString basis = QObject::tr("%1 sessions of %2 sizes%3").arg(e.sessions).arg(e.sizes)
                                .arg(!e.as_predicted ? QString() : *e.as_predicted ? QObject::tr(", as predicted") : QObject::tr(", not where predicted"));
      const QString definition = QObject::tr("Where the share of the revisits' tokens that is served falls below one half. The interval ends at the two sizes tried beside it; the estimate is the straight line between their shares. In blocks of the working set.");
      if (hidden) add(name, withheld, none, basis, definition);
      else if (!e.located()) add(name, {QObject::tr("not reached"), {}, "text3"}, none, text(e.why), definition);
      else
        add(name, e.estimate ? Cell{QObject::tr("%1 blocks").arg(exact(qint64(std::llround(*e.estimate)))), plain(*e.estimate)} : Cell{QObject::tr("no one value"), {}, "text3"},
            {QObject::tr("%1 to %2").arg(exact(*e.last_served), exact(*e.first_lost)), QStringLiteral("%1 %2").arg(*e.last_served).arg(*e.first_lost)}, basis, definition);
    }
  if (!d.only_locates()) effect(QObject::tr("Revisits, on / off"), d.effect, hidden,
         QObject::tr("Arm coefficient of least squares on the session means of log TTFT over matched revisits, with centred position as second term; Student's t with sessions \u2212 3 degrees of freedom. With two pairs the wider of this interval and the pairs' is shown."));
  if (d.effect.effect && !hidden) {
    const auto& x = *d.effect.effect;
    add(QObject::tr("Difference"), {(x.difference_ms() < 0 ? QString(QChar(0x2212)) : QStringLiteral("+")) + ms(std::fabs(x.difference_ms())), plain(x.difference_ms())},
        none, QObject::tr("%1 to %2, geometric means; medians %3 and %4").arg(ms(x.baseline_ms), ms(x.treatment_ms), ms(x.baseline_median_ms), ms(x.treatment_median_ms)),
        QObject::tr("Geometric means of the revisits at the same position, with the tier minus without. Their ratio is the estimate above."));
  }
  // First visits are measurements of a cost, not the claim; but they rest on the same sessions, so they go with it.
  if (!d.only_locates()) effect(QObject::tr("First visits, on / off"), d.first_visits, hidden, QObject::tr("The same over round 1: what storing costs while nothing can be reused yet."));
  if (hidden) {
    add(QObject::tr("Order effect"), withheld, none, QObject::tr("no estimate from this run"), QString());
  } else if (d.effect.effect) {
    const auto& x = d.effect.effect->position;
    add(QObject::tr("Order effect, a session"), {percent(x.estimate), plain(x.estimate)}, {QObject::tr("%1 to %2").arg(percent(x.low), percent(x.high)), plain(x.low) + QLatin1Char(' ') + plain(x.high)},
        QObject::tr("position coefficient; %1").arg(x.low <= 0 && x.high >= 0 ? QObject::tr("no drift seen") : QObject::tr("a drift, taken out of the ratio")),
        QObject::tr("How much TTFT changes from one compared session to the next, as a share. Position counts the compared sessions only."));
  }
  if (d.detectable && !hidden) {
    const auto& x = *d.detectable;
    Cell band = none;
    if (x.ratio_below_upper) band = {QObject::tr("up to %1").arg(share_percent(1 - *x.ratio_below_upper)), plain(*x.ratio_below_upper)};
    add(QObject::tr("Smallest visible effect"), {share_percent(1 - x.ratio_below), plain(x.ratio_below)}, band, text(x.how),
        QObject::tr("The improvement that this run would find with 80 % power, by the noncentral t. With 1 or 2 degrees of freedom also at the upper 80 % limit of the spread."));
  }
  if (d.pairs_needed && !hidden && d.verdict == analysis::Verdict::cannot_tell) {
    const auto& x = *d.pairs_needed;
    const QString n = x.at_estimate ? exact(*x.at_estimate) : QObject::tr("over %1").arg(x.most);
    add(QObject::tr("Pairs that would settle it"), {n, x.at_estimate ? QString::number(*x.at_estimate) : QString()},
        {x.at_upper ? QObject::tr("up to %1").arg(exact(*x.at_upper)) : QObject::tr("or over %1").arg(x.most), {}}, text(x.why.empty() ? "towards " + x.towards : x.why),
        QObject::tr("Enough pairs for 80 % power to put the whole interval on one side, if ratio and spread are as estimated."));
  }
  if (d.bootstrap && !hidden)
    add(QObject::tr("If sessions did not differ"), {ratio((d.bootstrap->estimate), 3), plain(d.bootstrap->estimate)}, {range(d.bootstrap->low, d.bootstrap->high, 2), plain(d.bootstrap->low) + QLatin1Char(' ') + plain(d.bootstrap->high)},
        QObject::tr("bootstrap within sessions: too narrow when they differ"), QObject::tr("Requests resampled inside each session. Right only if sessions do not differ."));
  if (d.control)
    add(QObject::tr("GPU hit (control)"), {ms(d.control->gpu_hit_ms), plain(d.control->gpu_hit_ms)}, {!d.control->as_expected ? QObject::tr("nothing to compare") : *d.control->as_expected ? QObject::tr("as expected") : QObject::tr("out of order"), {}, d.control->as_expected.value_or(true) ? "text2" : "fail"},
        QObject::tr("%1 revisits, %2").arg(d.control->requests).arg(text(d.control->note)), QObject::tr("Geometric mean TTFT of the control's revisits: everything fits the GPU. Expected: GPU hit < host load < compute."));
  else
    add(QObject::tr("GPU hit (control)"), {QObject::tr("not possible"), {}, "text3"}, none, text(d.control_why), QString());
  for (const auto& t : j.evaluation.reconciliation.totals)
    if (t.id == "R13") {
      const int all = t.pass + t.fail + t.not_settled;
      add(QObject::tr("Predicted sources"), all > 0 ? Cell{QObject::tr("%1 of %2").arg(exact(t.pass), exact(all)), QString::number(t.pass), t.fail > 0 ? "fail" : ""} : Cell{QObject::tr("not possible"), {}, "text3"},
          {all > 0 && t.pass == all ? QObject::tr("exact") : QString(), {}}, QObject::tr("R13: measured sources are the predicted ones"),
          QObject::tr("Requests whose measured sources equal the prediction made before the run, to the token."));
    }
  if (d.break_even.value)
    add(QObject::tr("Break-even"), {QObject::tr("%1 tokens").arg(exact(qint64(std::llround(d.break_even.value->tokens)))), plain(d.break_even.value->tokens)},
        {d.break_even.value->high ? QObject::tr("%1 to %2").arg(exact(qint64(std::llround(d.break_even.value->low))), exact(qint64(std::llround(*d.break_even.value->high)))) : QString(), {}},
        text(d.break_even.value->note), QObject::tr("Loaded tokens at which loading costs what it replaces."));
  else
    add(QObject::tr("Break-even"), {QObject::tr("not possible"), {}, "text3"}, none, text(d.break_even.why), QObject::tr("Loaded tokens at which loading costs what it replaces."));
  if (d.ttft.model)
    add(QObject::tr("TTFT model"), {QObject::tr("%1 off").arg(share_percent(d.ttft.model->median_error)), plain(d.ttft.model->median_error)}, none, text(d.ttft.model->origin),
        QObject::tr("TTFT = a0 + a1 c + a2 c (s + c/2) + d bytes + e [bytes > 0], robust fit; the median error."));
  else
    add(QObject::tr("TTFT model"), {QObject::tr("not possible"), {}, "text3"}, none, text(d.ttft.why), QObject::tr("TTFT = a0 + a1 c + a2 c (s + c/2) + d bytes + e [bytes > 0]"));
  for (const auto& t : d.total_time)
    add(QObject::tr("Total time, %1").arg(text(t.arm)), {QLocale().toString(t.mean_total_s, 'f', 2) + QObject::tr(" s"), plain(t.mean_total_s)}, none,
        QObject::tr("per session, %1 sessions, first visits included").arg(t.sessions), QObject::tr("t0 to end, summed over the measured requests of a session."));
  return rows;
}

std::vector<std::vector<Cell>> sizing_rows(const Judged& j) {
  std::vector<std::vector<Cell>> rows;
  if (!j.sizing) return rows;
  const auto& plan = j.input.plan;
  const std::int64_t per_chunk = std::max<std::int64_t>(1, plan.capacity.offload.blocks_per_chunk);
  const auto size = [&](std::int64_t chunks) -> std::pair<Cell, Cell> {
    return {{exact(chunks * per_chunk), QString::number(chunks * per_chunk)},
            j.host_chunk_bytes > 0 ? Cell{gib(chunks * j.host_chunk_bytes), QString::number(chunks * j.host_chunk_bytes), {}, true} : Cell{QObject::tr("unknown"), {}, "text3"}};
  };
  for (const auto& s : j.sizing->sizes) {
    Cell share{share_percent(s.share), plain(s.share)};
    if (!s.chunks) {
      rows.push_back({{share_percent(s.asked)}, {QObject::tr("no size"), {}, "text3"}, {QString()}});
      continue;
    }
    auto [blocks, bytes] = size(*s.chunks);
    rows.push_back({share, blocks, bytes});
  }
  std::int64_t had = -1;
  for (const auto& s : j.input.sessions)
    if (s.offload && s.compared() && j.host_chunk_bytes > 0) had = s.plan.capacity.host_bytes / j.host_chunk_bytes;
  if (had >= 0) {
    auto [blocks, bytes] = size(had);
    for (Cell* c : {&blocks, &bytes}) c->tone = "text2", c->bold = false;
    rows.push_back({{QObject::tr("in this run"), {}, "text2", false, false, j.sizing->present ? QObject::tr("%1 of the revisits' tokens").arg(share_percent(*j.sizing->present)) : QString()}, blocks, bytes});
  }
  return rows;
}

QString verdict_title(const analysis::Decision& d) {
  if (d.verdict == analysis::Verdict::cannot_tell && d.pairs_needed && d.pairs_needed->at_estimate) {
    int pairs = 0;
    for (const auto& s : d.effect.effect ? d.effect.effect->sessions : std::vector<analysis::SessionMean>{}) pairs = std::max(pairs, s.pair + 1);
    const int more = *d.pairs_needed->at_estimate - pairs;
    if (more > 0) return more == 1 ? QObject::tr("Cannot tell: 1 more pair would settle it.") : QObject::tr("Cannot tell: %1 more pairs would settle it.").arg(more);
  }
  return text(report::verdict_sentence(d));
}

QString verdict_sentence(const analysis::Decision& d) {
  if (d.withdrawn()) {
    // The first gate that fails, whole; the others by name.
    QString first, others;
    for (const auto& g : d.gates) {
      if (g.state != CheckState::fail && g.state != CheckState::not_settled) continue;
      if (first.isEmpty()) first = text(g.id + ": " + g.why);
      else others += (others.isEmpty() ? QString() : QStringLiteral(", ")) + text(g.id);
    }
    if (first.isEmpty()) return text(d.why);
    return first + (others.isEmpty() ? QStringLiteral(".") : QObject::tr("; %1 too.").arg(others)) + QObject::tr(" The measurements stay visible, the verdict does not.");
  }
  if (!d.effect.effect) return text(d.why.empty() ? d.effect.why : d.why);
  const auto& x = *d.effect.effect;
  return QObject::tr("On revisits of this workload the first token comes in %1 instead of %2: %3 of the time (95 % interval %4).")
      .arg(ms(x.treatment_ms), ms(x.baseline_ms), ratio(x.ratio.estimate, 2), range(x.ratio.low, x.ratio.high, 2));
}

QString gates_sentence(const analysis::Decision& d) {
  int apply = 0;
  QStringList bad;
  for (const auto& g : d.gates) {
    apply += g.state == CheckState::pass || g.state == CheckState::fail || g.state == CheckState::not_settled;
    if (g.state == CheckState::fail || g.state == CheckState::not_settled) bad << text(g.id + ": " + g.why) + QLatin1Char('.');
  }
  if (bad.isEmpty()) return QObject::tr("%n gate(s) could be judged and all pass.", nullptr, apply);
  return QObject::tr("%1 of %2 gates fail.").arg(bad.size()).arg(apply) + QLatin1Char(' ') + bad.join(QLatin1Char(' '));
}

QString claim_text(const Judged& j) {
  if (j.evaluation.decision.withdrawn() || !j.evaluation.decision.effect.effect) return {};
  const auto& d = j.evaluation.decision;
  QString out = verdict_title(d) + QLatin1Char(' ') + verdict_sentence(d);
  if (j.input.simulated) out = QObject::tr("SIMULATED. ") + out + QObject::tr(" The engine was emulated; its times are %1.").arg(text(j.input.times_origin.empty() ? "of unknown origin" : j.input.times_origin));
  out += QObject::tr("\nNot established:");
  for (const auto& l : j.evaluation.decision.not_established) out += QStringLiteral("\n- ") + text(l.what + ". " + l.why);
  return out + QLatin1Char('\n') + j.caption() + QLatin1Char('\n');
}

}  // namespace kvcliff::ui
