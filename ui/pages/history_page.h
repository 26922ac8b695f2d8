// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTemporaryDir>

#include "ui/models/history_rows.h"
#include "ui/pages/page.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;
class QVBoxLayout;

namespace kvcliff::ui {

class Card;
class Chip;
class HistoryDiff;
class HistoryEffect;
class HistoryFilter;
class HistoryModel;
class HistoryTable;
class HistoryVerdict;
class Segments;

/// The lab notebook: all experiments of the opened journals, to search, tag, compare, open, import, export and delete.
class HistoryPage : public Page {
  Q_OBJECT
 public:
  explicit HistoryPage(Services services, QWidget* parent = nullptr);

  bool export_view() override;
  QString copy_text(bool csv) override;
  bool focus_filter() override;

  HistoryModel& model() { return *model_; }
  HistoryFilter& filter() { return *filter_; }
  HistoryDiff& difference() { return *diff_; }

 public slots:
  /// Adds the journal to the list (again: reads it again). What stands in the way is said in a strip.
  void open_journal(const QString& path, bool allow_newer = false);
  /// A journal or bundle, or a result of another tool (then a dialog asks what the file does not say).
  void import_file(const QString& path);
  /// Writes each experiment as one journal file; `folder` for several.
  void export_to(const std::vector<int>& rows, const QString& path);
  void delete_rows(const std::vector<int>& rows);

 private:
  void build_header();
  QWidget* build_table();
  QWidget* build_comparison();
  void update_state();
  void update_comparison();
  void update_verdict();
  int verdict_row() const;            ///< the run whose verdict is written out; -1 = none
  void show_opened(const HistoryOpened& state);
  void task_done(const QString& task, const QString& journal, const QString& error, const QString& note);
  void open_row(const QModelIndex& index);
  void ask_import();
  void ask_result(const ForeignFile& file);
  void ask_export();
  void ask_open();
  std::vector<int> chosen() const;    ///< checked rows, else selected ones

  HistoryLoader loader_;
  HistoryModel* model_;
  HistoryFilter* filter_;
  HistoryDiff* diff_;
  QTemporaryDir trash_;
  int deletions_ = 0;
  std::map<QString, bool> journals_;     ///< path -> rows of the present reading have begun
  std::map<std::pair<QString, std::int64_t>, std::vector<std::string>> tags_given_;   ///< not yet in the file
  int tags_waiting_ = 0;
  QString show_newest_of_;               ///< opened by the user just now: its newest run is shown on the other pages
  std::pair<QString, QString> last_trash_;   ///< file, journal
  QLineEdit* search_ = nullptr;
  Segments* kinds_ = nullptr;
  HistoryTable* table_ = nullptr;
  QStackedWidget* table_stack_ = nullptr;
  QLabel *nothing_ = nullptr, *differing_ = nullptr;
  QWidget* comparison_ = nullptr;
  HistoryEffect* effect_ = nullptr;
  HistoryVerdict* verdict_ = nullptr;
  QTableView* diff_table_ = nullptr;
  Chip* other_chip_ = nullptr;
  QPushButton *compare_ = nullptr, *export_ = nullptr, *delete_ = nullptr, *cancel_ = nullptr;
};

}  // namespace kvcliff::ui
