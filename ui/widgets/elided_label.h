// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace kvcliff::ui {

/// One line of words that ends in "…" where there is no room for all of it; its tip is then the whole. `text()` stays whole.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(const QString& text = {}, const char* role = nullptr, QWidget* parent = nullptr);
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  bool is_cut() const;
};

}  // namespace kvcliff::ui
