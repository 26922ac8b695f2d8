// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/run_panels.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <QUrl>
#include <cmath>

#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {
namespace {

QString tokens_word(std::int64_t t) { return t < 0 ? RequestPanel::tr("unknown") : exact(t); }

}  // namespace

StreamLine::StreamLine(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize StreamLine::sizeHint() const { return {120, theme_.px(50)}; }

void StreamLine::set_marks(Marks marks) {
  marks_ = std::move(marks);
  update();
}

void StreamLine::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const QFont f = theme_.font(TextSize::Caption);
  const QFontMetricsF m(f);
  const QRectF bar(0, m.height() + 3, width() - 1, theme_.px(11));
  // The whole bar is the time to the end, or a little more than what has passed.
  double most = 1;
  for (const auto& v : {marks_.first_byte_ms, marks_.first_token_ms, marks_.end_ms})
    if (v) most = std::max(most, *v * 1.08);
  if (!marks_.tokens_ms.empty()) most = std::max(most, marks_.tokens_ms.back() * 1.08);
  const auto x = [&](double ms) { return bar.left() + bar.width() * std::clamp(ms / most, 0.0, 1.0); };
  p.setPen(QPen(theme_.color("control"), 1));
  p.setBrush(theme_.color("field"));
  p.drawRect(bar);
  if (marks_.first_token_ms) p.fillRect(QRectF(bar.left() + 1, bar.top() + 1, x(*marks_.first_token_ms) - bar.left(), bar.height() - 1), theme_.color("select"));
  p.setPen(QPen(theme_.color("text"), 1));
  for (const double t : marks_.tokens_ms) p.drawLine(QPointF(x(t), bar.top() - 2), QPointF(x(t), bar.bottom() + 2));
  p.setFont(f);
  if (marks_.first_token_ms) {
    p.fillRect(QRectF(x(*marks_.first_token_ms) - 1, bar.top() - 3, 2, bar.height() + 6), theme_.color("ink"));
    QFont bold = f;
    bold.setWeight(QFont::DemiBold);
    p.setFont(bold);
    p.setPen(theme_.color("text"));
    const QString text = tr("first token %1 ms").arg(ttft_ms(qint64(*marks_.first_token_ms * 1e6)));
    const double w = QFontMetricsF(bold).horizontalAdvance(text) + 2;
    p.drawText(QRectF(std::clamp(x(*marks_.first_token_ms) - w + 4, 0.0, std::max(0.0, width() - w)), 0, w, m.height()), Qt::AlignRight, text);
    p.setFont(f);
  }
  p.setPen(theme_.color("text3"));
  p.drawText(QRectF(0, bar.bottom() + 4, width(), m.height()), Qt::AlignLeft, tr("written 0"));
  if (marks_.first_byte_ms) {
    const QString text = tr("first byte %1").arg(ttft_ms(qint64(*marks_.first_byte_ms * 1e6)));
    const double w = m.horizontalAdvance(text) + 2;
    const double left = std::clamp(x(*marks_.first_byte_ms) - w, m.horizontalAdvance(tr("written 0")) + 8, std::max(1.0, width() - w));
    p.drawText(QRectF(left, bar.bottom() + 4, w, m.height()), Qt::AlignRight, text);
  }
}

Meter::Meter(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setFixedHeight(8);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Meter::set_share(std::optional<double> share) {
  share_ = share;
  update();
}

void Meter::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const QRectF r(0, 0, width(), height());
  p.fillRect(r, theme_.color("line"));
  if (share_) {
    p.fillRect(QRectF(0, 0, r.width() * std::clamp(*share_, 0.0, 1.0), r.height()), theme_.color("text2"));
    return;
  }
  // Not reported is drawn, not left empty.
  p.setPen(QPen(theme_.color("text3"), 1));
  for (double x = -8; x < r.width(); x += 5) p.drawLine(QPointF(x, r.bottom()), QPointF(x + 8, r.top()));
}

