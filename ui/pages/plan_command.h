// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPlainTextEdit>
#include <vector>

#include "ui/models/plan_facts.h"

namespace kvcliff::ui {

class Theme;

/// Literal lines in the fixed font, to read and to copy. Lines that differ between the arms have the select ground, an ink
/// bar at the left and a "+".
class CommandView : public QPlainTextEdit {
  Q_OBJECT
 public:
  CommandView(const Theme& theme, const QString& object_name, const QString& name, QWidget* parent = nullptr);
  /// `sign`: '+' for a session's own lines; a difference view gives each line its sign in `key`.
  void show_lines(const std::vector<ShownLine>& lines, bool continued, bool signs_in_key = false);
  int marked() const { return static_cast<int>(marked_.size()); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void restyle();

  const Theme& theme_;
  std::vector<int> marked_;   ///< block numbers
};

}  // namespace kvcliff::ui
