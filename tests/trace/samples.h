#pragma once

#include "tests/temporary_directory.h"
#include "trace/codec/definitions/definitions.h"
#include "trace/model/action_block.h"
#include "trace/model/memory_source.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace timeless::trace::test {

/// An action that owns its lists, to be compared after its block is gone.
struct OwnedAction {
  explicit OwnedAction(const Action& from, std::uint64_t volume_ = 0);
  OwnedAction(const OwnedAction&) = delete;
  OwnedAction(OwnedAction&& other) noexcept : OwnedAction(other.action, other.volume) {}

  Action action;
  std::uint64_t volume;
  std::vector<RequestId> requests;
  std::vector<Bytes> counts;
  std::vector<Bytes> receive_counts;
  std::vector<Rank> ranks;
};

/// Returns everything a rank did, in order.
std::vector<OwnedAction> actions_of(const Source& source, Rank rank);
bool same_actions(std::span<const OwnedAction> left, std::span<const OwnedAction> right);

/// Returns a run using every field an action has, long enough for several blocks.
MemorySource varied_run(Rank size = 3, std::size_t rounds = 40, std::size_t actions_per_block = 64);

/// Says which program a run is of, and which run of it.
void name_program(Run& run, const std::string& program, const std::string& build, std::uint64_t identity);

/// Writes a run as one archive, the way a gathered one looks.
void write_archive(const Source& source, const std::filesystem::path& path, bool with_times = false);

std::string file_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, std::string_view bytes);

using timeless::test::TemporaryDirectory;

} // namespace timeless::trace::test
