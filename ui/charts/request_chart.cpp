// SPDX-License-Identifier: GPL-3.0-or-later
// Structure, ranges, mouse and keys of the request chart; request_paint.cpp has the drawing.
#include "ui/charts/request_chart.h"

#include <cmath>

#include "ui/charts/request_view.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {
namespace {

constexpr int redraw_ms = 40;
constexpr double gap_px = 34, slot_max = 24;

// 1, 2 or 5 times a power of ten, so that about `n` of them cover `top`.
double nice_step(double top, int n) {
  const double raw = std::max(1e-9, top / n);
  const double ten = std::pow(10, std::floor(std::log10(raw)));
  for (const double k : {1.0, 2.0, 5.0})
    if (raw <= k * ten) return k * ten;
  return 10 * ten;
}

}  // namespace

RequestChart::RequestChart(const Theme& theme, QWidget* parent)
    : Plot(theme, QStringLiteral("run.chart"), tr("Prompt tokens by source, per request"), parent) {
  setMinimumHeight(260);
  setMouseTracking(true);
  plotLayout()->clear();
  plotLayout()->setRowSpacing(0);
  bars_ = new QCPAxisRect(this);
  times_ = new QCPAxisRect(this);
  plotLayout()->addElement(0, 0, bars_);
  plotLayout()->addElement(1, 0, times_);
  plotLayout()->setRowStretchFactor(0, 1.8);
  auto* margins = new QCPMarginGroup(this);
  for (QCPAxisRect* rect : {bars_, times_}) {
    rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    rect->setupFullAxesBox(false);
    rect->axis(QCPAxis::atTop)->setVisible(false);
    rect->axis(QCPAxis::atRight)->setVisible(false);
    rect->axis(QCPAxis::atBottom)->setVisible(false);  // drawn with the bars, on whole device pixels
    rect->setBackground(Qt::NoBrush);
  }
  bars_->setMinimumMargins(QMargins(72, theme.px(26), 14, theme.px(30)));
  times_->setMinimumMargins(QMargins(72, theme.px(12), 14, theme.px(26)));

  new PaintLayer(this, QStringLiteral("data"), [this](QPainter& p) { paint_data(p); });
  new PaintLayer(this, QStringLiteral("axes"), [this](QPainter& p) { paint_axis_titles(p, view(&p)); });
  new PaintLayer(this, QStringLiteral("marker"), [this](QPainter& p) { paint_over(p); });
  throttle_.setSingleShot(true);
  throttle_.setInterval(redraw_ms);
  throttle_.setTimerType(Qt::PreciseTimer);
  connect(&throttle_, &QTimer::timeout, this, [this] {
    if (!waiting_) return;
    waiting_ = false;
    data_changed();
  });
  connect(this, &QCustomPlot::beforeReplot, this, [this] {
    ++replots_;
    update_ranges();
  });
}

void RequestChart::set_data(std::shared_ptr<RunData> data) {
  const bool same_run = data && data_ && data->experiment == data_->experiment && data->journal == data_->journal &&
                        data->requests.size() == data_->requests.size();
  data_ = std::move(data);
  if (data_) data_->touch_all();
  set_watermark(data_ && data_->simulated ? tr("SIMULATED") : QString());
  set_caption(data_ ? data_->caption() : QString());
  mark_ = {};
  ranged_version_ = ~0ull;
  if (!same_run) {
    selected_ = cross_ = pinned_ = -1;
    zooms_.clear();
    whole_ = true;
    set_following(true);
  }
  if (whole_) {
    from_ = 0;
    to_ = data_ ? double(data_->requests.size()) : 1;
  }
  update_ranges();  // a picture may be asked for before the first replot
  refresh();
}

void RequestChart::data_changed() {
  // The first change is drawn at once, later ones together when the last drawing is old enough.
  if (throttle_.isActive()) {
    waiting_ = true;
    return;
  }
  follow();
  refresh();
  throttle_.start();
}

