// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

class QLineEdit;
class QTextBrowser;

namespace kvcliff::ui {

class Theme;

/// Help: what a page is for and the words it uses, from resources/help/definitions.json; and the keys. Not modal.
class HelpView : public QDialog {
  Q_OBJECT
 public:
  HelpView(const Theme& theme, const QString& resources, QWidget* parent = nullptr);
  /// `page`: a page or a panel, a key of help_topics(); empty = all words.
  void show_page(const QString& page);
  void show_keys();
  QString text() const;

 private:
  struct Word {
    QString name, text, unit;
  };
  void fill(const QString& title, const QString& purpose, const std::vector<Word>& words);
  void filter(const QString& words);
  void show_topic();      ///< the page asked for last


  const Theme& theme_;
  std::vector<Word> words_;
  QString error_, page_;
  QTextBrowser* browser_;
  QLineEdit* search_;
};

}  // namespace kvcliff::ui
