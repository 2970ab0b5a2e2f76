#pragma once

#include "trace/model/ids.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace timeless::trace::formats::ti {

/// The actions of the text.
enum class Word : std::uint8_t {
  init,
  finalize,
  nothing,
  compute,
  sleep,
  send,
  isend,
  recv,
  irecv,
  wait,
  test,
  waitall,
  sendrecv,
  barrier,
  bcast,
  reduce,
  allreduce,
  scan,
  exscan,
  alltoall,
  allgather,
  gather,
  scatter,
  gatherv,
  allgatherv,
  scatterv,
  alltoallv,
  reducescatter,
};

/// Returns the action of this name; nothing when there is none.
std::optional<Word> word(std::string_view name);

/// Reads a rank, "3" or "p3"; nothing when it is none.
std::optional<Rank> rank_word(std::string_view text);

/// Returns a finite number; nothing when it is none.
std::optional<double> number_word(std::string_view text);

/// Splits a line of a trace; false for one that says nothing. `[time] rank action values... duration`, SimGrid's print
/// of a replay, loses its times.
bool split_action(std::string_view line, std::vector<std::string_view>& parts);

} // namespace timeless::trace::formats::ti