void RequestChart::follow() {
  if (!data_ || !following_ || whole_ || data_->newest < 0) return;
  const double width = to_ - from_, newest = double(data_->newest) + 1;
  if (newest > to_ || newest < from_) {
    to_ = std::min(double(data_->requests.size()), newest + width * 0.1);
    from_ = std::max(0.0, to_ - width);
  }
}

void RequestChart::set_following(bool on) {
  if (on == following_) return;
  following_ = on;
  emit following_changed(on);
  if (on) {
    follow();
    refresh();
  }
}

void RequestChart::push_zoom() {
  zooms_.emplace_back(from_, to_);
  if (zooms_.size() > 50) zooms_.erase(zooms_.begin());
}

void RequestChart::show_requests(double from, double to, bool by_user) {
  if (!data_) return;
  const double n = double(std::max<std::size_t>(1, data_->requests.size()));
  const double width = std::clamp(to - from, std::min(4.0, n), n);
  from = std::clamp(from, 0.0, n - width);
  const bool back = from + width < double(data_->newest) + 1;
  from_ = from;
  to_ = from + width;
  whole_ = width >= n - 1e-9;
  // Somebody who looks at earlier requests must not be pulled away by the next one.
  if (by_user && data_->live && !whole_ && back) set_following(false);
  ranged_version_ = ~0ull;
  refresh();
}

void RequestChart::show_all() {
  if (!data_) return;
  zooms_.clear();
  show_requests(0, double(data_->requests.size()), false);
}

void RequestChart::step_back() {
  if (zooms_.empty()) return show_all();
  const auto [from, to] = zooms_.back();
  zooms_.pop_back();
  show_requests(from, to);
}

void RequestChart::select(std::int64_t request) {
  if (selected_ == request) return;
  selected_ = request;
  setAccessibleDescription(request >= 0 ? reading(request) : QString());
  layer(QStringLiteral("marker"))->replot();
}

void RequestChart::update_ranges() {
  const double width = std::max(40, bars_->width());
  if (!data_) {
    scale_ = {};
    return;
  }
  scale_ = RequestScale::fit(*data_, width, gap_px, slot_max);
  if (ranged_version_ == data_->version) return;
  // Largest prompt and TTFT of what is shown; growing while live, so that bars do not breathe.
  const bool fresh = ranged_version_ == ~0ull;
  std::size_t low = std::size_t(std::max(0.0, from_)), high = std::min(data_->requests.size(), std::size_t(std::ceil(to_)));
  if (!fresh && data_->dirty_high > data_->dirty_low) {
    low = std::max(low, data_->dirty_low);
    high = std::min(high, data_->dirty_high);
  }
  double tokens = fresh ? 0 : top_tokens_, ms = fresh ? 0 : top_ms_;
  for (std::size_t i = low; i < high; ++i) {
    const RunRequest& r = data_->requests[i];
    double sum = 0;
    for (const std::int64_t t : r.tokens) sum += double(std::max<std::int64_t>(0, t));
    tokens = std::max({tokens, double(r.prompt_tokens), sum});
    ms = std::max(ms, double(r.ttft_ns) * 1e-6);
  }
  top_tokens_ = tokens;
  top_ms_ = ms;
  ranged_version_ = data_->version;
  const double top = std::max(1.0, top_tokens_), most = std::max(1.0, top_ms_ * 1.12);
  bars_->axis(QCPAxis::atLeft)->setRange(0, top);
  times_->axis(QCPAxis::atLeft)->setRange(0, most);
  const auto tokens_ticker = QSharedPointer<QCPAxisTickerText>::create();
  const double step = nice_step(top, 5);
  for (double t = 0; t < top - step * 0.35; t += step) tokens_ticker->addTick(t, exact(qint64(t)));
  tokens_ticker->addTick(top, exact(qint64(top)));
  bars_->axis(QCPAxis::atLeft)->setTicker(tokens_ticker);
  const auto ms_ticker = QSharedPointer<QCPAxisTickerText>::create();
  const double ms_step = nice_step(most, 4);
  for (double t = 0; t <= most; t += ms_step) ms_ticker->addTick(t, QLocale().toString(t, 'f', ms_step < 1 ? 1 : 0));
  times_->axis(QCPAxis::atLeft)->setTicker(ms_ticker);
}

