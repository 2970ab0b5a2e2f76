#include "tracer/recorder.h"

#include "trace/error.h"
#include "tracer/call_scope.h"
#include "tracer/host.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <utility>

namespace timeless::tracer {

namespace {

/// Full blocks that may wait for the source of a wildcard receive; beyond, the receive is written without it.
constexpr std::size_t blocks_held = 16;

constexpr const char* call_names[] = {
#define MPI_CALL(name) "MPI_" #name,
#include "call_ids.inc"
#undef MPI_CALL
};

constexpr std::size_t number_of_calls = std::size(call_names);

std::filesystem::path file_of_rank(const Settings& settings, int rank) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%06d%s", rank, std::string(trace::archive_extension).c_str());
  return settings.directory / name;
}

/// Creates the rank's file and what it stands in.
trace::ArchiveWriter create_file(const Settings& settings, int rank) {
  const std::filesystem::path path = file_of_rank(settings, rank);
  std::error_code failure;
  std::filesystem::create_directories(settings.directory, failure);
  if (failure)
    throw Error(Failure::runtime, "cannot create the trace directory: " + failure.message(),
                settings.directory.string(), "set TIMELESS_DIR to a directory this host can write to");
  if (std::filesystem::exists(path, failure))
    throw Error(Failure::runtime, "there is a trace already", path.string(),
                "remove it, or set TIMELESS_DIR to another directory");
  try {
    return trace::ArchiveWriter(path);
  } catch (const Error& error) {
    throw Error(Failure::runtime, error.description(), path.string(),
                "set TIMELESS_DIR to a directory this host can write to");
  }
}

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

} // namespace

const char* mpi_name(CallId call) {
  return call_names[static_cast<std::size_t>(call)];
}

Recorder::Recorder(const Settings& settings, ActiveCounter counter, int rank, int size)
    : settings_(settings), counter_(std::move(counter)), rank_(rank), size_(size), process_(::getpid()),
      writer_(create_file(settings, rank)),
      blocks_(settings.actions_per_block, blocks_held, [this](const trace::ActionBlock& block) { write(block); }),
      unrecorded_(number_of_calls), paused_(settings.paused) {
  record_.rank = rank;
  record_.skew_per_call = counter_.skew;
  communicators_.start();
}

void Recorder::begin(std::uint64_t run_identity) {
  trace::Definitions definitions;
  definitions.size = size_;
  definitions.counter = counter_.identity;
  definitions.provenance = this_program();
  definitions.provenance->run_identity = run_identity;
  definitions.hosts.push_back(this_host());
  definitions.communicators = communicators_.take_new();
  definitions.ranks.push_back(record_);
  writer_.define(definitions);
}

void Recorder::discard() noexcept {
  std::error_code ignored;
  finished_ = true;
  std::filesystem::remove(file_of_rank(settings_, rank_), ignored);
  std::filesystem::remove(settings_.directory, ignored); // fails unless it is empty
}

std::unique_lock<std::mutex> Recorder::enter(CallScope& call) {
  auto held = locked_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  call_ = &call;
  return held;
}

Place Recorder::append(const trace::Action& action, bool unsettled) {
  if (paused_ || finished_) return {};
  record_computation();
  return blocks_.append(action, unsettled);
}

void Recorder::append_of_recorded(const trace::Action& action) {
  if (finished_) return;
  if (paused_)
    call_->take_computation();
  else
    record_computation();
  blocks_.append(action);
}

void Recorder::pause(bool paused) {
  if (paused_ || finished_) {
    call_->take_computation();
    if (workers_present()) take_worker_volumes();
  } else if (paused) {
    record_computation();
  }
  paused_ = paused;
}

void Recorder::record_computation() {
  const std::uint64_t volume = call_->take_computation();
  if (counter_.identity.unit == trace::VolumeUnit::none) return;
  ThreadState& thread = call_->thread();
  const std::uint32_t site = kernels_.site(call_->site());
  const std::uint32_t begin = std::exchange(thread.last_site, site);
  if (volume > 0) blocks_.append_volume(trace::ActionKind::compute, kernels_.kernel(begin, site), volume);
  if (workers_present()) record_workers(begin, site);
}

void Recorder::record_workers(std::uint32_t begin, std::uint32_t end) {
  cease_to_be_worker();
  const WorkerVolumes volumes = take_worker_volumes();
  if (volumes.sum == 0) return;
  const trace::KernelId kernel = kernels_.kernel(begin, end);
  blocks_.append_volume(trace::ActionKind::workers_sum, kernel, volumes.sum);
  blocks_.append_volume(trace::ActionKind::workers_maximum, kernel, volumes.maximum);
}

void Recorder::count_unrecorded() {
  if (!paused_) ++unrecorded_[static_cast<std::size_t>(call_->call())];
}

KnownCommunicator* Recorder::communicator(MPI_Comm handle) {
  KnownCommunicator* const known = communicators_.find(handle);
  if (known == nullptr) count_unrecorded();
  return known;
}

void Recorder::write(const trace::ActionBlock& block) {
  define_new();
  writer_.write(rank_, block);
  record_.actions += block.size();
}

/// What the next block may use must stand before it.
void Recorder::define_new() {
  trace::Definitions definitions;
  definitions.communicators = communicators_.take_new();
  definitions.modules = kernels_.take_new_modules();
  definitions.kernels = kernels_.take_new_kernels();
  if (!definitions.empty()) writer_.define(definitions);
}

void Recorder::finish(trace::Ending ending, const std::string& reason) noexcept {
  if (std::exchange(finished_, true)) return;
  try {
    // After a failure there is no room for what is still held, but there may be for the end.
    if (!failed_) {
      blocks_.flush();
      define_new();
    }
    record_.actions = writer_.actions_written(rank_);
    record_.ending = ending;
    record_.ending_reason = reason;
    for (std::size_t call = 0; call < number_of_calls; ++call)
      if (unrecorded_[call] > 0) record_.unrecorded_calls[call_names[call]] = unrecorded_[call];
    trace::Definitions definitions;
    definitions.ranks.push_back(record_);
    writer_.define(definitions);
    writer_.finish();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "timeless: the trace of rank %d is cut short: %s\n", rank_, failure.what());
  }
}

void Recorder::fail(const char* reason) noexcept {
  active_recorder.store(nullptr);
  if (finished_) return;
  failed_ = true;
  std::fprintf(stderr, "timeless: recording stopped on rank %d, the program goes on: %s\n", rank_, reason);
  finish(trace::Ending::stopped, reason);
}

std::string Recorder::summary() const {
  std::string line = "timeless: recorded " + std::to_string(size_) + (size_ == 1 ? " rank, " : " ranks, ") +
                     with_separators(record_.actions) + " actions on rank " + std::to_string(rank_) + ", counter " +
                     counter_.identity.name;
  if (counter_.identity.unit != trace::VolumeUnit::none)
    line += std::string(" (") + name(counter_.identity.exactness) + " " + name(counter_.identity.unit) + ")";
  line += ", in " + settings_.directory.string() + "; next: timeless gather " + settings_.directory.string();
  const char* separator = "; NOT recorded: ";
  for (const auto& [call, times] : record_.unrecorded_calls) {
    line += separator + call + " (" + with_separators(times) + (times == 1 ? " call)" : " calls)");
    separator = ", ";
  }
  return line;
}

} // namespace timeless::tracer
