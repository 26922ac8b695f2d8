// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTableView>
#include <QTabWidget>

#include "ui/models/evidence_rows.h"

class QPushButton;
class QPlainTextEdit;

namespace kvcliff::ui {

class EventTimeline;
class Segments;

/// A table as every page shows it: rows of 25 px, no grid, whole-row selection, copy by Ctrl+C of the selected rows.
QTableView* make_table(const Theme& theme, QAbstractItemModel& model, const QString& object_name, const QString& accessible_name, QWidget* parent,
                       int stretch_column);

/// The raw evidence of the selected request, in tabs: checks, scrapes diffed, stream, log, prompt.
class EvidencePanel : public QTabWidget {
  Q_OBJECT
 public:
  EvidencePanel(const Theme& theme, Evidence& evidence, QWidget* parent = nullptr);
  /// The request whose checks are shown at once; the rest follows when the worker has read it.
  void show_request(int request);
  /// Opens the tab that speaks of a check: counters for R1 to R10, the stream for R12, ...
  void open_for(const QString& check_id);
  QString text(bool csv) const;   ///< of the visible tab

 private:
  void update_detail();
  void update_scrapes();
  QTableView* add_tab(EvidenceTable& model, const QString& title, const char* name, int stretch, QWidget* above = nullptr);

  const Theme& theme_;
  Evidence& evidence_;
  int request_ = -1;
  EvidenceTable checks_, scrapes_, events_, log_, prompt_;
  QTableView *check_view_, *scrape_view_, *event_view_, *log_view_, *prompt_view_;
  QPushButton* moved_;
  Segments* form_;
  EventTimeline* timeline_;
  QLabel *scrape_note_, *log_note_;
};

}  // namespace kvcliff::ui
