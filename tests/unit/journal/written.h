// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "journal/writer.h"
#include "sample.h"

namespace kvcliff::journal {

/// A journal with one experiment, one session and so many requests, closed.
inline void make_journal(const std::string& path, int requests = 3) {
  auto w = Writer::open(path);
  ASSERT_TRUE(w) << w.error().sentence();
  const auto e = (*w)->put(test::sample_experiment("aa11"));
  const auto s = (*w)->put(e, test::sample_session(0));
  for (int i = 0; i < requests; ++i) (*w)->put(test::sample_request(s, i));
  ASSERT_TRUE((*w)->flush());
}

}  // namespace kvcliff::journal
