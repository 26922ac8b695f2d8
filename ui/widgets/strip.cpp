// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {
namespace {

struct Look {
  const char* state;
  const char* icon;
};

Look look_of(StripMessage::Level level) {
  switch (level) {
    case StripMessage::Level::Withdrawn: return {"withdrawn", "warn"};
    case StripMessage::Level::Fail: return {"fail", "cross"};
    case StripMessage::Level::Caution: return {"notsettled", "warn"};
    case StripMessage::Level::Info: return {"notpossible", "info"};
  }
  return {"notpossible", "info"};
}

}  // namespace

StripArea::StripArea(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  layout_ = new QVBoxLayout(this);
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(6);
  connect(&theme, &Theme::changed, this, &StripArea::rebuild);
}

void StripArea::show_message(StripMessage message) {
  message.word = shown(message.word);
  message.sentence = shown_lines(message.sentence.toStdString());
  std::erase_if(messages_, [&](const auto& m) { return m.id == message.id; });
  messages_.push_back(std::move(message));
  std::stable_sort(messages_.begin(), messages_.end(), [](const auto& a, const auto& b) { return a.level < b.level; });
  rebuild();
}

void StripArea::resolve(const QString& id) {
  if (std::erase_if(messages_, [&](const auto& m) { return m.id == id; }) > 0) rebuild();
}

QString StripArea::sentence(const QString& id) const {
  for (const auto& m : messages_)
    if (m.id == id) return m.sentence;
  return {};
}

void StripArea::rebuild() {
  while (QLayoutItem* item = layout_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  for (const auto& m : messages_) {
    const Look look = look_of(m.level);
    auto* strip = new QFrame(this);
    strip->setObjectName(QStringLiteral("strip.") + m.id);
    strip->setAccessibleName(m.word + QStringLiteral(": ") + m.sentence);
    strip->setStyleSheet(QStringLiteral("QFrame { background: %1; border: 0; border-radius: 5px; } QLabel { color: %2; }")
                             .arg(theme_.color((std::string(look.state) + "_bg").c_str()).name(),
                                  theme_.color("text").name()));
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(12, 5, 6, 5);
    auto* glyph = new QLabel(strip);
    glyph->setPixmap(theme_.pixmap(QLatin1String(look.icon), theme_.color(look.state), 16, devicePixelRatioF()));
    row->addWidget(glyph);
    auto* word = new QLabel(m.word, strip);
    word->setFont(theme_.font(TextSize::CardTitle));
    word->setStyleSheet(QStringLiteral("color: %1").arg(theme_.color(look.state).name()));
    row->addWidget(word);
    auto* sentence = new QLabel(m.sentence, strip);
    sentence->setWordWrap(true);
    sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(sentence, 1);
    if (!m.action.isEmpty()) {
      auto* action = new QPushButton(m.action, strip);
      action->setObjectName(strip->objectName() + QStringLiteral(".action"));
      connect(action, &QPushButton::clicked, this, m.run);
      row->addWidget(action);
    }
    auto* close = new QPushButton(strip);
    close->setProperty("flat", true);
    close->setIcon(theme_.icon(QStringLiteral("cross")));
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(tr("Close message"));
    close->setObjectName(strip->objectName() + QStringLiteral(".close"));
    connect(close, &QPushButton::clicked, this, [this, id = m.id] { resolve(id); });
    row->addWidget(close);
    layout_->addWidget(strip);
  }
  setVisible(!messages_.empty());
}

}  // namespace kvcliff::ui