RateBars::RateBars(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize RateBars::sizeHint() const { return {120, theme_.px(44)}; }

void RateBars::set_rates(std::vector<double> rates) {
  rates_ = std::move(rates);
  update();
}

void RateBars::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setPen(QPen(theme_.color("line"), 1));
  p.setBrush(theme_.color("surface"));
  p.drawRect(QRectF(0.5, 0.5, width() - 1, height() - 1));
  double most = 0;
  for (const double r : rates_) most = std::max(most, r);
  if (most <= 0) return;
  constexpr double places = 24;
  const double w = width() / places;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const double h = rates_[i] / most * (height() - 8);
    if (h <= 0) continue;
    p.fillRect(QRectF(width() - w * double(rates_.size() - i) + w * 0.2, height() - 1 - h, w * 0.6, h), theme_.color("text2"));
  }
}

RequestPanel::RequestPanel(const Theme& theme, QWidget* parent) : Card(theme, tr("Request"), parent), theme_(theme) {
  setObjectName(QStringLiteral("run.request"));
  this->setProperty("help", QStringLiteral("run.request"));
  where_ = label(QString(), "secondary", this);
  where_->setObjectName(QStringLiteral("run.request.where"));
  where_->setFont(theme.font(TextSize::Chart));
  header()->addWidget(where_);
  request_part_ = new QWidget(this);
  auto* column = new QVBoxLayout(request_part_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  line_ = new StreamLine(theme, request_part_);
  line_->setToolTip(tr("Times from just before the first request byte was written to the connected socket"));
  first_token_ = label(QString(), "caption", request_part_);
  first_token_->setObjectName(QStringLiteral("run.request.state"));
  text_ = new QLabel(request_part_);
  text_->setObjectName(QStringLiteral("run.request.text"));
  text_->setTextFormat(Qt::PlainText);
  text_->setFont(theme.fixed());
  text_->setFrameShape(QFrame::NoFrame);
  text_->setMinimumWidth(10);
  text_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  text_->setFixedHeight(theme.px(28));
  text_->setToolTip(tr("The answer as text"));
  const auto frame = [this] { text_->setStyleSheet(QStringLiteral("border: 1px solid %1; border-radius: 4px; padding: 0 6px").arg(theme_.color("line2").name())); };
  frame();
  connect(&theme, &Theme::changed, text_, frame);
  column->addWidget(line_);
  column->addWidget(first_token_);
  column->addWidget(text_);
  const auto line = [&](const QString& name, const char* object) {
    auto* row = new QHBoxLayout;
    row->addWidget(label(name, "secondary", request_part_));
    auto* value = new QLabel(request_part_);
    value->setObjectName(QLatin1String(object));
    value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(value, 1);
    column->addLayout(row);
    return value;
  };
  predicted_ = line(tr("Predicted"), "run.request.predicted");
  measured_ = line(tr("Measured"), "run.request.measured");
  body()->addWidget(request_part_);
  failure_ = new QLabel(this);
  failure_->setObjectName(QStringLiteral("run.failure"));
  failure_->setWordWrap(true);
  failure_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  lines_ = new QLabel(this);
  lines_->setObjectName(QStringLiteral("run.failure.lines"));
  lines_->setFont(theme.fixed());
  lines_->setTextFormat(Qt::PlainText);
  lines_->setWordWrap(true);
  lines_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  lines_->setMinimumWidth(10);
  body()->addWidget(failure_);
  body()->addWidget(lines_);
  failure_mode(false);
}

void RequestPanel::failure_mode(bool on) {
  request_part_->setVisible(!on);
  failure_->setVisible(on);
  lines_->setVisible(on && !lines_->text().isEmpty());
}

void RequestPanel::show_nothing(const QString& sentence) {
  set_title(tr("Request"));
  where_->clear();
  failure_->setText(sentence);
  lines_->clear();
  failure_mode(true);
}

void RequestPanel::show_failure(const QString& title, const QString& why, const QStringList& lines) {
  set_title(title);
  where_->clear();
  failure_->setText(why);
  lines_->setText(lines.join(QLatin1Char('\n')));
  failure_mode(true);
}

void RequestPanel::show_sources(const RunData& run_data, std::int64_t index, const QString& waiting) {
  if (index < 0 || std::size_t(index) >= run_data.requests.size()) {
    predicted_->setText(tr("not measured: warm-up"));
    measured_->setText(waiting);
    return;
  }
  const RunRequest& r = run_data.requests[std::size_t(index)];
  if (!r.has_prediction()) {
    predicted_->setText(tr("none"));
  } else {
    static const char* const words[] = {QT_TR_NOOP("GPU hit"), QT_TR_NOOP("loaded"), QT_TR_NOOP("computed")};
    QStringList parts;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{2}})
      if (r.predicted[k] > 0) parts << tr("%1 %2").arg(exact(qint64(std::llround(r.predicted[k]))), tr(words[k]));
    predicted_->setText(parts.join(QStringLiteral(" + ")));
  }
  if (!r.measured()) {
    measured_->setText(waiting);
    return;
  }
  QStringList parts;
  if (r.tokens[0] != 0) parts << tr("%1 GPU hit").arg(tokens_word(r.tokens[0]));
  if (r.tokens[1] != 0) parts << tr("%1 loaded").arg(tokens_word(r.tokens[1]));
  if (r.tokens[2] != 0) parts << tr("%1 computed").arg(tokens_word(r.tokens[2]));
  if (r.tokens[3] > 0) parts << tr("%1 unknown").arg(tokens_word(r.tokens[3]));
  measured_->setText(parts.join(QStringLiteral(" + ")));
}

