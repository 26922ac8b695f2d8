// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/models/history_rows.h"
#include "ui/widgets/card.h"

class QPushButton;

namespace kvcliff::ui {

/// The whole verdict of one run of the list: headline, the measured sentence with its interval, the gates. What is not
/// judged yet, or not judged here, says so.
class HistoryVerdict : public Card {
  Q_OBJECT
 public:
  explicit HistoryVerdict(const Theme& theme, QWidget* parent = nullptr);
  /// nullptr: no run.
  void show_run(const HistoryRow* row);

 signals:
  void open_asked();

 private:
  const Theme& theme_;
  QLabel *run_, *title_, *sentence_, *gates_;
  Chip* simulated_;
  QPushButton* open_;
};

}  // namespace kvcliff::ui
