// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>
#include <optional>

namespace kvcliff::ui {

/// A field for one number. Takes separators of the locale and of people ("6,144", "6 144"), and says beside itself what is
/// wrong with an entry; the last good value stays in force until the next good one.
class NumberField : public QLineEdit {
  Q_OBJECT
 public:
  NumberField(const QString& object_name, const QString& accessible_name, double low, double high, int decimals = 0,
              QWidget* parent = nullptr);

  /// Shows a value without telling anybody; disturbs neither an entry that is being typed nor, while the value behind it
  /// stays the same, one that is to be mended.
  void set_value(double value);
  /// Back to the value in force (Esc, or another document).
  void reset();
  double value() const { return value_; }
  bool faulty() const { return !fault_.isEmpty(); }
  QString fault() const { return fault_; }
  /// A fault that the page knows (from the plan's validation); empty clears it.
  void set_outer_fault(const QString& sentence);
  void set_unit(const QString& unit) { unit_ = unit; }
  QSize minimumSizeHint() const override { return {40, QLineEdit::minimumSizeHint().height()}; }
  QSize sizeHint() const override { return {56, QLineEdit::sizeHint().height()}; }

 signals:
  void edited(double value);               ///< a good value was typed
  void fault_changed(const QString& sentence);

 protected:
  void keyPressEvent(QKeyEvent* event) override;  ///< Up and Down step by one, with Shift by ten; Esc takes an entry back
  void focusOutEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void read(const QString& text);
  QString fault_of(const QString& text, double* value) const;   ///< empty: `value` is what was typed
  void show_fault();
  QString shown() const;

  double low_, high_, value_ = 0;
  int decimals_;
  QString fault_, outer_, unit_;
};

}  // namespace kvcliff::ui
