// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QDBusVariant>
#include <QFont>
#include <QHash>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QString>

#include "record/sources.h"

class QAbstractButton;

namespace kvcliff::ui {

/// Which look the user asked for; System follows the desktop.
enum class ThemeMode { System, Light, Dark };

/// Words for sizes of text; pixels at the base size of 13 px, scaled with the user's font.
enum class TextSize { Step, Caption, Chart, Body, CardTitle, Sentence, PageTitle, Verdict, Start };

/// Colours, fonts and icons of the window. Colours live in resources/palette/palette.json and nowhere else.
/// One object, owned by main and handed to every page; `changed` tells them to read again.
class Theme : public QObject {
  Q_OBJECT
 public:
  explicit Theme(QObject* parent = nullptr);

  ThemeMode mode() const { return mode_; }
  void set_mode(ThemeMode mode);
  bool dark() const { return dark_ && !paper_; }

  /// While it lives, colours are those of paper: pictures are exported on white whatever the window looks like.
  class Paper {
   public:
    explicit Paper(const Theme& theme) : theme_(theme), before_(theme.paper_) { theme.paper_ = true; }
    ~Paper() { theme_.paper_ = before_; }
    Paper(const Paper&) = delete;
    Paper& operator=(const Paper&) = delete;

   private:
    const Theme& theme_;
    bool before_;
  };

  /// A colour by its name in the palette ("text2", "pass_bg"). An unknown name is a programming error and shows magenta.
  QColor color(const char* name) const;
  QColor fill(Source s) const;
  QColor edge(Source s) const;
  QColor text(Source s) const;
  QColor on(Source s) const;
  QColor zone(Source s) const;

  QFont font(TextSize size) const;
  /// The system's fixed font at the size of small text: commands, logs, counter names.
  QFont fixed() const;
  /// Pixels of the base-13 grid at the user's font size.
  int px(double at_base) const;

  /// An icon of resources/icons in a palette colour, for screens of 100 to 300 %.
  QIcon icon(const QString& name, const char* color = "text2", int size = 20) const;
  /// Gives a button an icon that follows the theme.
  void set_icon(QAbstractButton* button, const QString& name, const char* color = "text2") const;
  QPixmap pixmap(const QString& name, const QColor& color, int size, qreal dpr) const;
  QByteArray svg(const QString& name, const QColor& color) const;

  /// Tells the desktop's wish from the application palette and the portal, and applies palette, fonts and style sheet.
  void apply();

 signals:
  void changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private slots:
  void portal_changed(const QString& group, const QString& key, const QDBusVariant& value);

 private:
  bool system_is_dark() const;
  QString style_sheet() const;

  ThemeMode mode_ = ThemeMode::System;
  bool dark_ = false;
  bool applying_ = false;
  mutable bool paper_ = false;
  int portal_scheme_ = 0;  ///< org.freedesktop.appearance: 0 none, 1 dark, 2 light
  QFont base_;
  QHash<QString, QColor> light_, dark_colors_;
};

}  // namespace kvcliff::ui
