#pragma once

#include "base/bytes.h"
#include "replay/smpi/smpi_replay.h"

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::replay::smpi {

/// The part of a rank's time that belongs to a subject.
struct TimePart {
  trace::Rank rank = 0;
  std::uint32_t subject = 0;
  std::uint64_t count = 0;
  double seconds = 0;
};

/// What travels back of one job from the simulation's process.
struct JobAnswer {
  double cpu_seconds = 0;
  std::uint64_t actions = 0;
  std::vector<double> ends = {}; ///< by rank
  std::vector<TimePart> parts = {};
  std::string calls = {}; ///< names of subjects, one a line, where these are calls
};

void write(ByteWriter& words, const JobAnswer& answer);
/// Throws Error(runtime) where the words end too early.
JobAnswer read_job_answer(ByteReader& words);

/// Returns the answer as a result with one lane of this name.
SmpiResult result_of(const JobAnswer& answer, const std::string& name, const SmpiOptions& options);

} // namespace timeless::replay::smpi
