#include "trace/formats/dumpi/dumpi.h"

#include "base/error.h"
#include "trace/formats/common/reading.h"
#include "trace/formats/dumpi/call_kinds.h"
#include "trace/formats/dumpi/clocks.h"
#include "trace/formats/dumpi/file_names.h"
#include "trace/formats/dumpi/translation.h"
#include "trace/model/clocks.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

namespace timeless::trace::formats {

namespace {

using namespace dumpi;
namespace fs = std::filesystem;

std::string date_of(std::uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[32] = "";
  if (seconds > 0 && seconds < (std::uint64_t{1} << 35) && ::gmtime_r(&time, &parts) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// One rank's file as actions, translated while it is read.
class DumpiStream : public RankStream {
public:
  DumpiStream(const fs::path& path, const RunState& shared, Rank rank)
      : start_(shared.starts[static_cast<std::size_t>(rank)]), file_(path), records_(file_),
        translation_(file_, shared, rank) {}

  bool next(ActionBlock& block) override {
    constexpr std::size_t actions = 4096;
    block.clear();
    translation_.clear_times();
    translation_.new_block();
    while (block.size() < actions && records_.next(record_))
      translation_.translate(record_, block);
    return !block.empty();
  }

  /// Since the first rank left MPI_Init, where the ranks' clocks are one (clocks.h); else since this rank did.
  void read_times(ActionBlock& block) const override {
    if (translation_.times().size() != block.size()) return;
    std::vector<ActionTimes> times = translation_.times();
    for (ActionTimes& one : times) {
      one.entry += start_;
      one.exit += start_;
    }
    block.assign_times(times);
  }

private:
  std::uint64_t start_;
  RankFile file_;
  RecordReader records_;
  Translation translation_;
  Record record_;
};

/// Reads all files twice to begin with: for the communicators, which all ranks make together, then for the numbers of
/// actions and the kernels. `shared_` does not change after that, so any number of streams may be open.
class DumpiRun : public ImportedRun {
public:
  DumpiRun(const fs::path& path, const ImportOptions& options) : prefix_(prefix_of(path)) {
    shared_.counted = options.counted;
    run_.size = shared_.size = ranks_of(prefix_);
    Reading reading(options.progress);
    for (Rank rank = 0; rank < run_.size; ++rank)
      reading.expect({rank_path(prefix_, rank)}, 2);
    find_communicators(reading);
    count(reading);
    describe();
  }

  const Run& run() const override { return run_; }

  std::unique_ptr<RankStream> open(Rank rank) const override {
    if (run_.find(rank) == nullptr)
      throw Error(Failure::invalid_input, "no file holds rank " + std::to_string(rank), prefix_.string());
    return std::make_unique<DumpiStream>(rank_path(prefix_, rank), shared_, rank);
  }

  std::vector<fs::path> files() const override {
    std::vector<fs::path> all;
    std::error_code ignored;
    if (const fs::path meta = prefix_.string() + ".meta"; fs::exists(meta, ignored)) all.push_back(meta);
    for (const RankRecord& record : run_.ranks)
      all.push_back(rank_path(prefix_, record.rank));
    return all;
  }

private:
  /// Finds, of every rank, what it makes communicators of, and which number stands for no process.
  void find_communicators(Reading& reading) {
    std::vector<std::vector<Creation>> creations(static_cast<std::size_t>(run_.size));
    std::vector<bool> uses_self(static_cast<std::size_t>(run_.size));
    bool minus_one = false;
    bool minus_two = false;
    Record record;
    for (Rank rank = 0; rank < run_.size; ++rank) {
      const fs::path path = rank_path(prefix_, rank);
      std::error_code ignored;
      if (!fs::exists(path, ignored)) continue;
      const RankFile file(path);
      RecordReader records(file);
      LocalObjects objects;
      const auto index = static_cast<std::size_t>(rank);
      std::uint64_t before = 0;
      while (records.next(record)) {
        reading.add(records.bytes_read() - std::exchange(before, records.bytes_read()));
        clocks_.see(rank, record, records.wall_origin());
        if (auto made = objects.follow(record)) creations[index].push_back(std::move(*made));
        for (const LaidOut& field : layout(record.call).fields) {
          if (field.field == Field::dest && record.word(Field::dest) == -1) minus_one = true;
          if (field.field == Field::dest && record.word(Field::dest) == -2) minus_two = true;
          if (field.field == Field::comm || field.field == Field::oldcomm || field.field == Field::localcomm)
            uses_self[index] = uses_self[index] || objects.communicator(record.half(field.field)) == self_ordinal;
        }
      }
      add_rank(rank, file, records.ended());
      clocks_.end(rank, file);
    }
    shared_.starts = clocks_.starts(run_.size);
    shared_.no_process = minus_one && !minus_two ? -1 : -2;
    shared_.communicators = resolve(creations, uses_self);
  }

  void add_rank(Rank rank, const RankFile& file, bool ended) {
    const auto known = std::ranges::find(run_.hosts, file.host(), &Host::name);
    const auto host = static_cast<std::uint32_t>(known - run_.hosts.begin());
    if (known == run_.hosts.end()) run_.hosts.push_back({.name = file.host(), .cpu_model = {}});
    RankRecord record{.rank = rank, .host = host};
    if (!file.whole() || !ended) record.ending_reason = "its file stops before its end";
    for (std::size_t call = 0; call < file.ignored().size(); ++call)
      if (file.ignored()[call] > 0 && matters(static_cast<std::uint16_t>(call)))
        record.unrecorded_calls[std::string(layout(static_cast<std::uint16_t>(call)).name)] +=
            static_cast<std::uint64_t>(file.ignored()[call]);
    run_.ranks.push_back(std::move(record));
    if (run_.provenance.date.empty()) run_.provenance.date = date_of(file.started());
    const Version version = file.version();
    if (run_.provenance.tool_version.empty() && file.whole())
      run_.provenance.tool_version = "DUMPI " + std::to_string(version.major) + "." + std::to_string(version.minor) +
                                     "." + std::to_string(version.patch);
  }

  /// Translates everything once, for what stands in the ranks' records.
  void count(Reading& reading) {
    Record record;
    ActionBlock block;
    for (RankRecord& its : run_.ranks) {
      const RankFile file(rank_path(prefix_, its.rank));
      RecordReader records(file);
      Translation translation(file, shared_, its.rank, &shared_);
      std::uint64_t before = 0;
      while (records.next(record)) {
        translation.translate(record, block);
        if (block.size() < 4096) continue;
        reading.add(records.bytes_read() - std::exchange(before, records.bytes_read()));
        its.actions += block.size();
        block.clear();
        translation.clear_times();
        translation.new_block();
      }
      its.actions += block.size();
      block.clear();
      conclude(translation.remarks(), its);
    }
  }

  static void note(std::uint64_t count, const char* words, RankRecord& record) {
    if (count > 0) record.notes.push_back(std::to_string(count) + " " + words);
  }

  static void conclude(const Remarks& remarks, RankRecord& record) {
    if (remarks.finalized && record.ending_reason.empty()) {
      record.ending = Ending::finalized;
      record.recorded_time = remarks.duration;
    } else if (record.ending_reason.empty()) {
      record.ending_reason = "its file has no MPI_Finalize";
    }
    for (const auto& [call, times] : remarks.unrecorded)
      record.unrecorded_calls[call] += times;
    note(remarks.unknown_sizes, "sizes of datatypes are not known, and taken as 0", record);
    note(remarks.unknown_sources, "receives from any rank, or with any tag, do not say what they received", record);
    note(remarks.shared_requests, "requests were begun under a number still in use: an MPI library's shared one",
         record);
    note(remarks.left_open, "requests were never completed, and are freed at the end", record);
  }

  void describe() {
    run_.counter = {.name = "DUMPI",
                    .version = {},
                    .unit = VolumeUnit::nanoseconds,
                    .exactness = Exactness::inexact,
                    .threads = "calling"};
    run_.provenance.program = prefix_.filename().string();
    run_.provenance.mpi_library = "not said: read from DUMPI";
    run_.communicators = shared_.communicators.all;
    note_clocks();
    if (!run_.ranks.empty())
      for (const std::string& problem : shared_.communicators.problems)
        if (std::ranges::find(run_.ranks.front().notes, problem) == run_.ranks.front().notes.end())
          run_.ranks.front().notes.push_back(problem);
    // A kernel lies between two calls; DUMPI does not say where in the program these are, so their numbers stand for
    // the places, to tell kernels apart.
    run_.modules.emplace_back();
    const auto site = [](std::uint16_t call) { return CallSite{.module = 0, .offset = call}; };
    run_.kernels.resize(shared_.kernels.size());
    for (const auto& [between, kernel] : shared_.kernels)
      run_.kernels[kernel] = {.begin = site(between.first), .end = site(between.second)};
  }

  void note_clocks() {
    if (clocks_.state() == Clocks::State::differ)
      for (RankRecord& record : run_.ranks)
        record.notes.emplace_back(own_clock_note);
    if (clocks_.state() == Clocks::State::set)
      run_.ranks.front().notes.push_back("times of several hosts, whose clocks are set by when ranks left the first " +
                                         clocks_.call());
  }

  fs::path prefix_;
  Clocks clocks_;
  Run run_;
  RunState shared_;
};

} // namespace

bool looks_like_dumpi(std::string_view beginning) {
  const bool ranks_file = beginning.starts_with(std::string_view("\xff\xaa\xdd\x44UMPI", 8));
  return ranks_file || (beginning.starts_with("hostname=") && beginning.find("\nnumprocs=") != beginning.npos);
}

std::unique_ptr<ImportedRun> open_dumpi(const fs::path& path, const ImportOptions& options) {
  return std::make_unique<DumpiRun>(path, options);
}

} // namespace timeless::trace::formats
