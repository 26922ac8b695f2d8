// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/scenario.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_names.h"

namespace kvcliff::cache {
namespace {

constexpr std::int64_t most_tokens = 20'000'000;      // of one request
constexpr std::int64_t most_all_tokens = 200'000'000; // of one scenario

/// Reads members of one scenario; the first fault is kept.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  const Json* find(const char* field) {
    known_.insert(field);
    const auto it = json_.find(field);
    return it == json_.end() || it->is_null() ? nullptr : &*it;
  }
  const Json* need(const char* field) {
    const Json* v = find(field);
    if (!v) fault(field, "it is missing", "Add it; the form is described by kvcliff-cli predict --help");
    return v;
  }
  void fault(const std::string& field, const std::string& why, const std::string& next) {
    if (!error_) error_ = Error{ErrorCode::bad_usage, "The scenario cannot be read", where_ + ", field \"" + field + "\"", why, next};
  }
  std::int64_t integer(const char* field, const Json* v, std::int64_t low, std::int64_t high, std::int64_t otherwise) {
    if (!v) return otherwise;
    if (!v->is_number_integer() || (v->is_number_unsigned() && v->get<std::uint64_t>() > static_cast<std::uint64_t>(high)) ||
        v->get<std::int64_t>() < low || v->get<std::int64_t>() > high) {
      fault(field, fmt::format("{} is not a whole number from {} to {}", short_text(*v), low, high), "Give a whole number");
      return otherwise;
    }
    return v->get<std::int64_t>();
  }
  bool boolean(const char* field, bool otherwise) {
    const Json* v = find(field);
    if (!v) return otherwise;
    if (!v->is_boolean()) fault(field, short_text(*v) + " is neither true nor false", "Give true or false");
    return v->is_boolean() ? v->get<bool>() : otherwise;
  }
  std::string word(const char* field, const std::string& otherwise) {
    const Json* v = find(field);
    if (!v) return otherwise;
    if (!v->is_string()) fault(field, short_text(*v) + " is not a word", "Give a text in quotes");
    return v->is_string() ? v->get<std::string>() : otherwise;
  }
  /// A word or a list of words, each turned into a value.
  template <class T, class F>
  std::vector<T> words(const char* field, F&& from, T otherwise) {
    const Json* v = find(field);
    std::vector<T> out;
    if (!v) return {otherwise};
    const Json list = v->is_array() ? *v : Json::array({*v});
    for (const Json& w : list) {
      const auto value = from(w.is_string() ? w.get<std::string>() : short_text(w));
      if (!value) {
        fault(field, value.error().why, value.error().next);
        return {otherwise};
      }
      out.push_back(*value);
    }
    if (out.empty()) fault(field, "the list is empty", "Name at least one rule");
    return out.empty() ? std::vector<T>{otherwise} : out;
  }
  static std::string short_text(const Json& v) {
    std::string s = v.dump(-1, ' ', false, Json::error_handler_t::replace);
    return s.size() > 60 ? s.substr(0, 57) + "..." : s;
  }
  const std::optional<Error>& error() const { return error_; }
  std::vector<std::string> unknown() const {
    std::vector<std::string> out;
    for (const auto& [key, value] : json_.items())
      if (!known_.count(key)) out.push_back(key);
    return out;
  }
  void ignore(std::initializer_list<const char*> fields) { known_.insert(fields.begin(), fields.end()); }

 private:
  const Json& json_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
  std::optional<Error> error_;
};

struct Request0 {  // one entry of "requests", before keys
  std::string name;
  std::vector<std::uint64_t> tokens;  // prompt and output
  std::int64_t prompt = 0;
};