void RequestPanel::show_live(const RunData& run_data, const StreamNow& stream) {
  failure_mode(false);
  const bool known = stream.index >= 0 && std::size_t(stream.index) < run_data.requests.size();
  set_title(stream.warmup ? tr("Warm-up request") : known ? tr("Request %1").arg(exact(stream.index + 1)) : tr("Request"));
  if (known) {
    const RunRequest& r = run_data.requests[std::size_t(stream.index)];
    where_->setText(r.round > 0 ? tr("document %1 \u00b7 round %2").arg(r.document + 1).arg(r.round) : QString());
  } else {
    where_->clear();
  }
  StreamLine::Marks marks;
  const MonoNs t0 = stream.times && stream.times->t0 ? stream.times->t0 : stream.began;
  const auto ms = [&](MonoNs at) -> std::optional<double> { return at > t0 && t0 > 0 ? std::optional(double(at - t0) * 1e-6) : std::nullopt; };
  for (const StreamEvent& e : stream.events) {
    if (e.kind != EventKind::token) continue;
    if (!marks.first_token_ms) marks.first_token_ms = ms(e.at);
    else if (const auto at = ms(e.at); at && marks.tokens_ms.size() < 400) marks.tokens_ms.push_back(*at);
  }
  if (stream.times) {
    marks.first_byte_ms = ms(stream.times->first_byte);
    marks.first_token_ms = ms(stream.times->first_token);
    marks.end_ms = ms(stream.times->end);
  }
  line_->set_marks(marks);
  qint64 tokens = 0;
  for (const StreamEvent& e : stream.events) tokens += e.kind == EventKind::token ? std::max<int>(1, e.tokens) : 0;
  first_token_->setText(stream.settled  ? tr("settled")
                        : stream.ended  ? tr("the counters settle")
                        : tokens > 0    ? tr("%1 output tokens so far").arg(exact(tokens))
                                        : tr("waiting for the first token, %1 s").arg(QLocale().toString(double(mono_now() - stream.began) * 1e-9, 'f', 1)));
  const QString answer = shown(stream.text.substr(0, 400)).simplified();
  text_->setText(stream.ended ? text_->fontMetrics().elidedText(answer, Qt::ElideRight, text_->width() - 14)
                              : QString(qsizetype(std::min<qint64>(tokens, 40)), QChar(0x25AE)));
  show_sources(run_data, stream.index, tr("after the stream settles"));
}

