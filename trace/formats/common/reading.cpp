#include "trace/formats/common/reading.h"

#include <algorithm>
#include <system_error>

namespace timeless::trace::formats {

void Reading::expect(const std::vector<std::filesystem::path>& files, std::uint64_t times) {
  for (const std::filesystem::path& file : files) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(file, missing);
    if (!missing) total_ += times * bytes;
  }
}

void Reading::tell() {
  constexpr std::uint64_t bytes_at_once = std::uint64_t{1} << 16;
  next_ = done_ + bytes_at_once;
  if (told_) told_(std::min(done_, total_), total_);
}

} // namespace timeless::trace::formats
