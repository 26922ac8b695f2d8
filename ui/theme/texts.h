// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
class QCoreApplication;

namespace kvcliff::ui {

/// Loads the window's texts in the user's language, where there is a translation; otherwise English, whose file holds the
/// plural forms ("1 fault", "2 faults"). Owned by the application.
void install_texts(QCoreApplication& app);

}  // namespace kvcliff::ui
