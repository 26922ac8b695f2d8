// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "reconcile/input.h"

namespace kvcliff::reconcile {

/// How many answers to the same prompt (same visit of it, temperature 0) differ.
struct Divergence {
  int compared = 0;
  int different = 0;
  std::int64_t first_index = -1;  ///< smallest position of a first difference: token, or byte of the text; -1: none
  bool by_ids = true;
  std::string where;
};
Divergence divergence_between(const SessionInput& a, const SessionInput& b);
/// Between sessions of one configuration without a tier: what differs anyway.
Divergence equal_arm_floor(const ExperimentInput& e);
/// Clopper-Pearson 95 % bound of a share.
double share_bound(std::int64_t k, std::int64_t n, bool upper);

}  // namespace kvcliff::reconcile
