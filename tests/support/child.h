// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kvcliff::test {

/// A child process for tests, independent of core/process: own group, output to a file, killed at the end.
class Child {
 public:
  Child(const std::vector<std::string>& argv, const std::map<std::string, std::string>& env = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  long pid() const { return pid_; }
  void signal(int number) const;
  /// Exit status (128 + signal when signalled), waiting at most so long.
  std::optional<int> wait(int milliseconds);
  /// All output so far (stdout and stderr together).
  std::string output() const;
  /// Waits until the output contains `text`.
  bool wait_for(const std::string& text, int milliseconds);
  /// First child process of this child (0: none), from /proc.
  long first_child() const;

 private:
  long pid_ = 0;
  std::string file_;
  std::optional<int> status_;
};

/// An HTTP answer as it came, read over a plain socket.
struct RawAnswer {
  int status = 0;
  std::string head, body;               ///< body with the chunk framing taken off
  std::vector<std::string> chunks;      ///< of a chunked body
  bool complete = false;                ///< the last chunk or the whole length came
};
/// A connection that can read step by step.
class RawClient {
 public:
  explicit RawClient(int port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  bool connected() const { return fd_ >= 0; }
  void send(const std::string& bytes) const;
  /// Reads until `text` was seen, the peer closed, or the time is up; returns everything read so far.
  const std::string& read_until(const std::string& text, int milliseconds);
  bool closed_by_peer() const { return eof_; }
  const std::string& data() const { return data_; }
  void close();

 private:
  int fd_ = -1;
  bool eof_ = false;
  std::string data_;
};
std::string http_request(const std::string& method, const std::string& target, const std::string& body = {}, const std::string& headers = {});
RawAnswer parse_answer(const std::string& bytes);
/// One request on a connection of its own; waits for the end.
RawAnswer fetch(int port, const std::string& method, const std::string& target, const std::string& body = {}, const std::string& headers = {},
                int milliseconds = 60'000);
/// Samples of a Prometheus page, "name{labels}" -> value, by a reader of the tests' own.
std::map<std::string, double> read_samples(const std::string& page);

}  // namespace kvcliff::test
