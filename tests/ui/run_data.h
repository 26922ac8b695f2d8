// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "ui/bridge/run_data.h"

namespace kvcliff::ui::test {

/// `sessions` of `each` requests, all done: half computed, half loaded, one in `fail_every` failed (0: none).
inline std::shared_ptr<RunData> made_run(int sessions, int each, int fail_every = 0) {
  auto d = std::make_shared<RunData>();
  d->journal = QStringLiteral("made.kvcliff");
  d->experiment = 1;
  d->name = QStringLiteral("made");
  d->simulated = true;
  for (int s = 0; s < sessions; ++s) {
    RunSession session;
    session.row = s + 1;
    session.ordinal = s;
    session.arm = s % 2 == 0 ? QStringLiteral("off") : QStringLiteral("on");
    session.offload = s % 2 != 0;
    session.state = SessionState::finished;
    session.first = d->requests.size();
    session.count = session.done = std::size_t(each);
    for (int i = 0; i < each; ++i) {
      RunRequest r;
      r.session = s;
      r.ordinal = 3 + i;
      r.document = i % 6;
      r.round = 1 + i / 6;
      r.state = RequestState::Done;
      r.outcome = fail_every > 0 && i % fail_every == fail_every - 1 ? Outcome::error : Outcome::complete;
      r.prompt_tokens = 2003;
      const bool loaded = session.offload && r.round > 1;
      r.tokens = {0, loaded ? 2000 : 0, loaded ? 3 : 2003, 0};
      r.predicted = {0, loaded ? 2000.0 : 0.0, loaded ? 3.0 : 2003.0};
      r.ttft_ns = (loaded ? 14'000'000 : 62'000'000) + (i * 7919) % 1'000'000;
      r.total_ns = r.ttft_ns + 30'000'000;
      d->requests.push_back(r);
    }
    d->sessions.push_back(session);
  }
  d->done = d->requests.size();
  d->newest = std::int64_t(d->done) - 1;
  d->touch_all();
  return d;
}

}  // namespace kvcliff::ui::test