void RequestChart::restyle() {
  Plot::restyle();
  mark_ = {};
  for (QCPAxisRect* rect : {bars_, times_}) {
    rect->axis(QCPAxis::atLeft)->setBasePen(Qt::NoPen);
    rect->axis(QCPAxis::atLeft)->setTickPen(Qt::NoPen);
    rect->axis(QCPAxis::atBottom)->grid()->setVisible(false);
  }
}

std::int64_t RequestChart::request_at(const QPointF& pos) const {
  if (!data_ || data_->requests.empty()) return -1;
  const View v = view(nullptr);
  const bool inside = pos.x() >= v.bars.left() - 2 && pos.x() <= v.bars.right() + 2 && pos.y() >= v.bars.top() && pos.y() <= v.times.bottom() + 24;
  if (!inside) return -1;
  return std::int64_t(scale_.request_at(v.from + (pos.x() - v.bars.left()) / v.per_unit));
}

QString RequestChart::detail_words() const { return detail_; }

QString RequestChart::reading(std::int64_t i) const {
  if (!data_ || i < 0 || std::size_t(i) >= data_->requests.size()) return {};
  const RunRequest& r = data_->requests[std::size_t(i)];
  const RunSession& s = data_->sessions[std::size_t(r.session)];
  QStringList parts;
  parts << tr("request %1, %2").arg(exact(i + 1), s.arm);
  if (r.round > 0) parts << tr("document %1, round %2").arg(r.document + 1).arg(r.round);
  if (r.state == RequestState::Planned) {
    if (r.has_prediction())
      parts << tr("predicted %1 computed, %2 host loaded, %3 GPU hit")
                   .arg(exact(qint64(r.predicted[2])), exact(qint64(r.predicted[1])), exact(qint64(r.predicted[0])));
    return parts.join(QStringLiteral(" \u00b7 "));
  }
  if (r.measured()) {
    const auto word = [](std::int64_t t) { return t < 0 ? tr("unknown") : exact(t); };
    parts << tr("%1 computed, %2 host loaded, %3 GPU hit").arg(word(r.tokens[2]), word(r.tokens[1]), word(r.tokens[0]));
  } else if (r.state == RequestState::Done) {
    parts << tr("sources unknown");
  }
  if (r.ttft_ns >= 0 && r.predicted_ttft_ns >= 0) parts << tr("TTFT %1 ms, predicted %2").arg(ttft_ms(r.ttft_ns), ttft_ms(r.predicted_ttft_ns));
  else if (r.ttft_ns >= 0) parts << tr("TTFT %1 ms").arg(ttft_ms(r.ttft_ns));
  if (r.failed()) parts << QString::fromLatin1(to_string(r.outcome).data(), qsizetype(to_string(r.outcome).size()));
  if (r.missed) parts << tr("prediction missed by %1 tokens").arg(signed_exact(r.residual));
  return parts.join(QStringLiteral(" \u00b7 "));
}

void RequestChart::keyPressEvent(QKeyEvent* event) {
  if (!data_ || data_->requests.empty()) return Plot::keyPressEvent(event);
  const std::int64_t n = std::int64_t(data_->requests.size());
  const std::int64_t step = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
  const auto move = [&](std::int64_t to) {
    to = std::clamp<std::int64_t>(to, 0, n - 1);
    if (double(to) < from_ || double(to) >= to_) show_requests(double(to) - (to_ - from_) / 2, double(to) + (to_ - from_) / 2);
    emit request_chosen(int(to));
  };
  const double middle = selected_ >= 0 ? double(selected_) : (from_ + to_) / 2;
  const double half = (to_ - from_) / 2;
  switch (event->key()) {
    case Qt::Key_Left: move(selected_ < 0 ? data_->newest : selected_ - step); break;
    case Qt::Key_Right: move(selected_ < 0 ? data_->newest : selected_ + step); break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      push_zoom();
      show_requests(middle - half / 1.5, middle + half / 1.5);
      break;
    case Qt::Key_Minus: show_requests(middle - half * 1.5, middle + half * 1.5); break;
    case Qt::Key_Home: show_all(); break;
    case Qt::Key_Escape: step_back(); break;
    case Qt::Key_F: set_following(!following_); break;
    default: Plot::keyPressEvent(event); return;
  }
  event->accept();
}

