// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace kvcliff::workload {

/// The workload of a plan as a value (fields of `workload` in kvcliff.plan/1).
struct Spec {
  enum class Kind { documents, trace, sessions };
  enum class Order { cyclic, random, zipf, reverse };

  Kind kind = Kind::documents;
  std::int64_t documents = 6;
  std::int64_t tokens = 2003;               ///< prompt tokens per document
  std::int64_t rounds = 3;
  Order order = Order::cyclic;
  double zipf_exponent = 0.8;               ///< order zipf only
  std::int64_t shared_prefix_tokens = 0;    ///< the same first tokens in every document
  std::int64_t output_tokens = 16;
  std::uint64_t seed = 1;
  // kind sessions (multi-turn): each of `documents` conversations has `rounds` turns; turn k adds `turn_tokens`.
  std::int64_t turn_tokens = 0;
  // kind trace
  std::string trace;                        ///< path
  std::int64_t trace_requests = 0;          ///< first n; 0 = all
  double trace_scale = 1.0;                 ///< scales prompt and output lengths
  bool operator==(const Spec&) const = default;
};

}  // namespace kvcliff::workload
