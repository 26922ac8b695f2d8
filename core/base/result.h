// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace kvcliff {

/// Kinds of failure, as words in the JSON of the command line ("code").
enum class ErrorCode {
  bad_usage,     ///< the caller's input: command line, plan, configuration, file contents
  not_found,     ///< a file, binary, experiment or series that is not there
  unsupported,   ///< understood, but cannot be done here or by this engine
  io,            ///< the operating system refused: disk, permission, socket
  corrupt,       ///< data that contradicts itself
  newer_schema,  ///< written by a newer version of this program
  busy,          ///< a port, lock or device in use
  engine,        ///< the engine failed, or answered something it must not
  timeout,
  interrupted,   ///< the user stopped it
  internal,      ///< our own mistake
};

std::string_view to_string(ErrorCode code);

/// A failure as a finished message: what happened, where, why, and what to do next. `where`, `why`, `next` may be empty.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string what;
  std::string where;
  std::string why;
  std::string next;

  /// One sentence for a terminal or a strip: "what (where): why. next".
  std::string sentence() const;
  bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for returning a failure from a function that returns Result<T>.
inline tl::unexpected<Error> fail(ErrorCode code, std::string what, std::string where = {}, std::string why = {},
                                  std::string next = {}) {
  return tl::unexpected<Error>(Error{code, std::move(what), std::move(where), std::move(why), std::move(next)});
}
inline tl::unexpected<Error> fail(Error e) { return tl::unexpected<Error>(std::move(e)); }

}  // namespace kvcliff
