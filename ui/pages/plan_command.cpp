// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/plan_command.h"

#include <QPainter>
#include <QTextBlock>

#include "ui/theme/theme.h"

namespace kvcliff::ui {

CommandView::CommandView(const Theme& theme, const QString& object_name, const QString& name, QWidget* parent)
    : QPlainTextEdit(parent), theme_(theme) {
  setObjectName(object_name);
  setAccessibleName(name);
  setToolTip(tr("Exactly what is started. Lines with a bar differ between the arms"));
  setReadOnly(true);
  setTabChangesFocus(true);
  setLineWrapMode(QPlainTextEdit::WidgetWidth);
  setWordWrapMode(QTextOption::WrapAnywhere);
  setFrameShape(QFrame::NoFrame);
  setStyleSheet(QStringLiteral("QPlainTextEdit { border: 0; border-radius: 0; background: transparent; padding: 4px 0 0 0; }"
                               "QPlainTextEdit:focus { border: 0; padding: 4px 0 0 0; }"));
  connect(&theme, &Theme::changed, this, &CommandView::restyle);
  restyle();
}

void CommandView::show_lines(const std::vector<ShownLine>& lines, bool continued, bool signs_in_key) {
  QStringList out;
  marked_.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& l = lines[i];
    QString text;
    if (signs_in_key) text = l.key.isEmpty() ? l.text : l.key + QLatin1Char(' ') + l.text;
    else text = (l.differs ? QStringLiteral("+ ") : QStringLiteral("  ")) + (continued && i > 0 ? QStringLiteral("  ") : QString()) + l.text;
    if (continued && i + 1 < lines.size()) text += QStringLiteral(" \\");
    if (l.differs) marked_.push_back(int(i));
    out << text;
  }
  const QString all = out.join(QLatin1Char('\n'));
  if (all != toPlainText()) setPlainText(all);
  restyle();
}

void CommandView::restyle() {
  setFont(theme_.fixed());
  QList<QTextEdit::ExtraSelection> grounds;
  for (const int n : marked_) {
    // A wrapped line needs one full-width ground per row it takes.
    QTextCursor c(document()->findBlockByNumber(n));
    do {
      QTextEdit::ExtraSelection s;
      s.cursor = c;
      s.format.setBackground(theme_.color("select"));
      s.format.setProperty(QTextFormat::FullWidthSelection, true);
      grounds << s;
    } while (c.movePosition(QTextCursor::Down) && c.blockNumber() == n);
  }
  setExtraSelections(grounds);
}

void CommandView::paintEvent(QPaintEvent* event) {
  QPlainTextEdit::paintEvent(event);
  QPainter p(viewport());
  for (const int n : marked_) {
    const QTextBlock b = document()->findBlockByNumber(n);
    const QRectF r = blockBoundingGeometry(b).translated(contentOffset());
    p.fillRect(QRectF(0, r.top(), 3, r.height()), theme_.color("ink"));
  }
  if (hasFocus()) {
    p.setPen(QPen(theme_.color("ink"), 2));
    p.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
  }
}

}  // namespace kvcliff::ui
