#pragma once

#include "trace/model/ids.h"

#include <optional>
#include <string>
#include <string_view>

namespace timeless::replay {

/// The file system that a run's MPI-IO calls meet, the same in all lanes. The defaults are nobody's measurement: a
/// parallel file system of moderate size.
struct FileSystem {
  double latency = 100e-6;               ///< seconds that every call which reaches the file system takes
  double byte_time = 1 / 1e9;            ///< seconds per byte of one process's reads and writes
  double aggregate_byte_time = 1 / 10e9; ///< seconds per byte of all that a collective call moves; 0: no limit
  bool assumed = true;                   ///< nobody has said so
};

/// Reads "latency=100us,bandwidth=1GB/s,aggregate=10GB/s", each part optional: what is not said stays as above.
/// Bandwidths are in B/s, kB/s, MB/s, GB/s or TB/s, thousands; "aggregate=none" sets no limit. Throws Error(usage).
FileSystem parse_file_system(std::string_view text);

/// Returns a file system in words: "100 us, 1 GB/s per process, 10 GB/s in all".
std::string describe(const FileSystem& file_system);

/// Returns seconds, beyond the latency, for one process to move its `own` bytes in a call whose members move `all` in
/// sum: max(own * byte_time, all * aggregate_byte_time).
double moving_seconds(const FileSystem& file_system, trace::Bytes own, trace::Bytes all);

} // namespace timeless::replay
