// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/models/table_text.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"

namespace kvcliff::ui {

Page::Page(Services services, const QString& key, const QString& title, QWidget* parent)
    : QWidget(parent), services_(services) {
  setObjectName(QStringLiteral("page.") + key);
  setAccessibleName(title);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(16, 0, 16, 12);
  outer->setSpacing(0);

  auto* head = new QHBoxLayout;
  head->setSpacing(10);
  title_ = new QLabel(title, this);
  title_->setFont(theme().font(TextSize::PageTitle));
  subtitle_ = new ElidedLabel(QString(), "secondary", this);
  subtitle_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  subtitle_->setMinimumWidth(40);
  subtitle_->setObjectName(QStringLiteral("subtitle"));
  chips_ = new QHBoxLayout;
  chips_->setSpacing(8);
  actions_ = new QHBoxLayout;
  actions_->setSpacing(8);
  head->addWidget(title_);
  head->addWidget(subtitle_, 1);
  head->addLayout(chips_);
  head->addLayout(actions_);
  auto* head_box = new QWidget(this);
  head_box->setFixedHeight(theme().px(52));
  head_box->setLayout(head);
  head->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(head_box);

  strips_ = new StripArea(theme(), this);
  strips_->setVisible(false);
  outer->addWidget(strips_);
  outer->addSpacing(2);

  stack_ = new QStackedWidget(this);
  body_ = new QWidget(stack_);
  body_->setObjectName(QStringLiteral("pageBody"));
  empty_ = new QWidget(stack_);
  empty_layout_ = new QVBoxLayout(empty_);
  stack_->addWidget(body_);
  stack_->addWidget(empty_);
  outer->addWidget(stack_, 1);
}

void Page::set_subtitle(const QString& words) {
  const QString text = shown(words);
  subtitle_->setText(text);
  subtitle_->setToolTip(text);
}

QString Page::subtitle() const { return subtitle_->text(); }

void Page::show_empty(const QString& sentence, const QString& action, std::function<void()> run) {
  while (QLayoutItem* item = empty_layout_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  empty_layout_->addStretch(2);
  auto* text = label(shown_lines(sentence.toStdString()), "secondary", empty_);
  text->setObjectName(QStringLiteral("empty.sentence"));
  text->setAlignment(Qt::AlignCenter);
  text->setWordWrap(true);
  empty_layout_->addWidget(text);
  if (!action.isEmpty()) {
    auto* button = new QPushButton(action, empty_);
    button->setObjectName(QStringLiteral("empty.action"));
    connect(button, &QPushButton::clicked, this, std::move(run));
    empty_layout_->addSpacing(12);
    empty_layout_->addWidget(button, 0, Qt::AlignHCenter);
  }
  empty_layout_->addStretch(3);
  stack_->setCurrentWidget(empty_);
}

bool Page::export_table(const QString& suggested, const QString& csv) {
  QString name = suggested.simplified();
  name.replace(QLatin1Char('/'), QLatin1Char('-'));
  const QString path = QFileDialog::getSaveFileName(this, tr("Export the table"), name + QStringLiteral(".csv"), tr("Tables (*.csv)"));
  return !path.isEmpty() && export_table_to(path, csv);
}

bool Page::export_table_to(const QString& path, const QString& csv) {
  const QString why = write_text(path, csv);
  if (why.isEmpty()) {
    strips().resolve(QStringLiteral("export"));
    return true;
  }
  strips().show_message({QStringLiteral("export"), StripMessage::Level::Fail, tr("Not exported"), why, {}, {}});
  return false;
}

void Page::show_body() { stack_->setCurrentWidget(body_); }

}  // namespace kvcliff::ui
