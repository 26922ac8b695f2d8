// SPDX-License-Identifier: GPL-3.0-or-later
// Preflight and power of the Plan page: may it start, and what would it see.
#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

#include "ui/pages/plan_fields.h"
#include "ui/pages/plan_page.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/widgets/card.h"

namespace kvcliff::ui {
namespace {

QString check_title(const std::string& id) {
  static const std::map<std::string, const char*> titles{{"port", "Port"}, {"launcher", "Launcher"}, {"host_memory", "Host RAM"}, {"locked_memory", "Locked memory"}, {"shm", "/dev/shm"},
                                                         {"shm_leftovers", "/dev/shm leftovers"}, {"gpu_memory", "GPU memory"}, {"disk", "Disk"},
                                                         {"journal_file_system", "Journal"}, {"earlier_processes", "Left-over processes"}};
  const auto at = titles.find(id);
  return at == titles.end() ? shown(id).replace(QLatin1Char('_'), QLatin1Char(' ')) : QCoreApplication::translate("kvcliff::ui::PlanPage", at->second);
}

}  // namespace

QWidget* PlanPage::build_preflight() {
  auto* card = new Card(theme(), tr("Preflight"));
  card->setProperty("help", QStringLiteral("plan.preflight"));
  card->setFixedWidth(theme().px(296));
  preflight_chip_ = new Chip(theme(), QStringLiteral("tilde"), tr("looking"), "notpossible", this);
  preflight_chip_->setObjectName(QStringLiteral("plan.preflight.state"));
  again_ = new QPushButton(tr("Again"));
  again_->setProperty("flat", true);
  again_->setObjectName(QStringLiteral("plan.preflight.again"));
  again_->setAccessibleName(tr("Look at the machine again"));
  again_->setToolTip(tr("Looks at this machine again: port, memory, GPU, disk, processes"));
  connect(again_, &QPushButton::clicked, &loader_, &PlanFactsLoader::check_machine);
  card->header()->addWidget(again_);
  card->header()->addWidget(preflight_chip_);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setObjectName(QStringLiteral("plan.preflight"));
  scroll->setAccessibleName(tr("Preflight checks"));
  auto* inside = new QWidget;
  inside->setObjectName(QStringLiteral("scrollBody"));
  checks_ = new QVBoxLayout(inside);
  checks_->setContentsMargins(0, 0, 4, 0);
  checks_->setSpacing(8);
  scroll->setWidget(inside);
  card->body()->addWidget(scroll, 1);
  return card;
}

void PlanPage::update_preflight() {
  while (QLayoutItem* item = checks_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  int fails = 0, cautions = 0;
  for (const auto& item : loader_.preflight()) {
    using State = host::PreflightItem::State;
    fails += item.state == State::fail ? 1 : 0;
    cautions += item.state == State::warn ? 1 : 0;
    static constexpr std::pair<const char*, const char*> looks[] = {{"check", "pass"}, {"warn", "notsettled"}, {"cross", "fail"}, {"dash", "notpossible"}};
    const auto& [icon, color] = looks[std::size_t(item.state)];
    auto* row = new QWidget;
    row->setObjectName(QStringLiteral("plan.check.") + QString::fromStdString(item.id));
    row->setProperty("state", QString::fromLatin1(to_string(item.state).data(), int(to_string(item.state).size())));
    auto* grid = new QGridLayout(row);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(1, 1);
    auto* glyph = new QLabel;
    glyph->setPixmap(theme().pixmap(QLatin1String(icon), theme().color(color), theme().px(14), devicePixelRatioF()));
    auto* title = new QLabel(check_title(item.id));
    QFont f = theme().font(TextSize::Chart);
    auto* words = label(shown(item.what), "secondary");
    words->setFont(f);
    words->setWordWrap(true);
    f.setWeight(QFont::Medium);
    title->setFont(f);
    grid->addWidget(glyph, 0, 0, Qt::AlignTop);
    grid->addWidget(title, 0, 1);
    grid->addWidget(words, 1, 1);
    QStringList more;
    for (const auto& part : {item.why, item.next})
      if (!part.empty()) more << shown(part.back() == '.' ? part.substr(0, part.size() - 1) : part);
    if (item.state != State::pass && !more.isEmpty()) {
      auto* next = label(more.join(QStringLiteral(". ")) + QLatin1Char('.'), item.state == State::fail ? "error" : "caption");
      next->setFont(theme().font(TextSize::Caption));
      next->setWordWrap(true);
      grid->addWidget(next, 2, 1);
    }
    row->setToolTip(more.join(QStringLiteral(". ")));
    row->setAccessibleName(title->text() + QStringLiteral(": ") + row->property("state").toString() + QStringLiteral(". ") + words->text());
    checks_->addWidget(row);
  }
  checks_->addStretch(1);
  if (loader_.checking()) preflight_chip_->set(QStringLiteral("tilde"), tr("looking"), "notpossible");
  else if (fails > 0) preflight_chip_->set(QStringLiteral("cross"), tr("cannot start"), "fail");
  else if (cautions > 0) preflight_chip_->set(QStringLiteral("warn"), tr("may start"), "notsettled");
  else preflight_chip_->set(QStringLiteral("check"), tr("may start"), "pass");
  again_->setEnabled(!loader_.checking());
  update_start();
}

void PlanPage::build_power(QVBoxLayout* column) {
  column->addWidget(separator());
  auto* box = new QWidget;
  auto* in = new QVBoxLayout(box);
  in->setContentsMargins(14, 10, 14, 10);
  in->setSpacing(4);
  power_title_ = new QLabel;
  power_title_->setFont(theme().font(TextSize::CardTitle));
  power_text_ = label(QString(), "caption");
  power_text_->setObjectName(QStringLiteral("plan.power"));
  power_text_->setFont(theme().font(TextSize::Caption));
  power_text_->setWordWrap(true);
  in->addWidget(power_title_);
  in->addWidget(power_text_);
  power_rows_ = new QGridLayout;
  power_rows_->setHorizontalSpacing(8);
  power_rows_->setVerticalSpacing(1);
  in->addLayout(power_rows_);
  box->setToolTip(tr("Power of the least squares interval by number of pairs, when session means differ by 3 %; the run's own spread replaces it on Decide"));
  column->addWidget(box);
}

void PlanPage::update_power() {
  const PlanFacts& f = *loader_.facts();
  while (QLayoutItem* item = power_rows_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  const int pairs = f.plan.schedule.pairs;
  const auto row = std::find_if(f.power.begin(), f.power.end(), [&](const auto& r) { return r.pairs == pairs; });
  power_title_->setText(pairs < 2 ? tr("No verdict from fewer than two pairs") : pairs == 2 ? tr("Two pairs give a wide interval") : tr("What %1 pairs can see").arg(counted_word(std::size_t(pairs)).toLower()));
  if (row == f.power.end())
    power_text_->setText(pairs < 2 ? tr("Sessions are the unit of replication: an interval needs two in either arm.") : tr("Sessions are the unit of replication."));
  else
    power_text_->setText(tr("Sessions are the unit of replication. If they differ by 3 %, a ratio of 0.8 is called \u201chelps\u201d with %1 power.").arg(share_percent(row->power_80_wider.value_or(row->power_80))));
  const auto put = [&](int r, int c, const QString& text, bool strong, bool head) {
    auto* l = label(text, head ? "caption" : strong ? nullptr : "secondary");
    QFont font = theme().font(head ? TextSize::Caption : TextSize::Chart);
    if (strong) font.setWeight(QFont::DemiBold);
    l->setFont(font);
    l->setAlignment(Qt::AlignRight);
    power_rows_->addWidget(l, r, c);
  };
  const QString heads[] = {tr("pairs"), tr("at 0.8"), tr("at 0.9"), tr("detectable")};
  for (int c = 0; c < 4; ++c) put(0, c, heads[c], false, true);
  int r = 1;
  for (const auto& p : f.power) {
    if (std::abs(p.pairs - std::max(2, pairs)) > 2) continue;
    const bool now = p.pairs == pairs;
    put(r, 0, QString::number(p.pairs), now, false);
    put(r, 1, share_percent(p.power_80_wider.value_or(p.power_80)), now, false);
    put(r, 2, share_percent(p.power_90), now, false);
    put(r, 3, ratio(p.detectable_ratio), now, false);
    ++r;
  }
}

}  // namespace kvcliff::ui
