#include "analysis/wavefront/wavefront_program.h"

#include <cmath>
#include <memory>
#include <utility>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionBlock;
using trace::ActionKind;
using trace::MemorySource;
using trace::Rank;
using trace::RankStream;

std::uint64_t nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

/// One processor's part of a sweep, from the north west or back.
struct ProcessorSweep {
  Rank rank = 0;
  Rank north = trace::no_rank; ///< none at an edge
  Rank west = trace::no_rank;
  Rank south = trace::no_rank;
  Rank east = trace::no_rank;
  std::uint64_t bytes_along_column = 0;
  std::uint64_t bytes_along_row = 0;
  double work = 0;
  double jacobian = 0;
};

void add(MemorySource& program, const ProcessorSweep& part, std::uint32_t slices) {
  const auto message = [&](ActionKind kind, Rank peer, std::uint64_t bytes) {
    if (peer != trace::no_rank) program.add(part.rank, {.kind = kind, .peer = peer, .bytes = bytes});
  };
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    if (slice > 0) program.compute(part.rank, nanoseconds(part.jacobian));
    message(ActionKind::receive, part.north, part.bytes_along_column);
    message(ActionKind::receive, part.west, part.bytes_along_row);
    program.compute(part.rank, nanoseconds(part.work));
    message(ActionKind::send, part.south, part.bytes_along_column);
    message(ActionKind::send, part.east, part.bytes_along_row);
  }
}

ProcessorSweep lower_sweep(const Wavefront& wavefront, std::uint32_t column, std::uint32_t row) {
  ProcessorSweep part{.rank = wavefront.rank(column, row),
                      .bytes_along_column = wavefront.bytes_south(column),
                      .bytes_along_row = wavefront.bytes_east(row),
                      .work = wavefront.slice(column, row) * wavefront.work.lower,
                      .jacobian = wavefront.slice(column, row) * wavefront.work.lower_jacobian};
  if (row > 0) part.north = wavefront.rank(column, row - 1);
  if (column > 0) part.west = wavefront.rank(column - 1, row);
  if (row + 1 < wavefront.rows) part.south = wavefront.rank(column, row + 1);
  if (column + 1 < wavefront.columns) part.east = wavefront.rank(column + 1, row);
  return part;
}

ProcessorSweep upper_sweep(const Wavefront& wavefront, std::uint32_t column, std::uint32_t row) {
  ProcessorSweep part = lower_sweep(wavefront, column, row);
  std::swap(part.north, part.south);
  std::swap(part.west, part.east);
  part.work = wavefront.slice(column, row) * wavefront.work.upper;
  part.jacobian = wavefront.slice(column, row) * wavefront.work.upper_jacobian;
  return part;
}

MemorySource one_iteration(const Wavefront& wavefront) {
  require_possible(wavefront);
  MemorySource program(static_cast<Rank>(wavefront.columns * wavefront.rows));
  for (std::uint32_t row = 0; row < wavefront.rows; ++row)
    for (std::uint32_t column = 0; column < wavefront.columns; ++column) {
      add(program, lower_sweep(wavefront, column, row), wavefront.points[2]);
      add(program, upper_sweep(wavefront, column, row), wavefront.points[2]);
    }
  return program;
}

/// Initialisation, the iteration again and again, verification and the end.
class RepeatedStream : public RankStream {
public:
  RepeatedStream(const MemorySource& iteration, Rank rank, const Wavefront& wavefront)
      : iteration_(iteration), rank_(rank), wavefront_(wavefront) {}

  bool next(ActionBlock& block) override {
    if (!begun_) {
      begun_ = true;
      block.clear();
      block.append_compute(0, nanoseconds(wavefront_.initialisation));
      return true;
    }
    while (done_ < wavefront_.iterations) {
      if (!stream_) stream_ = iteration_.open(rank_);
      if (stream_->next(block)) return true;
      stream_.reset();
      ++done_;
    }
    if (std::exchange(ended_, true)) return false;
    block.clear();
    block.append_compute(0, nanoseconds(wavefront_.verification));
    block.append({.kind = ActionKind::finalize});
    return true;
  }

private:
  const MemorySource& iteration_;
  Rank rank_;
  const Wavefront& wavefront_;
  std::unique_ptr<RankStream> stream_;
  std::uint64_t done_ = 0;
  bool begun_ = false;
  bool ended_ = false;
};

} // namespace

WavefrontProgram::WavefrontProgram(const Wavefront& wavefront)
    : wavefront_(wavefront), iteration_(one_iteration(wavefront)), run_(iteration_.run()) {
  run_.counter = {.name = "wavefront", .version = {}, .unit = trace::VolumeUnit::nanoseconds};
  for (trace::RankRecord& record : run_.ranks) {
    record.host = static_cast<std::uint32_t>(record.rank) / wavefront.ranks_per_node;
    record.actions = record.actions * wavefront.iterations + 3; // two computations and the end
    record.ending = trace::Ending::finalized;
  }
}

std::unique_ptr<RankStream> WavefrontProgram::open(Rank rank) const {
  return std::make_unique<RepeatedStream>(iteration_, rank, wavefront_);
}

} // namespace timeless::analysis
