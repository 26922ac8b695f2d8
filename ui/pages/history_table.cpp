// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/history_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {
namespace {

const HistoryRow& row_of(const QModelIndex& index) {
  const auto* filter = static_cast<const HistoryFilter*>(index.model());
  const QModelIndex source = filter->mapToSource(index);
  return static_cast<const HistoryModel*>(filter->sourceModel())->row(source.row());
}

}  // namespace

HistoryCells::HistoryCells(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

void HistoryCells::paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const HistoryRow& row = row_of(index);
  const bool checked = index.siblingAtColumn(HistoryModel::Run).data(Qt::CheckStateRole).toInt() == Qt::Checked;
  if (checked || option.state.testFlag(QStyle::State_Selected)) p->fillRect(option.rect, theme_.color("select"));
  p->setPen(theme_.color("line"));
  p->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
  const QRect r = option.rect.adjusted(8, 0, -8, -1);
  QFont f = theme_.font(TextSize::Chart);
  const int c = index.column();
  const QString text = index.data().toString();
  const qreal dpr = p->device()->devicePixelRatioF();
  switch (c) {
    case HistoryModel::Run: {
      paint_check(*p, r, checked);
      f.setWeight(QFont::DemiBold);
      p->setFont(f);
      p->setPen(theme_.color("text"));
      draw_number(*p, r.adjusted(theme_.px(23), 0, 8, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
      return;
    }
    case HistoryModel::Sources: paint_sources(*p, r, row.summary); return;
    case HistoryModel::VerdictColumn: paint_verdict(*p, r, row.summary, dpr); return;
    case HistoryModel::Engine: {
      p->setFont(f);
      p->setPen(theme_.color("text2"));
      const int flask = row.record.simulated ? theme_.px(18) : 0;
      const QString shown = QFontMetrics(f).elidedText(text, Qt::ElideRight, r.width() - flask);
      p->drawText(r, Qt::AlignLeft | Qt::AlignVCenter, shown);
      if (flask > 0) p->drawPixmap(QPointF(r.left() + QFontMetrics(f).horizontalAdvance(shown) + 5, r.center().y() - 6), theme_.pixmap(QStringLiteral("flask"), theme_.color("simulated"), 13, dpr));
      return;
    }
    default: break;
  }
  const bool number = c == HistoryModel::WorkingSet || c == HistoryModel::HostGib || c == HistoryModel::Reconciled;
  const bool known = !text.isEmpty() && (text[0].isDigit() || c == HistoryModel::Name || c == HistoryModel::Ratio);
  p->setFont(f);
  p->setPen(theme_.color(c == HistoryModel::Name ? "text" : number || c == HistoryModel::Ratio ? (known ? "text" : "text3") : "text2"));
  const Qt::Alignment side = (number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
  const QString shown = QFontMetrics(f).elidedText(text, c == HistoryModel::Name || c == HistoryModel::Model ? Qt::ElideMiddle : Qt::ElideRight, r.width() + 4);
  if (number || c == HistoryModel::Ratio) draw_number(*p, r, side, shown);
  else p->drawText(r, side, shown);
  if (c == HistoryModel::Name && option.state.testFlag(QStyle::State_HasFocus)) {
    p->setPen(QPen(theme_.color("ink"), 2));
    p->drawRect(option.rect.adjusted(1, 1, -1, -2));
  }
}

void HistoryCells::paint_check(QPainter& p, const QRect& r, bool on) const {
  const int size = theme_.px(14);
  const QRectF box(r.left() + 0.5, r.center().y() - size / 2 + 0.5, size, size);
  p.save();
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(theme_.color(on ? "ink" : "control"), 1.2));
  p.setBrush(theme_.color(on ? "ink" : "surface"));
  p.drawRoundedRect(box, 3, 3);
  if (on) {
    p.setPen(QPen(theme_.color("onInk"), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p.setBrush(Qt::NoBrush);
    p.drawPolyline(QPolygonF{{box.left() + size * 0.24, box.center().y()}, {box.left() + size * 0.43, box.bottom() - size * 0.27}, {box.right() - size * 0.22, box.top() + size * 0.28}});
  }
  p.restore();
}

void HistoryCells::paint_sources(QPainter& p, const QRect& r, const HistorySummary& s) const {
  const int h = theme_.px(10);
  const QRectF bar(r.left(), r.center().y() - h / 2, r.width(), h);
  if (!s.computed) {
    p.setFont(theme_.font(TextSize::Chart));
    p.setPen(theme_.color("text3"));
    p.drawText(r, Qt::AlignLeft | Qt::AlignVCenter, s.why.isEmpty() ? QStringLiteral("\u2026") : QObject::tr("none"));
    return;
  }
  const std::pair<Source, double> parts[] = {{Source::computed, double(*s.computed)}, {Source::gpu_hit, double(*s.gpu_hit)}, {Source::host_loaded, double(*s.host_loaded)}, {Source::unknown, double(*s.unknown)}};
  double all = 0;
  for (const auto& [source, n] : parts) all += n;
  if (all <= 0) return;
  double sum = 0;
  for (const auto& [source, n] : parts) {
    if (n <= 0) continue;
    const double x1 = std::round(bar.left() + bar.width() * sum / all);
    sum += n;
    const double x2 = std::max(x1 + 1, std::round(bar.left() + bar.width() * sum / all));
    const QRectF part(x1, bar.top(), x2 - x1, h);
    if (source == Source::unknown) {
      // Unknown is always hatched: never a fill of its own that could be read as a source.
      p.fillRect(part, theme_.color("surface"));
      p.save();
      p.setClipRect(part);
      p.setRenderHint(QPainter::Antialiasing);
      p.setPen(QPen(theme_.color("unknown_edge"), 1));
      for (double x = part.left() - h; x < part.right(); x += 4) p.drawLine(QPointF(x, part.bottom()), QPointF(x + h, part.top()));
      p.restore();
    } else {
      p.fillRect(part, theme_.fill(source));
    }
    p.setPen(QPen(theme_.edge(source), 1, source == Source::unknown ? Qt::DashLine : Qt::SolidLine));
    p.setBrush(Qt::NoBrush);
    p.drawRect(part.adjusted(0, 0, -1, -1));
  }
}

void HistoryCells::paint_verdict(QPainter& p, const QRect& r, const HistorySummary& s, qreal dpr) const {
  struct Look {
    const char *icon, *color;
  };
  Look look{nullptr, "text3"};
  if (s.verdict) switch (*s.verdict) {
      case analysis::Verdict::helps: look = {"check", "pass"}; break;
      case analysis::Verdict::no_effect: look = {"dash", "notpossible"}; break;
      case analysis::Verdict::hurts: look = {"cross", "fail"}; break;
      case analysis::Verdict::cannot_tell: look = {"tilde", "notsettled"}; break;
      case analysis::Verdict::withdrawn: look = {"warn", "withdrawn"}; break;
    }
  QFont f = theme_.font(TextSize::Chart);
  int x = r.left();
  if (look.icon) {
    f.setWeight(QFont::DemiBold);
    p.drawPixmap(QPointF(x, r.center().y() - 6), theme_.pixmap(QLatin1String(look.icon), theme_.color(look.color), 13, dpr));
    x += theme_.px(20);
  }
  p.setFont(f);
  p.setPen(theme_.color(look.color));
  p.drawText(QRect(x, r.top(), r.right() - x + 6, r.height()), Qt::AlignLeft | Qt::AlignVCenter, HistoryModel::verdict_word(s));
}

QWidget* HistoryCells::createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QWidget* editor = QStyledItemDelegate::createEditor(parent, option, index);
  if (editor) {
    editor->setObjectName(QStringLiteral("history.tags.editor"));
    editor->setAccessibleName(QObject::tr("Tags, parted by commas"));
    editor->setToolTip(QObject::tr("Tags, parted by commas. Enter keeps them, Esc leaves them as they were"));
  }
  return editor;
}

void HistoryCells::setEditorData(QWidget* editor, const QModelIndex& index) const {
  const auto* line = qobject_cast<QLineEdit*>(editor);
  if (!line || !line->isModified()) QStyledItemDelegate::setEditorData(editor, index);
}

bool HistoryCells::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option, const QModelIndex& index) {
  if (index.column() == HistoryModel::Run && event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    if (mouse->button() == Qt::LeftButton && mouse->position().x() < option.rect.left() + theme_.px(28)) {
      const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
      return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    }
  }
  return false;  // the box is drawn here: the style's own hit area would be elsewhere
}

HistoryTable::HistoryTable(const Theme& theme, QWidget* parent) : QTableView(parent), theme_(theme) {
  setObjectName(QStringLiteral("history.table"));
  setAccessibleName(tr("Experiments"));
  setItemDelegate(new HistoryCells(theme, this));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::SelectedClicked);
  setShowGrid(false);
  setWordWrap(false);
  setFrameShape(QFrame::NoFrame);
  setSortingEnabled(true);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(theme.px(32));
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setFont(theme.font(TextSize::Chart));
  horizontalHeader()->setSectionsMovable(true);
  connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& i) {
    if (i.column() == HistoryModel::Tags) edit(i);
    else emit open_asked(i);
  });
}

