// SPDX-License-Identifier: GPL-3.0-or-later
// Places, keys and mouse of the matrix; the drawing is in reconcile_matrix_paint.cpp.
#include "ui/pages/reconcile_matrix.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>

#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {
constexpr int session_gap = 9;
constexpr int many_requests = 150;
}  // namespace

MatrixView::MatrixView(const Theme& theme, MatrixModel& model, QWidget* parent)
    : QAbstractScrollArea(parent), theme_(theme), model_(model) {
  setObjectName(QStringLiteral("reconcile.matrix"));
  setAccessibleName(tr("Checks by request"));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setAutoFillBackground(false);
  setToolTip(tr("Rows are checks, columns are requests. Arrows move, Enter opens the evidence, N goes to the next failure."));
  connect(&theme, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
  connect(&model, &QAbstractItemModel::modelReset, this, [this] {
    row_ = std::min(row_, model_.rowCount() - 1);
    column_ = std::min(column_, model_.columnCount() - 1);
    arrange();
    updateGeometry();
    viewport()->update();
  });
  for (QScrollBar* bar : {horizontalScrollBar(), verticalScrollBar()})
    connect(bar, &QScrollBar::valueChanged, viewport(), qOverload<>(&QWidget::update));
}

QSize MatrixView::sizeHint() const { return {900, header_ + 2 + theme_.px(17) * std::max(4, model_.rowCount())}; }
QSize MatrixView::minimumSizeHint() const { return {500, header_ + theme_.px(13) * std::min(12, std::max(4, model_.rowCount()))}; }

int MatrixView::whole_rows(int pixels) const { return pixels <= 0 ? 0 : (pixels + row_height_ - 1) / row_height_ * row_height_; }

void MatrixView::arrange() {
  const QFontMetrics m(theme_.font(TextSize::Chart));
  header_ = theme_.px(38);
  id_width_ = m.horizontalAdvance(QStringLiteral("R20")) + 14;
  int name = 120;
  for (int r = 0; r < model_.rowCount(); ++r) name = std::max(name, m.horizontalAdvance(model_.row(r).name));
  labels_ = id_width_ + name + m.horizontalAdvance(tr("not possible")) + 26;
  labels_ = std::min(labels_, std::max(200, viewport()->width() / 3));
  const int rows = std::max(1, model_.rowCount());
  row_height_ = std::clamp((viewport()->height() - header_ - 2) / rows, theme_.px(13), theme_.px(18));
  const int n = std::max(1, model_.columnCount());
  const int gaps = session_gap * std::max(0, int(model_.groups().size()) - 1);
  const int room = viewport()->width() - labels_ - gaps - 2;
  slot_ = std::clamp(room / n, n > many_requests ? 3 : 5, 16);
  horizontalScrollBar()->setPageStep(std::max(1, viewport()->width() - labels_));
  horizontalScrollBar()->setSingleStep(slot_ * 4);
  horizontalScrollBar()->setRange(0, std::max(0, int(content_width()) - (viewport()->width() - labels_)));
  verticalScrollBar()->setPageStep(std::max(1, viewport()->height() - header_));
  verticalScrollBar()->setSingleStep(row_height_);
  // In whole rows: none is cut by the header.
  verticalScrollBar()->setRange(0, whole_rows(row_height_ * rows + 2 - (viewport()->height() - header_)));
}

void MatrixView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  arrange();
  reveal();
}

double MatrixView::x_of(int column) const { return double(column) * slot_ + std::max(0, model_.group_of(column)) * session_gap; }
double MatrixView::content_width() const { return model_.columnCount() > 0 ? x_of(model_.columnCount() - 1) + slot_ + 2 : 0; }

int MatrixView::column_at(double x) const {
  const auto& groups = model_.groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double left = x_of(groups[g].first), right = x_of(groups[g].last) + slot_;
    if (x < left) return groups[g].first;
    if (x < right) return groups[g].first + int((x - left) / slot_);
  }
  return model_.columnCount() - 1;
}

QRectF MatrixView::cell_rect(int row, int column) const {
  const MatrixCell c = model_.cell(row, column);
  const double x0 = labels_ + x_of(c.from) - horizontalScrollBar()->value();
  const double x1 = labels_ + x_of(c.to) + slot_ - horizontalScrollBar()->value();
  return {x0, double(header_ + row * row_height_ - verticalScrollBar()->value()), x1 - x0, double(row_height_)};
}

MatrixView::Hit MatrixView::at(const QPointF& pos) const {
  if (model_.rowCount() == 0 || model_.columnCount() == 0) return {};
  Hit hit;
  if (pos.y() >= header_) {
    const int r = int((pos.y() - header_ + verticalScrollBar()->value()) / row_height_);
    if (r < model_.rowCount()) hit.row = r;
  }
  const double x = pos.x() - labels_ + horizontalScrollBar()->value();
  if (pos.x() >= labels_ && x <= content_width()) hit.column = column_at(x);
  return hit;
}

