// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractButton>
#include <QWidget>
#include <vector>

namespace kvcliff::ui {

class Theme;

/// One page in the rail: icon, name, and its present result ("fits host", "46 of 78").
class RailItem : public QAbstractButton {
  Q_OBJECT
 public:
  RailItem(const Theme& theme, const QString& icon, const QString& name, QWidget* parent);
  void set_result(const QString& text, const QByteArray& color = "text3");
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
  QString icon_, name_, result_;
  QByteArray color_ = "text3";
};

/// The argument in three steps: 1 Predict, 2 Measure (Plan, Run), 3 Defend (Reconcile, Decide), and History.
class Rail : public QWidget {
  Q_OBJECT
 public:
  explicit Rail(const Theme& theme, QWidget* parent = nullptr);
  static constexpr int pages = 6;
  RailItem* item(int page) const { return items_[static_cast<std::size_t>(page)]; }
  void set_current(int page);

 signals:
  void chosen(int page);

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
  std::vector<RailItem*> items_;
};

}  // namespace kvcliff::ui