void HistoryTable::fit_columns() {
  // Shares of the width: names and ratios take what the numbers leave.
  static constexpr int least[HistoryModel::ColumnCount] = {80, 94, 86, 80, 112, 88, 70, 116, 80, 90, 134, 44};
  int sum = 0;
  for (const int w : least) sum += theme_.px(w);
  const int rest = std::max(0, viewport()->width() - sum - 4);
  // Rounding must not bring a bar that scrolls by two pixels.
  setHorizontalScrollBarPolicy(sum <= viewport()->width() ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  for (int c = 0; c < HistoryModel::ColumnCount - 1; ++c) {
    const int more = c == HistoryModel::Name ? rest * 30 / 100 : c == HistoryModel::Engine ? rest * 20 / 100 : c == HistoryModel::Model ? rest * 15 / 100 : c == HistoryModel::Ratio ? rest * 15 / 100 : 0;
    setColumnWidth(c, theme_.px(least[c]) + more);
  }
}

void HistoryTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) fit_columns();
}

void HistoryTable::keyPressEvent(QKeyEvent* event) {
  const QModelIndex at = currentIndex();
  if (state() != QAbstractItemView::EditingState && at.isValid()) {
    if (event->key() == Qt::Key_Space) {
      const QModelIndex box = at.siblingAtColumn(HistoryModel::Run);
      model()->setData(box, box.data(Qt::CheckStateRole).toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
      return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
      emit open_asked(at);
      return;
    }
    if (event->key() == Qt::Key_Delete) {
      emit delete_asked();
      return;
    }
    if (event->key() == Qt::Key_F2) {
      edit(at.siblingAtColumn(HistoryModel::Tags));
      return;
    }
  }
  QTableView::keyPressEvent(event);
}

}  // namespace kvcliff::ui
