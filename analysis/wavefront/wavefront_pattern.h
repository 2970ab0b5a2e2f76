#pragma once

#include "analysis/wavefront/wavefront.h"
#include "trace/model/source.h"

#include <string>
#include <vector>

namespace timeless::analysis {

/// What the messages between the ranks of a recording are, beside what a wavefront sends.
struct WavefrontPattern {
  std::uint64_t messages = 0;   ///< point to point, sent
  std::uint64_t neighbours = 0; ///< those between neighbours in the grid of processors
  double in_a_row =
      0; ///< messages that pass between two ranks in one direction before one passes in the other: the mean
  trace::Bytes bytes_south = 0; ///< the most frequent size of messages to the north and south; 0: there are none
  trace::Bytes bytes_east = 0;  ///< the same to the west and east

  double expected_messages = 0; ///< of the wavefront, in all its iterations
  double expected_in_a_row = 0; ///< its slices
  std::vector<trace::Bytes> expected_south; ///< sizes of its messages to the north and south
  std::vector<trace::Bytes> expected_east;  ///< the same to the west and east
};

/// Reads the point-to-point messages of a recording with as many ranks as the wavefront has processors. Throws
/// Error(invalid_input) for a partner that its communicator does not have.
WavefrontPattern wavefront_pattern(const trace::Source& recording, const Wavefront& wavefront);

/// Returns why the recording is of no wavefront on this grid of processors, what was found and what was expected; empty
/// where it may be of one. One rank alone sends nothing, and is taken as it is.
std::string why_no_wavefront(const WavefrontPattern& pattern, const Wavefront& wavefront);

/// Returns, of a recording that is of a wavefront, in what it differs from this one: sizes and numbers of messages.
std::vector<std::string> differences_from(const WavefrontPattern& pattern, const Wavefront& wavefront);

} // namespace timeless::analysis
