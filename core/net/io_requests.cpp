// SPDX-License-Identifier: GPL-3.0-or-later
// The I/O thread's handling of requests: begin, redirect, finish, limits.
#include <algorithm>
#include <iterator>

#include "net/io_loop.h"

namespace kvcliff::net {

namespace {
constexpr int begun_a_turn = 4;            // requests; each takes some 20 us, in which nothing is read
constexpr MonoNs parse_slice = 20'000;     // ns of parsing between two looks at the sockets
constexpr MonoNs longest_wait = 2'000'000; // ns that bytes may wait to be parsed while other sockets stay busy
}  // namespace

void IoLoop::fetch_orders() {
  const std::lock_guard lock(mutex_);
  std::move(orders_.begin(), orders_.end(), std::back_inserter(waiting_orders_));
  orders_.clear();
}

/// In the order given, and only a few starts a turn: between them open streams are read and long prompts are sent on.
void IoLoop::obey() {
  for (int begun = 0; !waiting_orders_.empty() && (begun < begun_a_turn || stopping_);) {
    Order order = std::move(waiting_orders_.front());
    waiting_orders_.pop_front();
    switch (order.what) {
      case Order::What::stream:
      case Order::What::http:
        begin(std::move(order));
        ++begun;
        break;
      case Order::What::cancel:
        if (const auto at = by_id_.find(order.id); at != by_id_.end()) stop_transfer(*at->second, Transfer::Stop::cancelled);
        break;
      case Order::What::stop: stopping_ = true; [[fallthrough]];
      case Order::What::cancel_all: {
        std::vector<Transfer*> running;
        for (const auto& [id, t] : by_id_)
          if (stopping_ || t->kind == Transfer::Kind::stream) running.push_back(t);
        for (Transfer* t : running) stop_transfer(*t, Transfer::Stop::cancelled);
        break;
      }
    }
  }
}

/// What reading left to do, for a short time: then the sockets are looked at again. `at_once`: next to nothing was ready.
void IoLoop::parse_some(bool at_once) {
  MonoNs now = mono_now();
  const MonoNs until = now + parse_slice;
  while (later_first_ && now < until) {
    Transfer& t = *later_first_;
    const MonoNs since = t.set_aside_since();
    if (!at_once && since != 0 && now - since < longest_wait) return;
    later_first_ = t.next_later;
    t.queued = false;
    if (!t.active) continue;  // ended meanwhile, and parsed then
    t.parse_set_aside();
    if (t.bad_data && !t.ended)
      finish(t, CURLE_WRITE_ERROR);
    else if (t.ended)
      finish(t, t.result);
    now = mono_now();
  }
}

void IoLoop::begin(Order order) {
  if (free_.empty()) {
    all_.push_back(std::make_unique<Transfer>(*this, scratch_));
    free_.push_back(all_.back().get());
  }
  Transfer& t = *free_.back();
  free_.pop_back();
  t.id = order.id;
  t.kind = order.what == Order::What::stream ? Transfer::Kind::stream : Transfer::Kind::http;
  t.stream = std::move(order.stream);
  t.http = std::move(order.http);
  t.stream_done = std::move(order.stream_done);
  t.http_done = std::move(order.http_done);
  t.times.queued = order.queued;
  by_id_[t.id] = &t;
  if (const auto ready = t.prepare(); !ready) {
    Error error = ready.error();
    if (t.kind == Transfer::Kind::stream) {
      StreamRecord r;
      r.outcome = Outcome::error;
      r.why = error.sentence();
      r.times.queued = t.times.queued;
      r.times.end = mono_now();
      release(t, [&](auto& s, auto&) { s(order.id, std::move(r)); });
    } else {
      release(t, [&](auto&, auto& h) { h(fail(std::move(error))); });
    }
    return;
  }
  t.active = true;
  schedule(t, mono_now());
  if (stopping_)
    stop_transfer(t, Transfer::Stop::cancelled);
  else
    curl_multi_add_handle(multi_, t.easy);
}

/// Gives the slot back before the caller hears of the end, so that its callback may start the next request.
template <class Tell>
void IoLoop::release(Transfer& t, const Tell& tell) {
  auto stream_done = std::move(t.stream_done);
  auto http_done = std::move(t.http_done);
  if (t.kind == Transfer::Kind::stream) --active_streams_;
  by_id_.erase(t.id);
  t.clear();
  free_.push_back(&t);
  tell(stream_done, http_done);
}

void IoLoop::finish(Transfer& t, CURLcode rc) {
  t.parse_set_aside();
  curl_multi_remove_handle(multi_, t.easy);
  if (rc == CURLE_OK && t.redirected()) {
    auto next = follow_redirect(t.url, t.location);
    const int limit = t.kind == Transfer::Kind::http ? t.http.max_redirects : 3;
    if (next && t.redirects >= limit)
      next = fail(ErrorCode::engine, "too many redirects", t.url.whole, "The server keeps redirecting", "Give the final address");
    if (next) {
      t.redo(*next);
      curl_multi_add_handle(multi_, t.easy);
      return;
    }
    Error error = next.error();
    if (t.kind == Transfer::Kind::http) {
      release(t, [&](auto&, auto& h) { h(fail(std::move(error))); });
    } else {
      StreamRecord r = t.stream_record(rc);
      r.outcome = Outcome::error;
      r.why = error.sentence();
      const RequestId id = t.id;
      release(t, [&](auto& s, auto&) { s(id, std::move(r)); });
    }
    return;
  }
  const RequestId id = t.id;
  if (t.kind == Transfer::Kind::stream) {
    StreamRecord r = t.stream_record(rc);
    release(t, [&](auto& s, auto&) { s(id, std::move(r)); });
  } else {
    auto answer = t.http_answer(rc);
    release(t, [&](auto&, auto& h) { h(std::move(answer)); });
  }
}

void IoLoop::collect() {
  int left = 0;
  while (CURLMsg* m = curl_multi_info_read(multi_, &left)) {
    if (m->msg != CURLMSG_DONE) continue;
    char* owner = nullptr;
    curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &owner);
    Transfer& t = *reinterpret_cast<Transfer*>(owner);
    t.ended = true;
    t.ended_at = mono_now();
    t.result = m->data.result;
    if (t.kind == Transfer::Kind::stream)
      later(t);
    else
      finish(t, t.result);
  }
}

void IoLoop::stop_transfer(Transfer& t, Transfer::Stop why) {
  if (t.ended) return finish(t, t.result);  // it came to its end before
  t.stop = why;
  finish(t, CURLE_ABORTED_BY_CALLBACK);  // removing it in the middle closes its connection
}

void IoLoop::schedule(Transfer& t, MonoNs now) {
  const MonoNs at = t.look_at(now);
  if (at == 0 || (t.heap_at != 0 && t.heap_at <= at)) return;  // its entry comes up early enough and is looked at then
  t.heap_at = at;
  deadlines_.push({at, &t});
}

void IoLoop::check_deadlines(MonoNs now) {
  while (!deadlines_.empty() && deadlines_.top().at <= now) {
    const Deadline d = deadlines_.top();
    deadlines_.pop();
    Transfer& t = *d.transfer;
    if (t.heap_at != d.at) continue;  // replaced by an earlier entry
    t.heap_at = 0;
    if (!t.active) continue;
    const auto due = t.due(now);
    if (due == Transfer::Stop::none)
      schedule(t, now);
    else
      stop_transfer(t, due);
  }
}

}  // namespace kvcliff::net
