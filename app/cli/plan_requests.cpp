// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/plan_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "workload/requests.h"

namespace kvcliff::cli {
namespace {

constexpr std::int64_t most_listed = 1'000'000;  // their prompts are made for it
constexpr std::size_t ids_shown = 4;
constexpr std::size_t first_shown = 6, last_shown = 2;

OrderedJson row_of(const workload::Prompt& p) {
  const std::vector<std::int32_t> ids(p.tokens.begin(), p.tokens.begin() + static_cast<std::ptrdiff_t>(std::min(ids_shown, p.tokens.size())));
  return {{"ordinal", p.ordinal},
          {"document", p.document < 0 ? OrderedJson() : OrderedJson(p.document)},
          {"round", p.round < 0 ? OrderedJson() : OrderedJson(p.round)},
          {"prompt_tokens", p.tokens.size()},
          {"output_tokens", p.output_tokens},
          {"first_token_ids", ids},
          {"prompt_hash", p.hash}};
}

OrderedJson list_of(const plan::Plan& seen, const std::string& arm) {
  OrderedJson out{{"arms", OrderedJson::array({arm})}, {"requests", nullptr}};
  if (const auto n = plan::request_count(seen); n && *n > most_listed) {
    out["why"] = fmt::format("{} requests are too many to list", grouped(*n));
    return out;
  }
  const auto prompts = workload::realise(seen.workload, seen.capacity.block_size);
  if (!prompts) {
    out["why"] = prompts.error().sentence();
    return out;
  }
  OrderedJson rows = OrderedJson::array();
  for (const auto& p : *prompts) rows.push_back(row_of(p));
  out["requests"] = std::move(rows);
  return out;
}

}  // namespace

OrderedJson request_lists(const LoadedPlan& loaded) {
  OrderedJson out = OrderedJson::array();
  if (const auto ok = requests_at_hand(loaded, "the journal"); !ok) {
    OrderedJson names = OrderedJson::array();
    for (const auto& arm : loaded.plan.arms) names.push_back(arm.name);
    out.push_back({{"arms", std::move(names)}, {"requests", nullptr}, {"why", ok.error().sentence()}});
    return out;
  }
  std::vector<std::pair<workload::Spec, std::int64_t>> listed;
  for (const auto& arm : loaded.plan.arms) {
    const auto seen = plan::for_arm(loaded.plan, arm.name);
    if (!seen) continue;
    const std::pair key(seen->workload, seen->capacity.block_size);
    const auto there = std::find(listed.begin(), listed.end(), key);
    if (there != listed.end()) {
      out[static_cast<std::size_t>(there - listed.begin())]["arms"].push_back(arm.name);
      continue;
    }
    listed.push_back(key);
    out.push_back(list_of(*seen, arm.name));
  }
  return out;
}

void print_request_lists(const Context& context, const OrderedJson& lists, bool all) {
  auto& o = context.out;
  for (const auto& list : lists) {
    std::string arms;
    for (const auto& a : list.at("arms")) arms += (arms.empty() ? "" : ", ") + a.get<std::string>();
    const auto& rows = list.at("requests");
    if (rows.is_null()) {
      o << fmt::format("\nRequests of arm {}: {}\n", arms, list.at("why").get<std::string>());
      continue;
    }
    o << fmt::format("\nRequests of a session of arm {} (warm-up requests come before them):\n", arms);
    o << fmt::format("  {:>6} {:>9} {:>6} {:>14} {:>14}  {:<26} {}\n", "#", "document", "round", "prompt tokens", "output tokens", "first token ids", "prompt hash");
    const std::size_t n = rows.size();
    const bool cut = !all && n > first_shown + last_shown + 1;
    const auto number = [](const OrderedJson& v) { return v.is_number_integer() ? grouped(v.get<std::int64_t>()) : std::string("-"); };
    for (std::size_t i = 0; i < n; ++i) {
      if (cut && i == first_shown) {
        o << fmt::format("  ... {} more; --requests lists them all\n", grouped(static_cast<std::int64_t>(n - first_shown - last_shown)));
        i = n - last_shown;
      }
      const auto& r = rows[i];
      std::string ids;
      for (const auto& id : r.at("first_token_ids")) ids += (ids.empty() ? "" : " ") + std::to_string(id.get<int>());
      if (r.at("prompt_tokens").get<std::size_t>() > ids_shown) ids += " ...";
      o << fmt::format("  {:>6} {:>9} {:>6} {:>14} {:>14}  {:<26} {}\n", number(r.at("ordinal")), number(r.at("document")), number(r.at("round")),
                       number(r.at("prompt_tokens")), number(r.at("output_tokens")), ids, r.at("prompt_hash").get<std::string>().substr(0, 16));
    }
  }
}

}  // namespace kvcliff::cli
