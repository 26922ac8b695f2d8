// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/help_view.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <map>

#include "ui/theme/theme.h"
#include "ui/widgets/help_topics.h"

namespace kvcliff::ui {
namespace {

QString row(const QString& name, const QString& text, const QString& unit) {
  return QStringLiteral("<p><b>%1</b>%2<br>%3</p>").arg(name.toHtmlEscaped(), unit.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(unit.toHtmlEscaped()), text.toHtmlEscaped());
}

}  // namespace

HelpView::HelpView(const Theme& theme, const QString& resources, QWidget* parent) : QDialog(parent), theme_(theme) {
  setObjectName(QStringLiteral("help"));
  setWindowTitle(tr("Help"));
  resize(560, 640);
  auto* column = new QVBoxLayout(this);
  search_ = new QLineEdit(this);
  search_->setObjectName(QStringLiteral("help.search"));
  search_->setPlaceholderText(tr("Search all definitions"));
  search_->setAccessibleName(tr("Search all definitions"));
  search_->setClearButtonEnabled(true);
  browser_ = new QTextBrowser(this);
  browser_->setObjectName(QStringLiteral("help.text"));
  browser_->setAccessibleName(tr("Help text"));
  column->addWidget(search_);
  column->addWidget(browser_, 1);
  connect(search_, &QLineEdit::textChanged, this, &HelpView::filter);
  QFile file(resources + QStringLiteral("/help/definitions.json"));
  if (!file.open(QIODevice::ReadOnly)) {
    error_ = tr("The definitions cannot be read: %1 (%2). Reinstall the program's resources.").arg(file.fileName(), file.errorString());
    return;
  }
  const QJsonObject all = QJsonDocument::fromJson(file.readAll()).object();
  for (auto it = all.begin(); it != all.end(); ++it) {
    const QJsonObject entry = it.value().toObject();
    words_.push_back({it.key(), entry.value(QStringLiteral("text")).toString(), entry.value(QStringLiteral("unit")).toString()});
  }
}

void HelpView::fill(const QString& title, const QString& purpose, const std::vector<Word>& words) {
  QString html = QStringLiteral("<h2>%1</h2><p>%2</p>").arg(title.toHtmlEscaped(), purpose.toHtmlEscaped());
  if (!error_.isEmpty()) html += QStringLiteral("<p>%1</p>").arg(error_.toHtmlEscaped());
  for (const Word& w : words) html += row(w.name, w.text, w.unit);
  browser_->setHtml(html);
}

void HelpView::show_page(const QString& page) {
  page_ = page;
  search_->clear();
  show_topic();
  show();
  raise();
}

void HelpView::show_topic() {
  const QString& page = page_;
  const auto it = help_topics().find(page);
  if (it == help_topics().end()) {
    fill(tr("Definitions"), tr("Every word this program uses, with its unit."), words_);
  } else {
    std::vector<Word> chosen;
    for (const char* name : it->second.words)
      for (const Word& w : words_)
        if (w.name == QLatin1String(name)) chosen.push_back(w);
    fill(tr(it->second.title), tr(it->second.purpose), chosen);
  }
}

void HelpView::filter(const QString& words) {
  if (words.trimmed().isEmpty()) return show_topic();
  std::vector<Word> found;
  for (const Word& w : words_)
    if (w.name.contains(words, Qt::CaseInsensitive) || w.text.contains(words, Qt::CaseInsensitive)) found.push_back(w);
  fill(tr("Definitions"), found.empty() ? tr("Nothing matches %1.").arg(words) : QString(), found);
}

void HelpView::show_keys() {
  static const std::pair<const char*, const char*> keys[] = {
      {"Ctrl+1 ... Ctrl+6", QT_TR_NOOP("Predict, Plan, Run, Reconcile, Decide, History")},
      {"Ctrl+D, Ctrl+M, Ctrl+O", QT_TR_NOOP("demonstration, measure my server, open")},
      {"Ctrl+R, Ctrl+P, Ctrl+.", QT_TR_NOOP("start (on Plan), pause after this request, stop")},
      {"Ctrl+S, Ctrl+E, Ctrl+Shift+E", QT_TR_NOOP("save plan, export this view, export report")},
      {"Ctrl+C, Ctrl+Shift+C", QT_TR_NOOP("copy as text, copy as CSV")},
      {"Ctrl+F, Ctrl+L, F6, F1", QT_TR_NOOP("filter, server log, next pane, help")},
      {"arrows, Enter, N, Shift+N", QT_TR_NOOP("move in chart or matrix, open evidence, next and previous failure")},
      {"+, -, Esc, Home, F", QT_TR_NOOP("zoom, step back, reset, follow the newest request")}};
  QString html = QStringLiteral("<h2>%1</h2><table cellpadding='4'>").arg(tr("Keys"));
  for (const auto& [key, what] : keys) html += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>").arg(QLatin1String(key).toString().toHtmlEscaped(), tr(what).toHtmlEscaped());
  browser_->setHtml(html + QStringLiteral("</table>"));
  show();
  raise();
}

QString HelpView::text() const { return browser_->toPlainText(); }

}  // namespace kvcliff::ui
