// SPDX-License-Identifier: GPL-3.0-or-later
// Two pages cut from the input go through meaning, difference, attribution and report: nothing crashes, nothing invents
// a negative or non-finite number.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "attribution/window_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvcliff;
  const std::string all(reinterpret_cast<const char*>(data), size);
  const auto middle = all.find("\n\n");
  const std::string first = all.substr(0, middle);
  const std::string second = middle == std::string::npos ? all : all.substr(middle + 2);
  const auto before = attribution::scrape_from("before", first, {});
  const auto after = attribution::scrape_from("after", second, {});
  attribution::AttributionOptions options;
  options.block_size = 16;
  if (size % 2 == 0) options.prompt_tokens = static_cast<std::int64_t>(size);
  const auto a = attribution::attribute(before.snapshot, after.snapshot, nullptr, options);
  for (const auto* m : {&a.sources.computed, &a.sources.gpu_hit, &a.sources.host_loaded})
    if (m->value && m->value->v < 0) std::abort();
  for (const auto& [name, value] : a.delta.values)
    if (!std::isfinite(value) || value < 0) std::abort();
  if (a.reconciled() && !a.prompt_tokens) std::abort();
  const auto j = attribution::window_report({before, after, before}, options);
  (void)j.dump(-1, ' ', false, Json::error_handler_t::replace);
  return 0;
}
