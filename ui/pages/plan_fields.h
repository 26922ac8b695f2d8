// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <cstddef>
#include <string>
#include <vector>

class QComboBox;
class QLineEdit;
class QVBoxLayout;
class QWidget;

namespace kvcliff::ui {

class Theme;

// What the parts of the Plan page build their fields from.

/// A titled group at the end of `column`; a line parts it from what stands above.
QVBoxLayout* group(const Theme& theme, QVBoxLayout* column, const QString& title);
/// Label and field in one row; `after` stands right of a field of fixed width.
QWidget* field_row(const Theme& theme, QVBoxLayout* column, const QString& name, QWidget* field, QWidget* after = nullptr);
QLineEdit* text_field(const QString& name, const QString& accessible, const QString& tip, const QString& hint);
QComboBox* choice(const QString& name, const QString& accessible, const QString& tip, const QStringList& items);
/// One argument a line; empty lines are none.
std::vector<std::string> arguments_of(const QString& text);
/// "Five"; from eleven on digits.
QString counted_word(std::size_t n);

}  // namespace kvcliff::ui
