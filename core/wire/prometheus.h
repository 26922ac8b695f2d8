// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvcliff::wire {

/// Labels of a sample as a set: sorted by name, each name once, escapes undone.
struct Labels {
  std::vector<std::pair<std::string_view, std::string_view>> items;

  std::optional<std::string_view> get(std::string_view name) const;
  /// `get` with an empty text for an absent label, which is what the format says an absent label means.
  std::string_view value(std::string_view name) const { return get(name).value_or(std::string_view()); }
  bool empty() const { return items.empty(); }
  std::size_t size() const { return items.size(); }
  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }
  bool operator==(const Labels&) const = default;
};

/// One sample line. Views point into the page that holds it (or into its store of unescaped texts).
struct Sample {
  std::string_view name;
  Labels labels;
  double value = 0;                   ///< may be NaN or infinite; exact for integers below 2^53
  std::string_view value_text;        ///< as written
  std::optional<double> timestamp;    ///< as written: milliseconds in the classic format, seconds in OpenMetrics
  int line = 0;                       ///< counted from 1
};

/// What # TYPE, # HELP and # UNIT say about a name. The name stands as written, with or without "_total".
struct Family {
  std::string_view name;
  std::string_view type;   ///< "counter", "gauge", "histogram", ...; empty without a # TYPE line
  std::string_view help;   ///< unescaped
  std::string_view unit;
};

/// A line that could not be read.
struct PageFault {
  int line = 0;
  std::string why;
};

/// A metrics page (Prometheus text format 0.0.4 and OpenMetrics 1.0), read leniently: a bad line is counted and skipped.
/// Copies share the text, so views stay valid as long as one copy lives.
class MetricsPage {
 public:
  const std::vector<Sample>& samples() const { return samples_; }
  const std::map<std::string_view, Family>& families() const { return families_; }
  const std::vector<PageFault>& faults() const { return faults_; }
  int parse_errors() const { return static_cast<int>(faults_.size()); }
  /// The last line has no line end and the page no "# EOF": the body may have been cut, and a number in that line may
  /// be half a number. That line is left out of `samples` and is no parse error.
  bool cut() const { return cut_; }
  std::string_view cut_line() const { return cut_line_; }
  /// "# EOF" was seen: an OpenMetrics page that is whole.
  bool saw_eof() const { return saw_eof_; }
  /// Neither a sample nor a # TYPE line was found: this is not a metrics page (an HTML page, an error text, nothing).
  bool recognised() const { return !samples_.empty() || !families_.empty(); }

  /// Samples with exactly this name, in page order.
  std::vector<const Sample*> named(std::string_view name) const;
  /// Samples of a counter in either spelling (`base` or `base_total`, `base` given without "_total"). Where both exist
  /// for the same labels, the "_total" one. Never "_created".
  std::vector<const Sample*> counter(std::string_view base) const;
  /// The family is declared by # TYPE under `base` or `base_total`.
  bool declared(std::string_view base) const;
  /// The family a sample name belongs to: by itself, or without _total, _created, _bucket, _sum, _count, _info.
  const Family* family_of(std::string_view sample_name) const;
  const std::string& text() const { return *text_; }
  std::shared_ptr<const std::string> shared_text() const { return text_; }

 private:
  friend class PageParser;
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<std::deque<std::string>> unescaped_;
  std::vector<Sample> samples_;
  std::map<std::string_view, std::vector<std::uint32_t>> by_name_;
  std::map<std::string_view, Family> families_;
  std::vector<PageFault> faults_;
  std::string_view cut_line_;
  bool cut_ = false;
  bool saw_eof_ = false;
};

/// `whole`: the transport proved that the body is complete (Content-Length or last chunk), so a last line without a line
/// end counts as a line.
MetricsPage parse_prometheus(std::shared_ptr<const std::string> text, bool whole = false);
MetricsPage parse_prometheus(std::string text, bool whole = false);

/// "a_total" -> "a"; other names unchanged.
std::string_view without_total(std::string_view name);

}  // namespace kvcliff::wire
