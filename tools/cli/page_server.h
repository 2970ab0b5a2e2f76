#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace timeless::tools {

/// A port of 127.0.0.1 at which browsers on this machine will be shown a page. Those that come before there is one
/// wait.
class PagePort {
public:
  /// Takes this port, or, for 0, one that is free. Throws Error(runtime) where the system refuses it.
  explicit PagePort(std::uint16_t port);
  ~PagePort();
  PagePort(const PagePort&) = delete;
  PagePort& operator=(const PagePort&) = delete;

  /// Shows the page until the process is ended. `ready` is called with the address before that.
  [[noreturn]] void serve(const std::string& page, const std::function<void(const std::string& address)>& ready) const;

private:
  int listening_ = -1;
  std::uint16_t port_ = 0;
};

} // namespace timeless::tools
