// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/request_columns.h"

#include <algorithm>
#include <cmath>

namespace kvcliff::ui {

RequestScale RequestScale::fit(const RunData& data, double width, double gap_px, double slot_max) {
  RequestScale s;
  s.count = data.requests.size();
  for (const RunSession& session : data.sessions)
    if (session.count > 0) s.firsts.push_back(session.first);
  const double gaps = s.firsts.size() > 1 ? double(s.firsts.size() - 1) : 0;
  const double n = double(std::max<std::size_t>(1, s.count));
  // Many sessions must not leave the requests without room.
  gap_px = std::min(gap_px, gaps > 0 ? width * 0.25 / gaps : gap_px);
  double slot = std::min(slot_max, std::max(1e-9, (width - gaps * gap_px) / n));
  if (slot >= 3 && gaps > 0) {
    // Bars stand on whole pixels; what that leaves widens the gaps, so that the last session ends where the axis does.
    // Narrower gaps are worth a wider bar: from 5 px on bars have edges and predictions.
    constexpr double least_gap = 20;
    const double wider = std::floor(slot) + 1;
    slot = wider <= slot_max && (width - n * wider) / gaps >= least_gap ? wider : std::floor(slot);
    gap_px = std::clamp((width - n * slot) / gaps, std::min(gap_px, least_gap), 60.0);
  }
  s.gap = gap_px / slot;
  s.axis_end = std::max(n + gaps * s.gap, width / slot);
  return s;
}

std::size_t RequestScale::session_index(std::size_t request) const {
  const auto it = std::upper_bound(firsts.begin(), firsts.end(), request);
  return it == firsts.begin() ? 0 : std::size_t(it - firsts.begin()) - 1;
}

double RequestScale::position(std::size_t request) const { return double(request) + gap * double(session_index(request)); }

double RequestScale::end() const {
  return count == 0 ? 1 : position(count - 1) + 1;
}

std::size_t RequestScale::request_at(double pos) const {
  if (count == 0) return 0;
  // Sessions are few: the last one whose first slot lies left of the position.
  std::size_t k = 0;
  while (k + 1 < firsts.size() && position(firsts[k + 1]) <= pos) ++k;
  const std::size_t first = firsts.empty() ? 0 : firsts[k];
  const std::size_t last = k + 1 < firsts.size() ? firsts[k + 1] : count;
  const double offset = pos - position(first);
  if (offset < 0) return first;
  const auto i = first + std::size_t(offset);
  return i < last ? i : std::min(last, count - 1);
}

Column RequestColumns::summarise(const RunData& data, std::size_t first, std::size_t last) {
  Column c;
  c.first = first;
  c.last = last;
  std::array<std::vector<std::int64_t>, 4> times;
  for (std::size_t i = first; i < last; ++i) {
    const RunRequest& r = data.requests[i];
    if (r.has_prediction()) {
      ++c.with_prediction;
      for (std::size_t k = 0; k < 3; ++k) c.predicted[k] += r.predicted[k];
    }
    c.failed += r.failed();
    c.missed += r.missed;
    c.planned += r.state == RequestState::Planned;
    c.running += r.state == RequestState::Running || r.state == RequestState::Streamed;
    if (r.state == RequestState::Done) {
      if (r.measured()) {
        ++c.measured;
        for (std::size_t k = 0; k < 4; ++k) c.mean[k] += double(std::max<std::int64_t>(0, r.tokens[k]));
      } else {
        ++c.unknown;
      }
      if (r.tokens[3] > 0) ++c.unknown;
    }
    if (r.ttft_ns >= 0) times[std::size_t(r.main_source())].push_back(r.ttft_ns);
  }
  for (double& v : c.mean) v /= std::max(1, c.measured);
  for (double& v : c.predicted) v /= std::max(1, c.with_prediction);
  for (std::size_t k = 0; k < 4; ++k) {
    auto& v = times[k];
    if (v.empty()) continue;
    const auto middle = v.begin() + std::ptrdiff_t(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    c.times[k].median = *middle;
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    c.times[k].low = *low;
    c.times[k].high = *high;
    c.times[k].count = int(v.size());
  }
  return c;
}

const std::vector<Column>& RequestColumns::update(RunData& data, const RequestScale& scale, std::size_t from, std::size_t to,
                                                  std::size_t per) {
  computed_ = 0;
  const bool same = data_ == &data && from_ == from && to_ == to && per_ == per && count_ == data.requests.size();
  if (same) {
    if (data.dirty_high > data.dirty_low)
      for (Column& c : columns_)
        if (c.first < data.dirty_high && c.last > data.dirty_low) {
          c = summarise(data, c.first, c.last);
          ++computed_;
        }
  } else {
    columns_.clear();
    for (std::size_t i = from; i < to;) {
      const std::size_t k = scale.session_index(i);
      const std::size_t end = k + 1 < scale.firsts.size() ? scale.firsts[k + 1] : scale.count;
      const std::size_t first = scale.firsts.empty() ? 0 : scale.firsts[k];
      // Columns start at whole multiples from the session's first request, so that scrolling does not regroup them.
      const std::size_t next = first + ((i - first) / per + 1) * per;
      const std::size_t last = std::min({next, end, to});
      columns_.push_back(summarise(data, i, last));
      ++computed_;
      i = last;
    }
  }
  data_ = &data;
  from_ = from;
  to_ = to;
  per_ = per;
  count_ = data.requests.size();
  data.dirty_low = data.dirty_high = 0;
  return columns_;
}

}  // namespace kvcliff::ui
