// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/evidence_table.h"

#include "report/csv.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {

void EvidenceTable::set_rows(std::vector<std::vector<Cell>> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  for (auto& r : rows_) r.resize(columns_.size());
  endResetModel();
}

QVariant EvidenceTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
  const Cell& c = cell(index.row(), index.column());
  switch (role) {
    case Qt::DisplayRole: return c.text;
    case Qt::ToolTipRole: return c.tip.isEmpty() ? c.text : c.tip;
    case Qt::TextAlignmentRole: return int(Qt::AlignVCenter | (is_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    case ToneRole: return c.tone;
    case BoldRole: return c.bold;
    case FixedRole: return c.fixed;
    case PlainRole: return c.plain.isEmpty() ? c.text : c.plain;
    case DefinitionRole: return c.definition;
    default: return {};
  }
}

QVariant EvidenceTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const Column& c = columns_[std::size_t(section)];
  if (role == Qt::DisplayRole) return c.name;
  if (role == Qt::ToolTipRole && !c.tip.isEmpty()) return c.tip;
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignVCenter | (c.number ? Qt::AlignRight : Qt::AlignLeft));
  return {};
}

QString EvidenceTable::text(bool csv) const {
  report::CsvFormat format;
  if (!csv) format = {'\t', '.', "\n"};
  std::vector<std::string> head;
  for (const auto& c : columns_) head.push_back(c.name.toStdString());
  report::Csv out(head, format);
  for (const auto& r : rows_) {
    out.row();
    for (const Cell& c : r) out.text((c.plain.isEmpty() ? c.text : c.plain).toStdString());
  }
  return QString::fromStdString(out.str());
}

QFont EvidenceDelegate::font_of(const QModelIndex& index) const {
  QFont f = index.data(EvidenceTable::FixedRole).toBool() ? theme_.fixed() : theme_.font(TextSize::Chart);
  if (index.data(EvidenceTable::BoldRole).toBool()) f.setWeight(QFont::DemiBold);
  return f;
}

void EvidenceDelegate::paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QByteArray tone = index.data(EvidenceTable::ToneRole).toByteArray();
  const QByteArray row_tone = index.sibling(index.row(), index.model()->columnCount() - 1).data(EvidenceTable::ToneRole).toByteArray();
  p->save();
  if (option.state & QStyle::State_Selected) p->fillRect(option.rect, theme_.color("select"));
  else if (row_tone == "fail") p->fillRect(option.rect, theme_.color("fail_bg"));
  p->setPen(QPen(theme_.color("line"), 1));
  p->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
  p->setFont(font_of(index));
  p->setPen(theme_.color(tone.isEmpty() ? "text" : tone.constData()));
  const QRectF r = QRectF(option.rect).adjusted(8, 0, -8, 0);
  const int align = index.data(Qt::TextAlignmentRole).toInt();
  const QString text = index.data(Qt::DisplayRole).toString();
  if (align & Qt::AlignRight) {
    draw_number(*p, r, Qt::Alignment(align), text);
  } else {
    p->drawText(r, align | Qt::TextSingleLine, p->fontMetrics().elidedText(text, Qt::ElideRight, int(r.width())));
  }
  if (!index.data(EvidenceTable::DefinitionRole).toString().isEmpty()) {
    const double w = std::min(r.width(), number_width(p->font(), text));
    const double x = align & Qt::AlignRight ? r.right() - w : r.left();
    const double y = std::floor(r.center().y() + p->fontMetrics().ascent() / 2.0 + 2) + 0.5;
    p->setPen(QPen(theme_.color("text3"), 1, Qt::DotLine));
    p->drawLine(QPointF(x, y), QPointF(x + w, y));
  }
  p->restore();
}

QSize EvidenceDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  return {int(number_width(font_of(index), index.data(Qt::DisplayRole).toString())) + 18, theme_.px(25)};
}

}  // namespace kvcliff::ui
