// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <iosfwd>
#include <string>

#include "base/clock.h"
#include "cli/context.h"
#include "experiment/observer.h"

namespace kvcliff::cli {

/// A run on stderr: a bar with time left on a terminal, plain lines otherwise, nothing with --quiet.
class ProgressBar final : public experiment::Observer {
 public:
  explicit ProgressBar(const Context& context) : context_(context) {}
  void session_changed(const SessionRecord& s) override;
  void progress(const experiment::Progress& p) override;
  void noticed(const journal::Notice& n) override;
  void ended(const experiment::RunResult& r) override;

 private:
  void line(const std::string& text);  ///< a line of its own, above the bar
  const Context& context_;
  MonoNs drawn_ = 0;
  std::size_t width_ = 0;
};

}  // namespace kvcliff::cli
