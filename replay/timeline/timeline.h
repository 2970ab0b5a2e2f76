#pragma once

#include "base/files/new_file.h"
#include "replay/result/observer.h"
#include "replay/result/result.h"
#include "replay/timeline/event_sorter.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay::timeline {

/// The formats of a timeline.
enum class TimelineFormat : std::uint8_t { perfetto, paje, csv, text, otf2 };

/// Where a timeline is written, and which part of the replay is in it.
struct TimelineOptions {
  std::filesystem::path file;
  Existing existing = Existing::refuse; ///< of OTF2, only an archive that it wrote is replaced
  bool writes = true; ///< false: another process writes the file; this one observes its share of the ranks
  TimelineFormat format = TimelineFormat::perfetto;
  std::string lane = {}; ///< its name, or its number from 0; empty: the first
  /// Actions that lie wholly before or after this window are left out.
  double from = 0;
  double to = std::numeric_limits<double>::infinity();
  std::vector<std::pair<trace::Rank, trace::Rank>> ranks = {}; ///< first and last; empty: all
  /// What events may take in memory before they go to the disk.
  std::size_t memory = std::size_t{1} << 26U;
  std::function<std::string(trace::KernelId)> kernel = {}; ///< names a kernel; by its number without
};

/// Writes what the ranks of a replay did in one lane, in the order of time: to be given to it as its observer.
///
/// Memory: TimelineOptions::memory, and what is kept per rank and sort of call, per message by Paje and OTF2 when
/// something is left out, and by OTF2 a quarter MiB a rank. Disk: in the file's directory, some 150 bytes an action
/// beside the file, until it is written.
class Timeline : public Observer {
public:
  /// Throws Error(usage) when the file exists and is not to be replaced, Error(runtime) when it cannot be written.
  explicit Timeline(TimelineOptions options);
  ~Timeline() override;

  TimeWindow window() const override { return {.from = options_.from, .to = options_.to}; }
  std::size_t lane(std::span<const std::string> lanes) override;
  void begin(const trace::Run& run) override;
  void start(trace::Rank rank, double seconds) override;
  void leave_out() override { left_out_ = true; }
  void observe(const ObservedAction& action) override;

  /// Writes the file; the bytes in it. Throws Error(runtime) when the disk is full, and Error(invalid_input) when the
  /// lane's ranks came to wait for each other.
  ///
  /// `others` observed the other ranks in other processes.
  struct Other {
    EventLabels labels;
    std::unique_ptr<EventStream> events;
  };
  std::uint64_t finish(const Result& result, std::vector<Other> others = {});

  /// Returns what there is to know of this process's events, for the process that writes; for_each() gives them in
  /// order.
  EventLabels labels();
  void for_each(const Visit& visit) { sorter_.for_each(visit); }

  /// Returns how many actions are in it.
  std::uint64_t actions() const { return sorter_.size(); }

private:
  class Merger;

  bool wanted(trace::Rank rank) const;
  std::uint32_t number_of(std::string name);

  TimelineOptions options_;
  std::unique_ptr<NewFile> output_;
  EventSorter sorter_;
  std::map<std::string, std::uint32_t> calls_;
  std::set<trace::Rank> ranks_;
  std::size_t lane_ = 0;
  bool left_out_ = false;
  std::vector<trace::Communicator> communicators_; ///< for OTF2
};

} // namespace timeless::replay::timeline
