// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/codec.h"

#include <cmath>

namespace kvcliff::journal {
namespace {

// JSON has no NaN or infinity; a counter may be either, and must come back as it was.
Json number(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "+Inf" : "-Inf";
  if (v == std::floor(v) && std::abs(v) < 9.0e15) return static_cast<std::int64_t>(v);
  return v;
}
double number_from(const Json& j) {
  if (j.is_string()) {
    const auto& s = j.get_ref<const std::string&>();
    return s == "NaN" ? std::nan("") : s == "+Inf" ? HUGE_VAL : -HUGE_VAL;
  }
  return j.get<double>();
}

Json numbers(const std::map<std::string, double>& m) {
  Json out = Json::object();
  for (const auto& [k, v] : m) out[k] = number(v);
  return out;
}
std::map<std::string, double> numbers_from(const Json& j) {
  std::map<std::string, double> out;
  for (const auto& [k, v] : j.items()) out[k] = number_from(v);
  return out;
}

template <class T>
std::optional<T> opt(const Json& j, const char* key) {
  const auto it = j.find(key);
  return it == j.end() || it->is_null() ? std::nullopt : std::optional(it->get<T>());
}

template <class T>
std::string pack(const std::vector<T>& v) {
  using U = std::make_unsigned_t<T>;
  std::string out;
  out.reserve(v.size() * sizeof(T));
  for (const T x : v)
    for (std::size_t i = 0; i < sizeof(T); ++i)
      out += static_cast<char>((static_cast<U>(x) >> (8 * i)) & 0xff);
  return out;
}
template <class T>
std::vector<T> unpack(std::string_view bytes) {
  using U = std::make_unsigned_t<T>;
  std::vector<T> out;
  out.reserve(bytes.size() / sizeof(T));
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    U x = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      x |= static_cast<U>(static_cast<U>(static_cast<std::uint8_t>(bytes[at + i])) << (8 * i));
    out.push_back(static_cast<T>(x));
  }
  return out;
}

}  // namespace

std::string text_of(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json usage_json(const Usage& u) {
  return Json{{"prompt_tokens", optional_json(u.prompt_tokens)},
              {"completion_tokens", optional_json(u.completion_tokens)},
              {"total_tokens", optional_json(u.total_tokens)},
              {"cached_tokens", optional_json(u.cached_tokens)},
              {"cached_by_tier", u.cached_by_tier},
              {"details_seen", u.details_seen},
              {"blocks", u.blocks},
              {"conflicting", u.conflicting},
              {"raw", u.raw}};
}

Usage usage_from(const Json& j) {
  Usage u;
  u.prompt_tokens = opt<std::int64_t>(j, "prompt_tokens");
  u.completion_tokens = opt<std::int64_t>(j, "completion_tokens");
  u.total_tokens = opt<std::int64_t>(j, "total_tokens");
  u.cached_tokens = opt<std::int64_t>(j, "cached_tokens");
  u.cached_by_tier = j.value("cached_by_tier", decltype(u.cached_by_tier)());
  u.details_seen = j.value("details_seen", false);
  u.blocks = j.value("blocks", 0);
  u.conflicting = j.value("conflicting", false);
  u.raw = j.value("raw", std::string());
  return u;
}

Json delta_json(const CounterDelta& d) {
  Json labels = Json::object();
  for (const auto& [name, m] : d.by_label) labels[name] = numbers(m);
  return Json{{"values", numbers(d.values)},
              {"by_label", labels},
              {"first_seen", d.first_seen},
              {"decreased", d.decreased},
              {"same_process", d.same_process}};
}

CounterDelta delta_from(const Json& j) {
  CounterDelta d;
  if (j.is_null() || j.empty()) return d;
  d.values = numbers_from(j.at("values"));
  for (const auto& [name, m] : j.at("by_label").items()) d.by_label[name] = numbers_from(m);
  d.first_seen = j.at("first_seen").get<std::set<std::string>>();
  d.decreased = j.at("decreased").get<std::vector<std::string>>();
  d.same_process = j.at("same_process").get<bool>();
  return d;
}

Json snapshot_json(const CounterSnapshot& s) {
  Json readings = Json::object();
  for (const auto& [name, r] : s.readings) {
    Json one{{"value", number(r.value)}, {"series", r.series}};
    if (!r.by_label.empty()) one["by_label"] = numbers(r.by_label);
    if (!r.by_engine.empty()) one["by_engine"] = numbers(r.by_engine);
    readings[name] = std::move(one);
  }
  return Json{{"readings", readings}, {"declared", s.declared},         {"info", s.info},
              {"other_models", s.other_models}, {"parse_errors", s.parse_errors}, {"warnings", s.warnings}};
}

CounterSnapshot snapshot_from(const Json& j) {
  CounterSnapshot s;
  for (const auto& [name, one] : j.at("readings").items()) {
    CounterReading r;
    r.value = number_from(one.at("value"));
    r.series = one.at("series").get<std::string>();
    if (const auto it = one.find("by_label"); it != one.end()) r.by_label = numbers_from(*it);
    if (const auto it = one.find("by_engine"); it != one.end()) r.by_engine = numbers_from(*it);
    s.readings.emplace(name, std::move(r));
  }
  j.at("declared").get_to(s.declared);
  j.at("info").get_to(s.info);
  j.at("other_models").get_to(s.other_models);
  j.at("parse_errors").get_to(s.parse_errors);
  j.at("warnings").get_to(s.warnings);
  return s;
}

Json times_json(const StreamTimes& t) {
  return Json{t.queued,      t.connected,   t.t0,            t.request_written, t.header, t.first_byte,
              t.first_event, t.first_token, t.first_content, t.last_token,      t.end};
}

StreamTimes times_from(const Json& j) {
  StreamTimes t;
  MonoNs* const fields[] = {&t.queued,      &t.connected,   &t.t0,            &t.request_written, &t.header, &t.first_byte,
                            &t.first_event, &t.first_token, &t.first_content, &t.last_token,      &t.end};
  for (std::size_t i = 0; i < std::size(fields); ++i) *fields[i] = j.at(i).get<MonoNs>();
  return t;
}

std::string pack_u64(const std::vector<std::uint64_t>& v) { return pack(v); }
std::vector<std::uint64_t> unpack_u64(std::string_view bytes) { return unpack<std::uint64_t>(bytes); }
std::string pack_i32(const std::vector<std::int32_t>& v) { return pack(v); }
std::vector<std::int32_t> unpack_i32(std::string_view bytes) { return unpack<std::int32_t>(bytes); }

}  // namespace kvcliff::journal
