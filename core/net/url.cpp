// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/url.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"

namespace kvcliff::net {
namespace {

struct CurlFree {
  void operator()(char* p) const { curl_free(p); }
  void operator()(CURLU* p) const { curl_url_cleanup(p); }
};
using Handle = std::unique_ptr<CURLU, CurlFree>;

std::string part(CURLU* u, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(u, which, &text, flags) != CURLUE_OK || !text) return {};
  const std::unique_ptr<char, CurlFree> owned(text);
  return text;
}

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return s;
}

Url read(CURLU* u) {
  Url out;
  out.scheme = lower(part(u, CURLUPART_SCHEME));
  out.host = lower(part(u, CURLUPART_HOST));
  if (out.host.size() > 2 && out.host.front() == '[') out.host = out.host.substr(1, out.host.size() - 2);
  out.port = static_cast<int>(parse_int(part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT)).value_or(0));
  curl_url_set(u, CURLUPART_FRAGMENT, nullptr, 0);
  out.whole = part(u, CURLUPART_URL);
  return out;
}

}  // namespace

bool Url::loopback() const {
  return host == "localhost" || host == "::1" || host.ends_with(".localhost") || host.starts_with("127.");
}

std::string Url::server() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Result<Url> parse_url(const std::string& text) {
  const Handle u(curl_url());
  const auto bad = [&](std::string why) {
    return fail(ErrorCode::bad_usage, "This is not a URL that can be asked", text, std::move(why), "Give one like http://127.0.0.1:8000");
  };
  const CURLUcode rc = curl_url_set(u.get(), CURLUPART_URL, text.c_str(), 0);
  if (rc != CURLUE_OK)
    return bad(text.find("://") == std::string::npos ? "it does not begin with http:// or https://" : "its form is not valid");
  Url out = read(u.get());
  if (out.scheme != "http" && out.scheme != "https") return bad("only http and https are spoken");
  if (out.host.empty() || out.port <= 0) return bad("it names no host");
  return out;
}

Result<Url> follow_redirect(const Url& base, const std::string& location) {
  const Handle u(curl_url());
  if (location.empty() || curl_url_set(u.get(), CURLUPART_URL, base.whole.c_str(), 0) != CURLUE_OK ||
      curl_url_set(u.get(), CURLUPART_URL, location.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    return fail(ErrorCode::engine, "The server sent a redirect that leads nowhere", base.whole, "Location: " + location);
  Url next = read(u.get());
  if (!next.same_server(base))
    return fail(ErrorCode::engine, fmt::format("redirect to another host ({})", next.server()), base.whole,
                "Redirects are followed only within the same scheme, host and port", "Ask that server directly if it is meant");
  return next;
}

}  // namespace kvcliff::net
