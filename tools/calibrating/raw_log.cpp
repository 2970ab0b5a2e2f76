#include "tools/calibrating/raw_log.h"

#include "base/descriptors.h"
#include "base/error.h"
#include "base/files/exclusive.h"
#include "base/files/new_file.h"
#include "tools/cli/interruption.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace timeless::tools {

RawLog::RawLog(std::filesystem::path path, bool force, std::string advice)
    : target_(std::move(path)), path_(target_), advice_(std::move(advice)) {
  demand_free_output(target_, force ? Existing::replace : Existing::refuse);
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(target_, ignored))) path_ += ".part";
  std::filesystem::remove(path_, ignored);
  descriptor_ = open_exclusively(path_, O_WRONLY);
  if (descriptor_ < 0) stop(errno);
}

RawLog::~RawLog() {
  measurements_that_stay = nullptr;
  std::error_code ignored;
  if (!holds_measurements()) std::filesystem::remove(path_, ignored);
  ::close(descriptor_);
}

bool RawLog::write(std::string_view bytes) {
  if (failed_with_ == 0 && !write_whole(descriptor_, bytes)) failed_with_ = errno;
  if (holds_measurements()) measurements_that_stay = path_.c_str();
  return failed_with_ == 0;
}

void RawLog::demand_written() const {
  if (failed_with_ != 0) stop(failed_with_);
}

void RawLog::expect_measurement(std::size_t end) {
  if (first_end_ == 0) first_end_ = position() + static_cast<off_t>(end);
}

void RawLog::finish() {
  measurements_that_stay = nullptr; // before its name changes
  std::error_code refused;
  if (path_ != target_) std::filesystem::rename(path_, target_, refused);
  if (refused) stop(refused.value());
  path_ = target_;
}

void RawLog::stop(int code) const {
  throw Error(Failure::runtime, fmt::format("measurements cannot be kept: {}", std::strerror(code)), path_.string(),
              holds_measurements() ? advice_ + "; what was measured before is in it" : advice_);
}

off_t RawLog::position() const {
  return ::lseek(descriptor_, 0, SEEK_CUR);
}

} // namespace timeless::tools
