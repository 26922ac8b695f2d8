// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/import_dialog.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include "ui/bridge/model_sizes.h"
#include "ui/theme/numbers.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/field_fault.h"

namespace kvcliff::ui {
namespace {

constexpr int longest_name = 200;

}  // namespace

ImportDialog::ImportDialog(const Theme& theme, ForeignFile file, QWidget* parent) : QDialog(parent), file_(std::move(file)) {
  setObjectName(QStringLiteral("import"));
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Import a result"));
  const auto& r = *file_.result;
  const QString tool = shown(r.tool), model = model_words(shown(r.model));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 16, 18, 14);
  column->setSpacing(8);
  auto* title = new QLabel(r.requests.size() == 1 ? tr("1 request measured by %1").arg(tool) : tr("%1 requests measured by %2").arg(exact(qint64(r.requests.size())), tool));
  title->setObjectName(QStringLiteral("import.title"));
  title->setFont(theme.font(TextSize::Sentence));
  column->addWidget(title);
  auto* about = label(tr("It becomes an experiment of one session in %1. Times and lengths are the tool's own. Token sources and counters are not in it: "
                         "their checks are not possible, and one session is no comparison.")
                          .arg(shown(QFileInfo(file_.journal).fileName())), "secondary");
  about->setWordWrap(true);
  column->addWidget(about);
  QStringList notes;
  for (const auto& n : r.notes) notes << shown(n);
  if (!notes.isEmpty()) {
    auto* said = label(tr("Note: %1.").arg(notes.join(QStringLiteral("; "))), "caption");
    said->setObjectName(QStringLiteral("import.notes"));
    said->setWordWrap(true);
    column->addWidget(said);
  }
  column->addSpacing(4);
  auto* name_title = label(tr("Name"), "secondary");
  column->addWidget(name_title);
  name_ = new QLineEdit(model.isEmpty() ? tool : tr("%1, %2").arg(tool, model));
  name_->setObjectName(QStringLiteral("import.name"));
  name_->setAccessibleName(tr("Name of the experiment"));
  name_->setToolTip(tr("Under this name it stands in History"));
  name_title->setBuddy(name_);
  column->addWidget(name_);
  fault_ = label(QString(), "error");
  fault_->setObjectName(QStringLiteral("import.name.fault"));
  fault_->setWordWrap(true);
  fault_->hide();
  column->addWidget(fault_);
  column->addWidget(label(tr("The server that was measured"), "secondary"));
  off_ = new QRadioButton(tr("had no host tier (arm off)"));
  on_ = new QRadioButton(tr("had a host tier (arm on)"));
  off_->setObjectName(QStringLiteral("import.off"));
  on_->setObjectName(QStringLiteral("import.on"));
  off_->setChecked(true);
  for (QRadioButton* b : {off_, on_}) {
    b->setToolTip(tr("The file does not say it"));
    column->addWidget(b);
  }
  column->addSpacing(6);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  import_ = buttons->addButton(tr("Import"), QDialogButtonBox::AcceptRole);
  import_->setObjectName(QStringLiteral("import.accept"));
  import_->setProperty("primary", true);
  import_->setDefault(true);
  column->addWidget(buttons);
  setMinimumWidth(theme.px(440));
  connect(name_, &QLineEdit::textChanged, this, &ImportDialog::check);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    emit confirmed(file_, name_->text().trimmed(), on_->isChecked());
    accept();
  });
}

void ImportDialog::check() {
  const QString name = name_->text().trimmed();
  const QString fault = name.isEmpty() ? tr("A name is needed.") : name.size() > longest_name ? tr("At most %1 characters.").arg(longest_name) : QString();
  mark_fault(name_, fault);
  fault_->setText(fault);
  fault_->setVisible(!fault.isEmpty());
  import_->setEnabled(fault.isEmpty());
}

}  // namespace kvcliff::ui
