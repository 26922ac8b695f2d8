// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <functional>
#include <vector>

class QVBoxLayout;

namespace kvcliff::ui {

class Theme;

/// One message under a page's header: not modal, stays until it is resolved or closed.
struct StripMessage {
  enum class Level { Withdrawn, Fail, Caution, Info };
  QString id;                   ///< a later message with the same id replaces it
  Level level = Level::Info;
  QString word;                 ///< "Withdrawn", "Failed", ...
  QString sentence;             ///< what, where, why, what next
  QString action;               ///< text of the one action; empty = none
  std::function<void()> run;
};

/// The strips of a page, most serious first.
class StripArea : public QWidget {
  Q_OBJECT
 public:
  explicit StripArea(const Theme& theme, QWidget* parent = nullptr);
  void show_message(StripMessage message);
  void resolve(const QString& id);
  int count() const { return static_cast<int>(messages_.size()); }
  QString sentence(const QString& id) const;

 private:
  void rebuild();

  const Theme& theme_;
  QVBoxLayout* layout_;
  std::vector<StripMessage> messages_;
};

}  // namespace kvcliff::ui
