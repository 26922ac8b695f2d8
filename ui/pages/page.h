// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "ui/theme/theme.h"
#include "ui/widgets/strip.h"

class QHBoxLayout;
class QLabel;
class QStackedWidget;
class QVBoxLayout;

namespace kvcliff::ui {

class Document;
class Evidence;
class RunController;
class Theme;

/// What every page is given. The owners (main window) outlive the pages.
struct Services {
  Theme& theme;
  Document& document;
  RunController& run;
  QString resources = {};   ///< folder resources/: plans, models, help
  Evidence* evidence = nullptr;   ///< of the document's experiment; never null in the window
};

/// Header (title, one plain subtitle, chips, actions), strips, and either the body or the empty state.
class Page : public QWidget {
  Q_OBJECT
 public:
  Page(Services services, const QString& key, const QString& title, QWidget* parent = nullptr);

  StripArea& strips() { return *strips_; }
  void set_subtitle(const QString& text);
  QString subtitle() const;
  /// Replaces the body by one sentence and one action until `show_body`.
  void show_empty(const QString& sentence, const QString& action, std::function<void()> run);
  void show_body();
  /// Export of this page's main chart or table into a file the user chooses; pages without one return false.
  virtual bool export_view() { return false; }
  /// Asks for a file and writes a table (CSV) into it; what stands in the way is said in a strip.
  bool export_table(const QString& suggested, const QString& csv);
  bool export_table_to(const QString& path, const QString& csv);
  /// Text of the focused table or chart for the clipboard; `csv` asks for commas.
  virtual QString copy_text(bool csv) {
    (void)csv;
    return {};
  }
  /// Puts the focus into the page's filter, where it has one.
  virtual bool focus_filter() { return false; }

 signals:
  /// Present result under the page's name in the rail; `color` is a palette name.
  void result_changed(const QString& text, const QByteArray& color);
  void go_to(int page);
  void status(const QString& text);

 protected:
  const Theme& theme() const { return services_.theme; }
  Document& document() { return services_.document; }
  RunController& run() { return services_.run; }
  QHBoxLayout* chips() { return chips_; }      ///< right of the subtitle
  QHBoxLayout* actions() { return actions_; }  ///< right end of the header
  QWidget* body() { return body_; }            ///< give it a layout

  Services services_;

 private:
  QLabel* title_;
  QLabel* subtitle_;
  QHBoxLayout* chips_;
  QHBoxLayout* actions_;
  StripArea* strips_;
  QStackedWidget* stack_;
  QWidget* body_;
  QWidget* empty_;
  QVBoxLayout* empty_layout_;
};

}  // namespace kvcliff::ui
