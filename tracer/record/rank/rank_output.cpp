#include "tracer/record/rank/rank_output.h"

#include "base/error.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/process/signals.h"
#include "tracer/record/rank/call_ids.h"
#include "tracer/record/rank/call_times.h"
#include "tracer/storage/rank_file.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <utility>

namespace timeless::tracer {

namespace {

/// Creates the rank's file and what it stands in.
trace::ArchiveWriter create_file(const Settings& settings, int rank) {
  const std::filesystem::path path = file_of_rank(settings, rank);
  std::error_code failure;
  std::filesystem::create_directories(settings.directory, failure);
  if (failure)
    throw Error(Failure::runtime, "cannot create the trace directory: " + failure.message(),
                settings.directory.string(), "set TIMELESS_DIR to a directory this host can write to");
  const Error taken(Failure::usage, "there is a trace already", path.string(),
                    "remove it, or set TIMELESS_DIR to another directory");
  if (std::filesystem::exists(path, failure)) throw taken;
  try {
    return trace::ArchiveWriter(path);
  } catch (const Error& error) {
    if (std::filesystem::exists(path, failure)) throw taken; // by now
    throw Error(Failure::runtime, error.description(), path.string(),
                error.advice().empty() ? "set TIMELESS_DIR to a directory this host can write to" : error.advice());
  }
}

} // namespace

std::size_t blocks_held(const Settings& settings) {
  constexpr std::size_t actions_held = std::size_t{1} << 16U;
  return std::clamp<std::size_t>(actions_held / settings.actions_per_block, 4, 16);
}

RankOutput::RankOutput(const Settings& settings, int rank, CommunicatorTable& communicators, KernelTable& kernels,
                       RegionTable& regions)
    : settings_(settings), rank_(rank), writer_(create_file(settings, rank)),
      new_definitions_(communicators, kernels, regions), unrecorded_(call_names().size()) {
  record.rank = rank;
}

void RankOutput::begin(trace::Definitions run, BlockQueue& blocks) {
  begin_journal(run, blocks);
  run.ranks.push_back(record);
  writer_.define(run);
}

void RankOutput::begin_journal(const trace::Definitions& run, BlockQueue& blocks) {
  try {
    journal_ = std::make_unique<Journal>(file_of_rank(settings_, rank_, trace::journal_extension),
                                         Journal::Setup{.run_identity = run.provenance->run_identity,
                                                        .rank = rank_,
                                                        .world = key_of(mpi().comm_world),
                                                        .calls = {call_names().begin(), call_names().end()},
                                                        .blocks = blocks_held(settings_) + 1,
                                                        .actions_per_block = settings_.actions_per_block,
                                                        .times = timestamps});
    blocks.keep(*journal_, [this, &blocks] {
      if (!new_definitions_.any_for_journal()) return;
      if (!blocks.define(new_definitions_.take_for_journal())) define_new();
    });
  } catch (const Error& failure) {
    record.notes.push_back("no journal (" + failure.description() +
                           "): if the rank is killed, what it does after its last full block is lost");
  }
}

void RankOutput::write(const trace::ActionBlock& block) {
  define_new();
  // After a failure, a large block may be in the file in part.
  const std::uint64_t there = writer_.actions_written(rank_) - record.actions;
  if (there == 0)
    writer_.write(rank_, block);
  else
    writer_.write(rank_, trace::part(block, static_cast<std::size_t>(there), block.size()));
  record.actions += block.size();
}

void RankOutput::define_new() {
  const trace::Definitions& definitions = new_definitions_.for_file();
  if (!definitions.empty()) writer_.define(definitions);
  new_definitions_.in_file();
}

void RankOutput::count_unrecorded(CallId call) {
  const auto place = static_cast<std::size_t>(call);
  std::atomic_ref(unrecorded_[place]).fetch_add(1, std::memory_order_relaxed);
  if (journal_ != nullptr) journal_->count_unrecorded(place);
}

void RankOutput::free_journal_room() {
  if (journal_) journal_->shrink();
}

void RankOutput::remove_journal() {
  if (journal_) journal_->remove();
}

void RankOutput::discard() noexcept {
  std::error_code ignored;
  std::filesystem::remove(file_of_rank(settings_, rank_), ignored);
  remove_journal();
  // Fails unless it is empty. What `timeless record` has made stays, for it to look into.
  if (settings_.recording == 0 || settings_.directory != trace_directory())
    std::filesystem::remove(settings_.directory, ignored);
}

void RankOutput::finish(const std::vector<std::string>& shortcomings) {
  record.actions = writer_.actions_written(rank_);
  if (writer_.times_reopened() > 0)
    record.notes.push_back("the program closed descriptors that are not its own, the trace's among them, which was "
                           "opened again");
  for (std::size_t call = 0; call < unrecorded_.size(); ++call)
    if (unrecorded_[call] > 0) record.unrecorded_calls[call_names()[call]] = unrecorded_[call];
  trace::Definitions definitions;
  definitions.ranks.push_back(record);
  std::ranges::copy(shortcomings, std::back_inserter(definitions.ranks.back().notes));
  writer_.define(definitions);
  writer_.finish();
  forget_journal();
  remove_journal();
}

} // namespace timeless::tracer
