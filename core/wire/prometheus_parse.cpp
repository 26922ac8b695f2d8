// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of metrics pages: one pass over the text, character by character inside braces, no locale.
#include <algorithm>
#include <charconv>

#include "wire/prometheus.h"

namespace kvcliff::wire {
namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }
bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
bool name_part(char c) { return name_start(c) || (c >= '0' && c <= '9'); }

/// A number as Go and Python print it: decimal or exponent form, NaN, Inf with and without sign. Out of range is no value.
std::optional<double> number(std::string_view s) {
  if (s.starts_with('+')) {
    s.remove_prefix(1);
    if (s.starts_with('-')) return std::nullopt;
  }
  if (s.empty() || s.find('(') != std::string_view::npos) return std::nullopt;  // from_chars would take "nan(text)"
  double v = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return v;
}

}  // namespace

class PageParser {
 public:
  explicit PageParser(std::shared_ptr<const std::string> text) {
    page_.text_ = std::move(text);
    page_.unescaped_ = std::make_shared<std::deque<std::string>>();
  }

  MetricsPage run(bool whole) {
    std::string_view rest = *page_.text_;
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
    page_.samples_.reserve(rest.size() / 80);
    while (!rest.empty()) {
      ++line_number_;
      const auto end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      if (end == std::string_view::npos) {
        if (!whole && !is_eof(line)) {
          page_.cut_ = !page_.saw_eof_;
          page_.cut_line_ = line;
          break;
        }
        rest = {};
      } else {
        rest.remove_prefix(end + 1);
      }
      if (line.ends_with('\r')) line.remove_suffix(1);
      read_line(line);
    }
    drop_repeated();
    for (std::uint32_t i = 0; i < page_.samples_.size(); ++i) page_.by_name_[page_.samples_[i].name].push_back(i);
    return std::move(page_);
  }