void RequestChart::wheelEvent(QWheelEvent* event) {
  if (!data_ || data_->requests.empty()) return;
  const View v = view(nullptr);
  const double turn = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
  const bool pan = event->modifiers().testFlag(Qt::ShiftModifier) || event->angleDelta().y() == 0;
  if (pan) {
    const double by = -turn / 120 * (to_ - from_) * 0.1;
    show_requests(from_ + by, to_ + by);
  } else {
    const double share = std::clamp((event->position().x() - v.bars.left()) / std::max(1.0, v.bars.width()), 0.0, 1.0);
    const double width = (to_ - from_) * std::pow(1.25, -turn / 120);
    const double at = from_ + (to_ - from_) * share;
    if (turn > 0 && (zooms_.empty() || zooms_.back() != std::pair(from_, to_))) push_zoom();
    show_requests(at - width * share, at + width * (1 - share));
  }
  event->accept();
}

void RequestChart::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  if (event->button() == Qt::MiddleButton) pan_from_ = event->position().x();
  if (event->button() == Qt::LeftButton) {
    drag_from_ = event->position().x();
    drag_to_.reset();
    if (event->modifiers().testFlag(Qt::ShiftModifier)) pinned_ = request_at(event->position());
  }
}

void RequestChart::mouseMoveEvent(QMouseEvent* event) {
  const double x = event->position().x();
  if (pan_from_) {
    const double by = (*pan_from_ - x) / std::max(1e-9, view(nullptr).per_unit);
    pan_from_ = x;
    show_requests(from_ + by, to_ + by);
    return;
  }
  if (drag_from_ && std::fabs(x - *drag_from_) > 5) drag_to_ = x;
  const std::int64_t now = request_at(event->position());
  if (now != cross_) {
    cross_ = now;
    QString words = reading(now);
    if (pinned_ >= 0 && now >= 0 && pinned_ != now && data_) {
      const auto a = data_->requests[std::size_t(pinned_)].ttft_ns, b = data_->requests[std::size_t(now)].ttft_ns;
      if (a >= 0 && b >= 0)
        words += tr(" \u00b7 %1%2 ms against request %3").arg(b >= a ? QStringLiteral("+") : QStringLiteral("\u2212"), ttft_ms(std::llabs(b - a)), exact(pinned_ + 1));
    }
    emit crosshair_moved(words);
  }
  layer(QStringLiteral("marker"))->replot();
}

void RequestChart::mouseReleaseEvent(QMouseEvent* event) {
  pan_from_.reset();
  if (!drag_from_) return;
  const double a = *drag_from_, b = event->position().x();
  const bool band = drag_to_.has_value();
  drag_from_.reset();
  drag_to_.reset();
  if (band && data_) {
    const View v = view(nullptr);
    const auto request = [&](double x) { return double(scale_.request_at(v.from + (x - v.bars.left()) / v.per_unit)); };
    push_zoom();
    show_requests(request(std::min(a, b)), request(std::max(a, b)) + 1);
    return;
  }
  const std::int64_t i = request_at(event->position());
  if (i >= 0 && !event->modifiers().testFlag(Qt::ShiftModifier)) emit request_chosen(int(i));
  layer(QStringLiteral("marker"))->replot();
}

void RequestChart::mouseDoubleClickEvent(QMouseEvent*) { show_all(); }

void RequestChart::leaveEvent(QEvent* event) {
  cross_ = -1;
  emit crosshair_moved(QString());
  layer(QStringLiteral("marker"))->replot();
  Plot::leaveEvent(event);
}

void RequestChart::resizeEvent(QResizeEvent* event) {
  Plot::resizeEvent(event);
  if (data_) data_->touch_all();
}

}  // namespace kvcliff::ui
