#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace timeless::tools {

/// Shows a page to browsers on this machine until the process is ended: on 127.0.0.1, at this port, or, for 0, at one
/// that is free. `ready` is called with the address once a browser can open it. Throws Error(runtime) where the system
/// refuses the port.
[[noreturn]] void serve_page(const std::string& page, std::uint16_t port,
                             const std::function<void(const std::string& address)>& ready);

} // namespace timeless::tools
