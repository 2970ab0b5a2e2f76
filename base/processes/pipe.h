#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace timeless {

/// Both ends of a pipe, closed on destruction; what the process executes does not get them.
class Pipe {
public:
  /// Throws Error(runtime) when the system has none left.
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_reading() { close_end(0); }
  void close_writing() { close_end(1); }

private:
  void close_end(std::size_t end);

  std::array<int, 2> ends_{-1, -1};
};

/// Where the bytes go that come out of a descriptor.
struct Listening {
  int descriptor;
  std::function<void(std::string_view bytes)> take;
};

/// Reads all of them as bytes come, until each is at its end. `wait` is called before each wait, and says for how many
/// milliseconds at most, as poll() takes it; -2: that there is nothing worth waiting for any more.
void listen_to_all(
    std::span<const Listening> sources, const std::function<int()>& wait = [] { return -1; });

} // namespace timeless