void RequestPanel::show_request(const RunData& run_data, std::int64_t index, const RequestRecord* record) {
  if (index < 0 || std::size_t(index) >= run_data.requests.size()) return show_nothing(tr("Choose a request in the chart."));
  failure_mode(false);
  const RunRequest& r = run_data.requests[std::size_t(index)];
  set_title(tr("Request %1").arg(exact(index + 1)));
  where_->setText(r.round > 0 ? tr("document %1 \u00b7 round %2").arg(r.document + 1).arg(r.round) : QString());
  StreamLine::Marks marks;
  if (r.ttft_ns >= 0) marks.first_token_ms = double(r.ttft_ns) * 1e-6;
  if (r.total_ns >= 0) marks.end_ms = double(r.total_ns) * 1e-6;
  QString state = r.state == RequestState::Planned ? tr("planned") : r.failed() ? QString::fromLatin1(to_string(r.outcome).data(), qsizetype(to_string(r.outcome).size())) : tr("complete");
  QString answer;
  if (record) {
    const StreamTimes& t = record->stream.times;
    if (t.first_byte > t.t0 && t.t0 > 0) marks.first_byte_ms = double(t.first_byte - t.t0) * 1e-6;
    for (const StreamEvent& e : record->stream.events)
      if (e.kind == EventKind::token && e.at > t.first_token && t.t0 > 0 && marks.tokens_ms.size() < 400) marks.tokens_ms.push_back(double(e.at - t.t0) * 1e-6);
    state += record->settled ? tr(", settled") : record->not_settled_why.empty() ? tr(", not settled") : tr(", not settled: %1").arg(shown(record->not_settled_why));
    if (!record->stream.why.empty()) state += QStringLiteral(". ") + shown(record->stream.why);
    answer = shown(record->stream.text.substr(0, 400)).simplified();
  }
  line_->set_marks(marks);
  first_token_->setText(state);
  first_token_->setWordWrap(true);
  text_->setText(text_->fontMetrics().elidedText(answer, Qt::ElideRight, std::max(40, text_->width() - 14)));
  show_sources(run_data, index, r.state == RequestState::Planned ? tr("not yet") : tr("unknown"));
}

ServerPanel::Row ServerPanel::row(const QString& name, const char* object_name, const QString& tip) {
  auto* line = new QHBoxLayout;
  Row r{label(name, "secondary", this), new QLabel(this)};
  r.value->setObjectName(QLatin1String(object_name));
  r.value->setAccessibleName(name);
  r.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  r.name->setToolTip(tip);
  r.value->setToolTip(tip);
  line->addWidget(r.name);
  line->addWidget(r.value, 1);
  body()->addLayout(line);
  return r;
}

ServerPanel::ServerPanel(const Theme& theme, QWidget* parent) : Card(theme, tr("Server"), parent), theme_(theme) {
  setObjectName(QStringLiteral("run.server"));
  this->setProperty("help", QStringLiteral("run.server"));
  gpu_ = row(tr("GPU cache in use"), "run.server.gpu", tr("Blocks held by running requests, from the engine's usage gauge. Blocks kept for reuse are not in it."));
  body()->addWidget(gpu_meter_ = new Meter(theme, this));
  host_ = row(tr("Host tier written"), "run.server.host", tr("Blocks stored to the host since the server started: stored bytes by the bytes of one block"));
  body()->addWidget(host_meter_ = new Meter(theme, this));
  rate_ = row(tr("Host to GPU"), "run.server.rate", tr("Bytes by the engine's own transfer time of the newest load, 10^9 bytes per second"));
  body()->addWidget(rates_ = new RateBars(theme, this));
  loaded_ = row(tr("Loaded this session"), "run.server.loaded", tr("Bytes moved from the host to the GPU since the server started"));
  load_ = row(tr("Running / waiting"), "run.server.load", tr("Requests in the engine now"));
  scrape_ = row(tr("Scrape"), "run.server.scrape", tr("Readings of the server's counters so far in this session"));
  error_ = label(QString(), "error", this);
  error_->setObjectName(QStringLiteral("run.server.error"));
  error_->setWordWrap(true);
  error_->hide();
  body()->addWidget(error_);
  body()->addStretch(1);
}

