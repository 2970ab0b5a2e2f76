#include "gather/files_source.h"

#include "gather/rank_files.h"
#include "gather/reader_pool.h"
#include "trace/encoding/block_codec.h"
#include "trace/error.h"

#include <algorithm>
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

/// One rank's stream. It keeps block places, not the file: the pool decides which files stay open.
class FileStream : public trace::RankStream {
public:
  FileStream(ReaderPool& archives, std::size_t file, const InputNumbers& numbers, std::vector<trace::BlockPlace> places)
      : archives_(archives), file_(file), numbers_(numbers), places_(std::move(places)) {}

  bool next(trace::ActionBlock& block) override {
    if (next_ == places_.size()) return false;
    archives_.open(file_)->read(places_[next_++], block);
    block.renumber(numbers_.communicators, numbers_.kernels);
    return true;
  }

private:
  ReaderPool& archives_;
  std::size_t file_;
  const InputNumbers& numbers_;
  std::vector<trace::BlockPlace> places_;
  std::size_t next_ = 0;
};

} // namespace

FilesSource::FilesSource(std::span<const std::filesystem::path> files) : state_(std::make_unique<State>(files)) {
  RunUnion all;
  for (std::size_t file = 0; file < files.size(); ++file)
    all.add(*state_->archives.open(file), files[file].string());
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
  const auto archive = state_->archives.open(file);
  const auto places = std::ranges::equal_range(archive->blocks(), rank, {},
                                               [](const trace::BlockPlace& place) { return place.header.rank; });
  return std::make_unique<FileStream>(state_->archives, file, state_->numbers[file],
                                      std::vector<trace::BlockPlace>(places.begin(), places.end()));
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
