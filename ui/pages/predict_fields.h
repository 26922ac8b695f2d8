// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QHBoxLayout;
class QLabel;
class QLayout;
class QVBoxLayout;
class QWidget;

namespace kvcliff::ui {

class Theme;

// What the input column and the cells of Predict are built from.

/// Label and field in one row.
QHBoxLayout* input_row(const Theme& theme, const QString& name, QWidget* field);
QLabel* group_title(const Theme& theme, const QString& text);
/// Name and value in one line, the value right.
QHBoxLayout* value_row(const Theme& theme, const QString& name, const QString& value, const QString& unit, const QString& tip = {});
/// Gives the units of such rows one width, so that the numbers end in one line.
void align_units(QVBoxLayout* rows);
/// Deletes what is in it.
void clear_layout(QLayout* layout);

}  // namespace kvcliff::ui