void MatrixView::select(int row, int column) {
  if (model_.rowCount() == 0 || model_.columnCount() == 0) return;
  row_ = std::clamp(row, 0, model_.rowCount() - 1);
  column_ = std::clamp(column, 0, model_.columnCount() - 1);
  reveal();
  setAccessibleDescription(model_.words(row_, column_));
  viewport()->update();
  emit selected(row_, column_);
}

void MatrixView::reveal() {
  // Before the first layout there is nothing to scroll in.
  if (row_ < 0 || column_ < 0 || model_.rowCount() == 0 || model_.columnCount() == 0 || viewport()->height() < header_ + row_height_) return;
  const QRectF r = cell_rect(row_, column_);
  const double x = labels_ + x_of(column_) - horizontalScrollBar()->value();
  if (x < labels_) horizontalScrollBar()->setValue(horizontalScrollBar()->value() - int(labels_ - x) - slot_ * 2);
  if (x + slot_ > viewport()->width()) horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(x + slot_ - viewport()->width()) + slot_ * 2);
  if (r.top() < header_) verticalScrollBar()->setValue(verticalScrollBar()->value() - whole_rows(int(header_ - r.top())));
  if (r.bottom() > viewport()->height()) verticalScrollBar()->setValue(verticalScrollBar()->value() + whole_rows(int(r.bottom() - viewport()->height())));
}

void MatrixView::show_request(int request) {
  const int c = model_.column_of(request);
  if (c < 0 || c == column_) return;
  select(std::max(0, row_), c);
}

bool MatrixView::next_open(bool forward) {
  const auto found = model_.next_open(row_, column_, forward);
  if (found) select(found->first, found->second);
  return found.has_value();
}

void MatrixView::move(int rows, int columns) {
  const int row = std::max(0, row_), column = std::max(0, column_);
  int to = column + columns;
  if (columns != 0 && row_ >= 0 && column_ >= 0 && model_.row(row).scope != CheckScope::request) {
    // A long cell is one stop: leave it on the side asked for.
    const MatrixCell c = model_.cell(row, column);
    to = columns > 0 ? c.to + 1 : c.from - 1;
  }
  select(row + rows, to);
}

void MatrixView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left: move(0, -1); break;
    case Qt::Key_Right: move(0, 1); break;
    case Qt::Key_Up: move(-1, 0); break;
    case Qt::Key_Down: move(1, 0); break;
    case Qt::Key_Home: select(std::max(0, row_), 0); break;
    case Qt::Key_End: select(std::max(0, row_), model_.columnCount() - 1); break;
    case Qt::Key_PageUp: select(0, std::max(0, column_)); break;
    case Qt::Key_PageDown: select(model_.rowCount() - 1, std::max(0, column_)); break;
    case Qt::Key_Return:
    case Qt::Key_Enter: emit opened(); break;
    case Qt::Key_N: next_open(!event->modifiers().testFlag(Qt::ShiftModifier)); break;
    default: QAbstractScrollArea::keyPressEvent(event); return;
  }
  event->accept();
}

void MatrixView::mousePressEvent(QMouseEvent* event) {
  const Hit hit = at(event->position());
  if (hit.column < 0 && hit.row >= 0) select(hit.row, std::max(0, column_));
  else if (hit.column >= 0) select(hit.row >= 0 ? hit.row : std::max(0, row_), hit.column);
}

void MatrixView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (at(event->position()).row >= 0) emit opened();
}

void MatrixView::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  if (row_ < 0 && model_.rowCount() > 0 && event->reason() != Qt::MouseFocusReason) select(0, 0);
  viewport()->update();
}

void MatrixView::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

bool MatrixView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const Hit hit = at(help->pos());
    if (hit.row >= 0 && hit.column >= 0) {
      show_tip(help->globalPos(), model_.words(hit.row, hit.column), viewport());
      return true;
    }
    if (hit.row < 0 && hit.column >= 0 && model_.judged()) {
      // Long names of arms are cut in the header; here they are whole.
      const auto& g = model_.groups()[std::size_t(model_.group_of(hit.column))];
      show_tip(help->globalPos(), tr("Session %1: %2").arg(g.number, g.arm), viewport());
      return true;
    }
    if (hit.row >= 0) {
      show_tip(help->globalPos(), model_.row(hit.row).id + QStringLiteral(": ") + model_.row(hit.row).title, viewport());
      return true;
    }
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace kvcliff::ui
