// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QLabel>

class QHBoxLayout;
class QVBoxLayout;

namespace kvcliff::ui {

class Theme;

/// A white card with a title row. `body()` takes the content, `header()` what stands right of the title.
class Card : public QFrame {
  Q_OBJECT
 public:
  explicit Card(const Theme& theme, const QString& title = {}, QWidget* parent = nullptr);
  void set_title(const QString& title);
  QString title() const;
  QVBoxLayout* body() const { return body_; }
  QHBoxLayout* header() const { return header_; }

 private:
  QLabel* title_;
  QHBoxLayout* header_;
  QVBoxLayout* body_;
};

/// A small labelled state: glyph, word, ground ("pass", "fail", "simulated", ...: names of the palette).
class Chip : public QWidget {
  Q_OBJECT
 public:
  Chip(const Theme& theme, const QString& icon, const QString& text, const QByteArray& state, QWidget* parent = nullptr);
  void set(const QString& icon, const QString& text, const QByteArray& state);
  QSize sizeHint() const override;
  QString text() const { return text_; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
  QString icon_, text_;
  QByteArray state_;
};

QLabel* label(const QString& text, const char* role = nullptr, QWidget* parent = nullptr);
/// A one pixel separator.
QFrame* separator(QWidget* parent = nullptr);

}  // namespace kvcliff::ui
