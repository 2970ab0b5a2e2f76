#include "gather/merge/files_source.h"

#include "base/error.h"
#include "gather/parts/rank_files.h"
#include "gather/parts/reader_pool.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace timeless::gather {

struct FilesSource::State {
  explicit State(std::span<const std::filesystem::path> files) : archives({files.begin(), files.end()}) {}

  ReaderPool archives;
  UnitedRun united;
  /// For each file: its own run's numbers in terms of the united run's.
  std::vector<InputNumbers> numbers;
};

namespace {

/// One rank's stream. It keeps its place, not the file: the pool decides which files stay open. A file opened again may
/// have grown since the run was united, and its last blocks then have other bounds: the stream ends where it did.
class FileStream : public trace::RankStream {
public:
  FileStream(ReaderPool& archives, std::size_t file, const InputNumbers& numbers, const trace::RankRecord& record)
      : archives_(archives), file_(file), numbers_(numbers), rank_(record.rank), actions_(record.actions) {}

  bool next(trace::ActionBlock& block) override {
    if (position_ >= actions_) return false;
    const auto archive = archives_.open(file_);
    const trace::ActionSegment segment = segment_with(*archive, position_);
    archive->read(segment, block);
    const std::uint64_t first = segment.first_action;
    const std::uint64_t end = std::min<std::uint64_t>(first + block.size(), actions_);
    if (first < position_ || end < first + block.size())
      block = part(block, static_cast<std::size_t>(position_ - first), static_cast<std::size_t>(end - first));
    block.renumber(numbers_.communicators, numbers_.kernels, numbers_.regions);
    last_ = position_;
    position_ = end;
    return true;
  }

  void read_times(trace::ActionBlock& block) const override {
    const auto archive = archives_.open(file_);
    const trace::ActionSegment segment = segment_with(*archive, last_);
    const std::uint64_t first = segment.first_action;
    if (first == last_ && segment.actions == block.size()) return archive->read_times(segment, block);
    // The block given was a part of this one.
    trace::ActionBlock whole;
    archive->read(segment, whole);
    archive->read_times(segment, whole);
    const auto begin = static_cast<std::size_t>(last_ - first);
    if (whole.times().size() < begin + block.size()) return;
    const auto times = whole.times().subspan(begin, block.size());
    block.assign_times({times.begin(), times.end()});
  }

private:
  /// Returns the segment that holds the rank's action with this ordinal.
  trace::ActionSegment segment_with(const trace::ArchiveReader& archive, std::uint64_t action) const {
    const auto segments = archive.segments(rank_, action, 1);
    if (segments.empty())
      throw Error(Failure::invalid_input, "actions are missing from action " + std::to_string(action) + " on",
                  archive.path().string() + ", rank " + std::to_string(rank_));
    return segments.front();
  }

  ReaderPool& archives_;
  std::size_t file_;
  const InputNumbers& numbers_;
  trace::Rank rank_;
  std::uint64_t actions_;
  std::uint64_t position_ = 0;
  std::uint64_t last_ = 0; ///< ordinal of the first action of the block last read
};

} // namespace

FilesSource::FilesSource(std::span<const std::filesystem::path> files) : state_(std::make_unique<State>(files)) {
  RunUnion all;
  for (std::size_t file = 0; file < files.size(); ++file)
    all.add(part_of(*state_->archives.open(file), files[file].string()));
  state_->united = all.finish();
  state_->numbers = std::move(state_->united.input_numbers);
}

FilesSource::~FilesSource() = default;

const trace::Run& FilesSource::run() const {
  return state_->united.run;
}

std::unique_ptr<trace::RankStream> FilesSource::open(trace::Rank rank) const {
  const auto& ranks = state_->united.run.ranks;
  const auto record = std::ranges::lower_bound(ranks, rank, {}, &trace::RankRecord::rank);
  if (record == ranks.end() || record->rank != rank)
    throw Error(Failure::invalid_input, "no file holds rank " + std::to_string(rank));
  const std::size_t file = state_->united.inputs[static_cast<std::size_t>(record - ranks.begin())];
  return std::make_unique<FileStream>(state_->archives, file, state_->numbers[file], *record);
}

std::unique_ptr<trace::Source> open_run(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return std::make_unique<trace::ArchiveReader>(path);
  std::vector<std::filesystem::path> files;
  for (const RankFile& file : list_rank_files(path))
    files.push_back(file.path);
  if (files.empty())
    throw Error(Failure::invalid_input, "the directory holds no rank files (rank-000000.tia ...)", path.string(),
                "name the directory the run was recorded into, or a gathered archive");
  return std::make_unique<FilesSource>(files);
}

} // namespace timeless::gather