 private:
  static bool is_eof(std::string_view line) {
    while (!line.empty() && (blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
    return line == "# EOF";
  }

  void fault(std::string why) { page_.faults_.push_back({line_number_, std::move(why)}); }

  void read_line(std::string_view line) {
    at_ = line;
    skip_blanks();
    if (at_.empty()) return;
    if (page_.saw_eof_) return fault("text after # EOF");
    if (at_.front() == '#') {
      if (is_eof(line))
        page_.saw_eof_ = true;
      else
        read_comment();
      return;
    }
    Sample sample;
    sample.line = line_number_;
    if (const char* why = read_sample(sample))
      fault(why);
    else
      page_.samples_.push_back(std::move(sample));
  }

  void skip_blanks() {
    while (!at_.empty() && blank(at_.front())) at_.remove_prefix(1);
  }
  std::string_view word() {
    std::size_t n = 0;
    while (n < at_.size() && !blank(at_[n])) ++n;
    const std::string_view w = at_.substr(0, n);
    at_.remove_prefix(n);
    return w;
  }
  std::string_view name() {
    std::size_t n = 0;
    if (!at_.empty() && name_start(at_.front()))
      while (n < at_.size() && name_part(at_[n])) ++n;
    const std::string_view w = at_.substr(0, n);
    at_.remove_prefix(n);
    return w;
  }

  std::string_view keep(std::string text) { return page_.unescaped_->emplace_back(std::move(text)); }

  /// Undoes \\, \n and, where `quotes`, \" ; any other backslash stands for itself.
  std::string_view unescape(std::string_view s, bool quotes) {
    if (s.find('\\') == std::string_view::npos) return s;
    std::string out;
    out.reserve(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
      const char next = i + 1 < s.size() ? s[i + 1] : '\0';
      if (s[i] == '\\' && (next == '\\' || next == 'n' || (quotes && next == '"'))) {
        out += next == 'n' ? '\n' : next;
        ++i;
      } else {
        out += s[i];
      }
    }
    return keep(std::move(out));
  }

  /// A quoted text at the front, escapes undone; nullopt when the closing quote is missing.
  std::optional<std::string_view> quoted() {
    std::size_t i = 1;
    while (i < at_.size() && at_[i] != '"') i += at_[i] == '\\' ? 2 : 1;
    if (i >= at_.size()) return std::nullopt;
    const std::string_view inner = at_.substr(1, i - 1);
    at_.remove_prefix(i + 1);
    return unescape(inner, true);
  }

  void read_comment() {
    at_.remove_prefix(1);
    skip_blanks();
    const std::string_view what = word();
    if (what != "TYPE" && what != "HELP" && what != "UNIT") return;
    skip_blanks();
    std::string_view of;
    if (at_.starts_with('"')) {
      of = quoted().value_or(std::string_view());
    } else {
      of = word();
    }
    if (of.empty()) return fault("a # " + std::string(what) + " line without a name");
    skip_blanks();
    std::string_view value = at_;
    if (what != "HELP")
      while (!value.empty() && blank(value.back())) value.remove_suffix(1);
    if (what == "TYPE" && (value.empty() || std::any_of(value.begin(), value.end(), blank)))
      return fault("a # TYPE line needs one word after the name");
    Family& family = page_.families_[of];
    family.name = of;
    if (what == "TYPE") family.type = value;
    if (what == "HELP") family.help = unescape(value, true);
    if (what == "UNIT") family.unit = value;
  }

  /// nullptr when good, else why not.
  const char* read_sample(Sample& s) {
    s.name = name();
    skip_blanks();
    if (!at_.empty() && at_.front() == '{')
      if (const char* why = read_labels(s)) return why;
    if (s.name.empty()) return "the line does not begin with a metric name";
    skip_blanks();
    s.value_text = word();
    if (s.value_text.empty()) return "the sample has no value";
    const auto value = number(s.value_text);
    if (!value) return "the value is not a number";
    s.value = *value;
    skip_blanks();
    if (!at_.empty() && at_.front() != '#') {
      s.timestamp = number(word());
      if (!s.timestamp) return "the time stamp is not a number";
      skip_blanks();
    }
    if (at_.empty()) return nullptr;
    if (at_.front() != '#') return "there is text after the value and the time stamp";
    at_.remove_prefix(1);
    skip_blanks();
    if (at_.empty() || at_.front() != '{') return "the exemplar has no labels";
    return nullptr;  // exemplars are not counts: not read any further
  }

  const char* read_labels(Sample& s) {
    at_.remove_prefix(1);
    auto& items = s.labels.items;
    items.reserve(4);
    for (;;) {
      skip_blanks();
      if (at_.empty()) return "the labels have no closing brace";
      if (at_.front() == '}') break;
      std::string_view key;
      if (at_.front() == '"') {
        const auto text = quoted();
        if (!text) return "a quoted name has no closing quote";
        key = *text;
        skip_blanks();
        if (at_.empty() || at_.front() != '=') {  // the metric's own name, quoted (names beyond the classic letters)
          if (!s.name.empty() || key.empty()) return "a label has no equal sign";
          s.name = key;
          if (const char* why = end_of_item()) return why;
          continue;
        }
      } else {
        key = name();
        if (key.empty() || key.find(':') != std::string_view::npos) return "a label name is not valid";
        skip_blanks();
        if (at_.empty() || at_.front() != '=') return "a label has no equal sign";
      }
      at_.remove_prefix(1);
      skip_blanks();
      if (at_.empty() || at_.front() != '"') return "a label value is not in quotes";
      const auto value = quoted();
      if (!value) return "a label value has no closing quote";
      items.emplace_back(key, *value);
      if (const char* why = end_of_item()) return why;
    }
    at_.remove_prefix(1);
    std::sort(items.begin(), items.end());
    for (std::size_t i = 1; i < items.size(); ++i)
      if (items[i].first == items[i - 1].first) return "a label name stands twice";
    return nullptr;
  }

  /// After a label: a comma (taken) or the closing brace (left).
  const char* end_of_item() {
    skip_blanks();
    if (at_.starts_with(',')) {
      at_.remove_prefix(1);
      return nullptr;
    }
    return at_.starts_with('}') ? nullptr : "labels are not separated by a comma";
  }

  /// The same series twice is a fault of the page; summing both would double a counter, so the first stays.
  void drop_repeated() {
    auto& all = page_.samples_;
    std::vector<std::uint32_t> order(all.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (const auto c = all[a].name <=> all[b].name; c != 0) return c < 0;
      if (all[a].labels.items != all[b].labels.items) return all[a].labels.items < all[b].labels.items;
      return a < b;
    });
    std::vector<bool> extra(all.size());
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Sample& first = all[order[i - 1]];
      const Sample& again = all[order[i]];
      if (first.name != again.name || first.labels != again.labels) continue;
      extra[order[i]] = true;
      page_.faults_.push_back({again.line, "the same series stands twice; the first is used"});
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (extra[i]) continue;
      if (kept != i) all[kept] = std::move(all[i]);
      ++kept;
    }
    all.resize(kept);
    std::sort(page_.faults_.begin(), page_.faults_.end(),
              [](const PageFault& a, const PageFault& b) { return a.line < b.line; });
  }

  MetricsPage page_;
  std::string_view at_;
  int line_number_ = 0;
};

MetricsPage parse_prometheus(std::shared_ptr<const std::string> text, bool whole) {
  return PageParser(std::move(text)).run(whole);
}

MetricsPage parse_prometheus(std::string text, bool whole) {
  return parse_prometheus(std::make_shared<const std::string>(std::move(text)), whole);
}

}  // namespace kvcliff::wire
