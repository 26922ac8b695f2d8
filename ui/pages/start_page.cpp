// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "ui/pages/plan_fields.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"

namespace kvcliff::ui {
namespace {
constexpr int kept = 8;
}

StartPage::StartPage(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("page.start"));
  setAccessibleName(tr("Start"));
  setFocusPolicy(Qt::StrongFocus);
  auto* outer = new QHBoxLayout(this);
  auto* column = new QVBoxLayout;
  column->setSpacing(8);
  outer->addStretch(1);
  outer->addLayout(column, 4);
  outer->addStretch(1);

  column->addStretch(2);
  auto* title = new QLabel(tr("Does a host tier for the KV cache help you?"), this);
  title->setFont(theme.font(TextSize::Start));
  title->setWordWrap(true);
  column->addWidget(title);
  auto* sub = label(tr("Predict the cliff, measure where every prompt token came from, defend the decision."), "secondary", this);
  column->addWidget(sub);
  column->addSpacing(20);

  auto* ways = new QHBoxLayout;
  ways->setSpacing(12);
  first_ = way(QStringLiteral("flask"), tr("Run the demonstration"),
               tr("Emulated servers with and without the tier. No GPU, no network."), "start.demo");
  first_words_ = first_->findChild<QLabel*>(QStringLiteral("words"));
  auto* measure_button = way(QStringLiteral("server"), tr("Measure my server"),
                             tr("Plan fresh vLLM servers with and without the tier, on this machine or over SSH."), "start.measure");
  auto* open_button = way(QStringLiteral("open"), tr("Open a journal"),
                          tr("An earlier run, with every number down to the raw bytes."), "start.open");
  for (QPushButton* b : {first_, measure_button, open_button}) ways->addWidget(b, 1);
  connect(first_, &QPushButton::clicked, this, [this] { emit demonstration(QStringLiteral("demo")); });
  connect(measure_button, &QPushButton::clicked, this, &StartPage::measure);
  connect(open_button, &QPushButton::clicked, this, &StartPage::open_journal);
  column->addLayout(ways);
  auto* others = new QHBoxLayout;
  others->setSpacing(2);
  others->addWidget(label(tr("Other demonstrations:"), "caption", this));
  const auto other = [&](const QString& text, const QString& tip, const char* plan) {
    auto* b = new QPushButton(text, this);
    b->setProperty("flat", true);
    b->setObjectName(QStringLiteral("start.demo.") + QLatin1String(plan));
    b->setToolTip(tip);
    b->setAccessibleName(text);
    connect(b, &QPushButton::clicked, this, [this, name = QString::fromLatin1(plan)] { emit demonstration(name); });
    others->addWidget(b);
  };
  other(tr("where the tier does not help"), tr("A 0.6B model in eager mode, with times as measured on an H200: loading is no faster than computing"), "no-help");
  other(tr("the measured cliff"), tr("A sweep of one to twelve documents, each with and without the tier"), "sweep");
  others->addStretch(1);
  column->addLayout(others);
  column->addSpacing(20);

  auto* head = label(tr("Recent journals"), "secondary", this);
  head->setFont(theme.font(TextSize::CardTitle));
  column->addWidget(head);
  recent_ = new QVBoxLayout;
  recent_->setSpacing(2);
  column->addLayout(recent_);
  column->addSpacing(16);
  column->addWidget(label(tr("Or drop a config.json, a plan, a trace, a journal, a result of another tool or a server log onto the window."), "caption", this));
  column->addStretch(3);
  fill_recent();
}

QPushButton* StartPage::way(const QString& icon, const QString& name, const QString& text, const char* object_name) {
  auto* b = new QPushButton(this);
  b->setObjectName(QLatin1String(object_name));
  b->setAccessibleName(name);
  b->setAccessibleDescription(text);
  b->setStyleSheet(QStringLiteral("QPushButton { min-height: %1px; padding: 0; border-color: palette(mid); }").arg(theme_.px(128)));
  b->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  b->setMinimumWidth(theme_.px(232));  // its sentence has three lines
  auto* column = new QVBoxLayout(b);
  column->setContentsMargins(16, 14, 16, 14);
  auto* glyph = new QLabel(b);
  const auto paint = [this, glyph, icon] { glyph->setPixmap(theme_.pixmap(icon, theme_.color("text"), theme_.px(24), devicePixelRatioF())); };
  paint();
  connect(&theme_, &Theme::changed, glyph, paint);
  auto* title = new QLabel(name, b);
  title->setFont(theme_.font(TextSize::CardTitle));
  auto* words = label(text, "secondary", b);
  words->setObjectName(QStringLiteral("words"));
  words->setWordWrap(true);
  for (QLabel* l : {glyph, title, words}) {
    l->setAttribute(Qt::WA_TransparentForMouseEvents);
    column->addWidget(l);
  }
  column->addStretch(1);
  return b;
}

void StartPage::describe_demonstration(int servers, qint64 requests) {
  const QString words = tr("%1 emulated servers, %2 requests, under two minutes. No GPU, no network.").arg(counted_word(std::size_t(servers)), exact(requests));
  first_words_->setText(words);
  first_->setAccessibleDescription(words);
}

void StartPage::focusInEvent(QFocusEvent*) { first_->setFocus(); }
void StartPage::showEvent(QShowEvent* event) {
  fill_recent();
  QWidget::showEvent(event);
}

QStringList StartPage::recent() { return QSettings().value(QStringLiteral("recent/journals")).toStringList(); }

void StartPage::remember(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList list = recent();
  list.removeAll(absolute);
  list.prepend(absolute);
  QSettings().setValue(QStringLiteral("recent/journals"), QStringList(list.mid(0, kept)));
}

void StartPage::fill_recent() {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const QStringList list = recent();
  if (list.isEmpty()) recent_->addWidget(label(tr("None yet. The demonstration makes the first one."), "caption", this));
  for (const QString& path : list) {
    const QFileInfo info(path);
    auto* b = new QPushButton(button_text(info.exists() ? info.fileName() + QStringLiteral("   ") + info.absolutePath() : tr("%1   (not there any more)").arg(path)), this);
    b->setObjectName(QStringLiteral("start.recent"));
    b->setProperty("flat", true);
    b->setEnabled(info.exists());
    b->setStyleSheet(QStringLiteral("text-align: left"));
    b->setToolTip(shown(path));
    connect(b, &QPushButton::clicked, this, [this, path] { emit open_recent(path); });
    recent_->addWidget(b);
  }
}

}  // namespace kvcliff::ui