std::optional<std::string> read_request(const Json& j, Request0& out) {
  if (!j.is_array() || j.size() != 3 || !j[1].is_array() || !j[2].is_number_integer())
    return "is not [name, [[document, tokens], ...], output_tokens]";
  out.name = j[0].is_string() ? j[0].get<std::string>() : Reader::short_text(j[0]);
  const auto add = [&](const std::string& document, std::int64_t from, std::int64_t count) {
    const std::uint64_t base = hash64(document.data(), document.size(), 11);
    for (std::int64_t i = from; i < from + count; ++i) {
      const std::uint64_t parts[2]{base, static_cast<std::uint64_t>(i)};
      out.tokens.push_back(hash64(parts, sizeof parts));
    }
  };
  std::string last;
  std::int64_t at = 0;
  for (const Json& part : j[1]) {
    if (!part.is_array() || part.size() != 2 || !(part[0].is_string() || part[0].is_number_integer()) || !part[1].is_number_integer())
      return "has a part " + Reader::short_text(part) + " that is not [document, tokens]";
    const double size = part[1].get<double>();
    if (size < 0 || size > static_cast<double>(most_tokens)) return fmt::format("has a part of {} tokens (0 to {} are possible)", part[1].dump(), most_tokens);
    last = part[0].is_string() ? part[0].get<std::string>() : part[0].dump();
    at = part[1].get<std::int64_t>();
    add(last, 0, at);
    if (static_cast<std::int64_t>(out.tokens.size()) > most_tokens) return fmt::format("is longer than {} tokens", most_tokens);
  }
  out.prompt = static_cast<std::int64_t>(out.tokens.size());
  if (out.prompt == 0) return "has an empty prompt";
  const double outputs = j[2].get<double>();
  if (outputs < 1 || outputs > static_cast<double>(most_tokens)) return fmt::format("has {} output tokens (1 to {} are possible)", j[2].dump(), most_tokens);
  add(last, at, j[2].get<std::int64_t>());
  return std::nullopt;
}

std::vector<std::uint64_t> keys_of(const std::vector<std::uint64_t>& tokens, std::int64_t block_size) {
  std::vector<std::uint64_t> keys;
  const auto step = static_cast<std::size_t>(block_size);
  std::uint64_t parent = 0;
  for (std::size_t at = 0; at + step <= tokens.size(); at += step)
    keys.push_back(parent = hash64(&tokens[at], step * sizeof tokens[0], parent ^ 0x7363656eULL));
  return keys;
}

void read_requests(Reader& r, Scenario& s) {
  const Json* list = r.need("requests");
  if (!list) return;
  if (!list->is_array()) return r.fault("requests", "it is not a list", "Give a list of requests and \"RESET\"");
  Input next;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& j = (*list)[i];
    const std::string field = fmt::format("requests[{}]", i);
    if (j.is_string()) {
      if (j != "RESET") return r.fault(field, "the word " + j.dump() + " is not known", "The only word is \"RESET\": it empties the GPU cache");
      next.reset_gpu = true;
      continue;
    }
    Request0 q;
    if (auto why = read_request(j, q)) return r.fault(field, "it " + *why, "Give for example [\"A\", [[\"A\", 65]], 1]");
    all += static_cast<std::int64_t>(q.tokens.size());
    if (all > most_all_tokens) return r.fault(field, fmt::format("the scenario is longer than {} tokens", most_all_tokens), "Use fewer or shorter requests");
    next.request = {q.prompt, static_cast<std::int64_t>(q.tokens.size()) - q.prompt, keys_of(q.tokens, s.config.block_size)};
    q.tokens.resize(static_cast<std::size_t>(q.prompt));
    s.inputs.push_back(std::move(next));
    s.names.push_back(std::move(q.name));
    s.tokens.push_back(std::move(q.tokens));
    next = {};
  }
}

