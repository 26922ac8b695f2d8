// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace kvcliff::ui {

class Theme;

/// Legend of the token sources in its fixed order: computed, host loaded, GPU hit, unknown (while there is any), predicted.
class Legend : public QWidget {
  Q_OBJECT
 public:
  explicit Legend(const Theme& theme, QWidget* parent = nullptr);
  void set_unknown(bool shown);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  QStringList names() const;

  const Theme& theme_;
  bool unknown_ = false;
};

}  // namespace kvcliff::ui
