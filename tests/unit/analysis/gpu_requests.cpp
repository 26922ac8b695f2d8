// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu_requests.h"

#include "base/text.h"
#include "support/data.h"

namespace kvcliff::test {
namespace {
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) out.emplace_back();
    else if (c != '\r') out.back() += c;
  }
  return out;
}
}  // namespace

std::vector<GpuRow> gpu_rows() {
  const std::string text = read("vllm-gpu/requests.csv.zst");
  std::vector<GpuRow> out;
  bool header = true;
  for (const auto line : split(text, '\n')) {
    if (header || line.empty()) {
      header = false;
      continue;
    }
    const auto f = fields_of(line);
    GpuRow r;
    r.session = f.at(0);
    r.index = static_cast<int>(*parse_int(f.at(1)));
    r.model = f.at(2);
    r.document = f.at(5);
    r.prompt_tokens = *parse_int(f.at(6));
    r.phase = f.at(8);
    const auto number = [&](std::size_t i) { return parse_int(f.at(i)).value_or(0); };
    r.computed = number(9);
    r.gpu_hit = number(10);
    r.host_loaded = number(11);
    r.load_bytes = number(13);
    r.ttft_ms = parse_double(f.at(18)).value_or(0);
    out.push_back(std::move(r));
  }
  return out;
}

std::vector<GpuRow> gpu_rows(const std::string& session) {
  std::vector<GpuRow> out;
  for (auto& r : gpu_rows())
    if (r.session == session) out.push_back(std::move(r));
  return out;
}

std::vector<analysis::ComparedSession> gpu_sessions(const std::vector<std::string>& names) {
  std::vector<analysis::ComparedSession> out;
  for (const auto& name : names) {
    analysis::ComparedSession s;
    s.label = name;
    s.treatment = name.find('B') != std::string::npos;
    s.pair = static_cast<int>(out.size()) / 2;
    for (const auto& r : gpu_rows(name)) {
      if (r.phase.rfind("round ", 0) != 0) continue;
      const int round = static_cast<int>(*parse_int(r.phase.substr(6))) + 1;  // the file counts from 0
      s.visits.push_back({static_cast<int>(*parse_int(r.document.substr(1))), round, r.ttft_ms});
    }
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace kvcliff::test