void read_expect(Reader& r, Scenario& s) {
  if (const Json* e = r.find("expect")) {
    if (!e->is_array() || e->size() != s.inputs.size())
      return r.fault("expect", fmt::format("it does not list {} requests", s.inputs.size()), "Give one row per request; \"RESET\" has none");
    for (const Json& row : *e) {
      if (!row.is_array() || row.size() != 4) return r.fault("expect", Reader::short_text(row) + " is not a row of four counts", "Give [computed, gpu_hit, host_loaded, stored]");
      std::array<std::int64_t, 4> values{};
      for (std::size_t k = 0; k < 4; ++k) {
        if (!row[k].is_number()) return r.fault("expect", Reader::short_text(row) + " holds something that is not a count", "Give four counts");
        values[k] = row[k].get<std::int64_t>();
      }
      s.expect.push_back(values);
    }
  }
  if (const Json* d = r.find("order_dependent"); d && d->is_array())
    for (const Json& i : *d)
      if (i.is_number_unsigned()) s.order_dependent.push_back(i.get<std::size_t>());
}

Result<Scenario> read_one(const Json& json, const std::string& where, std::optional<std::int64_t> block_size,
                          std::vector<std::string>& warnings) {
  if (!json.is_object()) return fail(ErrorCode::bad_usage, "The scenario cannot be read", where, "it is not a JSON object", "Give an object with \"N\", \"Ch\" and \"requests\"");
  Scenario s;
  std::string id = where;
  if (const auto it = json.find("id"); it != json.end() && it->is_string()) s.id = it->get<std::string>(), id = where + ", scenario " + s.id;
  Reader r(json, id);
  r.ignore({"id", "rule", "note", "about", "engine", "kv_bytes_per_token", "scenarios"});
  constexpr std::int64_t most = std::int64_t{1} << 40;
  Config& c = s.config;
  const Json* b = r.find("block_size");
  if (!b && !block_size) r.fault("block_size", "it stands neither in the scenario nor in the file's head", "Add it, usually 16");
  c.block_size = r.integer("block_size", b, 1, 1 << 20, block_size.value_or(16));
  c.gpu_blocks = r.integer("N", r.need("N"), 0, most, 0);
  c.host_chunks = r.integer("Ch", r.need("Ch"), 0, most, 0);
  c.blocks_per_chunk = r.integer("blocks_per_chunk", r.find("blocks_per_chunk"), 1, 1 << 20, 1);
  c.max_batched_tokens = r.integer("max_batched_tokens", r.find("max_batched_tokens"), 0, most, 0);
  c.store_threshold = r.integer("store_threshold", r.find("store_threshold"), 0, most, 0);
  c.lmcache_chunk_tokens = r.integer("lmcache_chunk_tokens", r.find("lmcache_chunk_tokens"), 1, 1 << 20, 256);
  c.page_size = r.integer("page_size", r.find("page_size"), 0, 1 << 20, 0);
  c.offload_prompt_only = r.boolean("offload_prompt_only", true);
  c.protect_input_keys = r.boolean("protect_input_keys", true);
  c.eagle = r.boolean("eagle", false);
  c.lazy_store = r.boolean("lazy_store", false);
  c.threshold_counts_offers = r.boolean("threshold_counts_offers", true);
  if (r.find("offers_last_token")) c.offers_last_token = r.boolean("offers_last_token", false);
  const auto choose = [&](const char* field, const std::string& otherwise, auto table, auto& out) {
    const std::string w = r.word(field, otherwise);
    std::string names;
    for (const auto& [name, value] : table) {
      if (name == w) {
        out = value;
        return;
      }
      names += (names.empty() ? "" : ", ") + name;
    }
    r.fault(field, "\"" + w + "\" is not known", "Known are " + names);
  };
  choose("policy", "lru", std::map<std::string, Policy>{{"lru", Policy::lru}, {"arc", Policy::arc}}, c.policy);
  choose("tier", "native", std::map<std::string, Tier>{{"native", Tier::native}, {"simple", Tier::simple}, {"hicache", Tier::hicache}, {"lmcache", Tier::lmcache}}, c.tier);
  choose("in_flight", "defer", std::map<std::string, InFlight>{{"defer", InFlight::defer}, {"miss", InFlight::miss}}, c.in_flight);
  choose("write_policy", "write_through", std::map<std::string, WritePolicy>{{"write_through", WritePolicy::write_through}, {"write_through_selective", WritePolicy::write_through_selective}, {"write_back", WritePolicy::write_back}}, c.write_policy);
  s.free_orders = r.words<FreeOrder>("free_order", free_order_from, FreeOrder::prepend);
  s.host_touches = r.words<HostTouch>("host_touch", host_touch_from, HostTouch::finish);
  c.free_order = s.free_orders.front();
  c.host_touch = s.host_touches.front();
  if (!r.error()) read_requests(r, s);
  if (!r.error()) read_expect(r, s);
  else r.ignore({"requests", "expect", "order_dependent"});
  if (r.error()) return fail(*r.error());
  for (const auto& field : r.unknown()) warnings.push_back(id + ": the member \"" + field + "\" is not known and has no effect");
  return s;
}