void ServerPanel::show_values(const RunSession* s, const RunData& run_data, const ServerReading& r) {
  const QString absent = tr("not reported");
  const std::int64_t usable = s && s->gpu_blocks ? *s->gpu_blocks - 1 : 0;
  if (r.gpu_usage && usable > 0)
    gpu_.value->setText(tr("%1 of %2 blocks").arg(exact(std::llround(*r.gpu_usage * double(usable))), exact(usable)));
  else
    gpu_.value->setText(r.gpu_usage ? share_percent(*r.gpu_usage) : absent);
  gpu_meter_->set_share(r.gpu_usage);
  const bool tier = s && s->offload;
  for (QWidget* w : std::initializer_list<QWidget*>{host_.name, host_.value, host_meter_}) w->setVisible(tier);
  const std::int64_t host_blocks = tier && s->host_bytes && run_data.block_bytes > 0 ? *s->host_bytes / run_data.block_bytes : 0;
  if (r.stored_bytes && run_data.block_bytes > 0) {
    const auto blocks = std::int64_t(*r.stored_bytes) / run_data.block_bytes;
    host_.value->setText(host_blocks > 0 ? tr("%1 of %2 blocks").arg(exact(blocks), exact(host_blocks)) : tr("%1 blocks").arg(exact(blocks)));
    host_meter_->set_share(host_blocks > 0 ? std::optional(double(blocks) / double(host_blocks)) : std::nullopt);
  } else {
    host_.value->setText(r.stored_bytes ? tr("%1 GiB").arg(gib(qint64(*r.stored_bytes))) : absent);
    host_meter_->set_share(std::nullopt);
  }
  const double newest = [&] {
    for (auto it = r.rates.rbegin(); it != r.rates.rend(); ++it)
      if (*it > 0) return *it;
    return 0.0;
  }();
  rate_.value->setText(!tier ? tr("no tier") : newest > 0 ? tr("%1 GB/s").arg(QLocale().toString(newest / 1e9, 'f', 1)) : tr("nothing loaded"));
  rates_->set_rates(r.rates);
  rates_->setVisible(tier);
  loaded_.value->setText(!tier ? tr("no tier") : r.loaded_bytes ? tr("%1 GiB").arg(gib(qint64(*r.loaded_bytes))) : absent);
  load_.value->setText(r.running ? QStringLiteral("%1 / %2").arg(QLocale().toString(*r.running, 'f', 0), r.waiting ? QLocale().toString(*r.waiting, 'f', 0) : tr("?")) : absent);
  error_->setText(r.error);
  error_->setVisible(!r.error.isEmpty());
}

void ServerPanel::show_reading(const RunData& run_data, const ServerReading& reading, const StreamNow& stream) {
  const RunSession* s = nullptr;
  for (const RunSession& one : run_data.sessions)
    if (one.row == reading.session) s = &one;
  show_values(s, run_data, reading);
  scrape_.value->setText(!reading.error.isEmpty() ? tr("failed") : reading.readings == 0 ? tr("none yet") : stream.ended && !stream.settled ? tr("settling") : tr("settled, %1").arg(exact(reading.readings)));
}

void ServerPanel::show_session(const RunData& run_data, std::int64_t session, const std::optional<ServerReading>& last) {
  const RunSession* s = session >= 0 && std::size_t(session) < run_data.sessions.size() ? &run_data.sessions[std::size_t(session)] : nullptr;
  show_values(s, run_data, last.value_or(ServerReading{}));
  scrape_.value->setText(last ? tr("last of session %1").arg(s ? s->ordinal + 1 : 0) : tr("none"));
}

}  // namespace kvcliff::ui
