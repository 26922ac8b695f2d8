// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <map>
#include <vector>

namespace kvcliff::ui {

/// What a page or a panel is for, and which definitions it needs. Texts are of the context kvcliff::ui::HelpView.
struct HelpTopic {
  const char *title, *purpose;
  std::vector<const char*> words;
};

/// By key: a page ("plan") or a panel of it ("plan.preflight"). A panel names its key in its property "help".
const std::map<QString, HelpTopic>& help_topics();

}  // namespace kvcliff::ui