template <class T>
Result<T> choice(const std::string& word, std::initializer_list<std::pair<const char*, T>> table, const char* what) {
  std::string names;
  for (const auto& [name, value] : table) {
    if (word == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return fail(ErrorCode::bad_usage, std::string(what) + " is not known", {}, "\"" + word + "\" is not a rule", "Known are " + names);
}

}  // namespace

Result<FreeOrder> free_order_from(const std::string& word) {
  return choice<FreeOrder>(word, {{"prepend", FreeOrder::prepend}, {"append", FreeOrder::append}, {"none", FreeOrder::none}}, "The free order");
}
Result<HostTouch> host_touch_from(const std::string& word) {
  return choice<HostTouch>(word, {{"lookup", HostTouch::lookup}, {"unordered", HostTouch::unordered}, {"finish", HostTouch::finish}}, "The host touch rule");
}
std::string_view to_string(FreeOrder o) {
  return o == FreeOrder::prepend ? "prepend" : o == FreeOrder::append ? "append" : "none";
}
std::string_view to_string(HostTouch t) {
  return t == HostTouch::lookup ? "lookup" : t == HostTouch::unordered ? "unordered" : "finish";
}

Result<ScenarioFile> read_scenarios(const Json& json, const std::string& where) {
  ScenarioFile out;
  std::optional<std::int64_t> block_size;
  if (!json.is_object() || !json.contains("scenarios")) {
    auto one = read_one(json, where, block_size, out.warnings);
    if (!one) return fail(one.error());
    out.single = true;
    out.scenarios.push_back(std::move(*one));
    return out;
  }
  if (json.contains("block_size") && !json["block_size"].is_null()) {
    Reader head(json, where);
    block_size = head.integer("block_size", &json["block_size"], 1, 1 << 20, 16);
    if (head.error()) return fail(*head.error());
  }
  const Json& list = json["scenarios"];
  if (!list.is_array()) return fail(ErrorCode::bad_usage, "The scenario file cannot be read", where + ", field \"scenarios\"", "it is not a list", "Give a list of scenario objects");
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto one = read_one(list[i], list[i].is_object() && list[i].contains("id") ? where : fmt::format("{}, scenarios[{}]", where, i), block_size, out.warnings);
    if (!one) return fail(one.error());
    out.scenarios.push_back(std::move(*one));
  }
  return out;
}

Result<ScenarioFile> read_scenario_file(const std::string& path) {
  const auto text = read_maybe_compressed(path);
  if (!text) return fail(text.error());
  const auto json = parse_json(*text, path);
  if (!json) return fail(json.error());
  if (const auto twice = repeated_names(*text); !twice.empty())
    return fail(ErrorCode::bad_usage, "The scenario file cannot be read", path, fmt::format("\"{}\" stands twice in its object", twice.front()), "Keep one of them");
  return read_scenarios(*json, path);
}

}  // namespace kvcliff::cache
