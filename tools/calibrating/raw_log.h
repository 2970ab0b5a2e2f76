#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace timeless::tools {

/// The file of measurements: what is in it stays, whatever happens later. Without any there is no file. A file that is
/// there already is replaced once all has been measured, and measurements stand in NAME.part until then.
class RawLog {
public:
  /// Makes the file; `advice` says where else measurements can be kept. Throws Error(usage) where the file exists and
  /// is not to be replaced, Error(runtime) where it cannot be made.
  RawLog(std::filesystem::path path, bool force, std::string advice);
  ~RawLog();
  RawLog(const RawLog&) = delete;
  RawLog& operator=(const RawLog&) = delete;

  /// Writes bytes at the end. Returns false, from then on, where the system refuses.
  bool write(std::string_view bytes);
  /// Throws Error(runtime) where the system has refused, saying what is kept.
  void demand_written() const;
  /// Says that the next write() has a measurement that ends after so many bytes of it.
  void expect_measurement(std::size_t end);
  /// Returns whether there is a whole measurement.
  bool holds_measurements() const { return first_end_ > 0 && position() >= first_end_; }
  /// Returns where they are.
  const std::filesystem::path& path() const { return path_; }
  /// Gives the file its name: all has been measured. Throws Error(runtime) where the system refuses.
  void finish();

private:
  [[noreturn]] void stop(int code) const;
  off_t position() const;

  std::filesystem::path target_;
  std::filesystem::path path_;
  std::string advice_;
  int descriptor_ = -1;
  int failed_with_ = 0;
  off_t first_end_ = 0; ///< of the first measurement; 0: there was none
};

} // namespace timeless::tools
