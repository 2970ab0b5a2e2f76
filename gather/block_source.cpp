#include "gather/block_source.h"

#include <algorithm>
#include <utility>

namespace timeless::gather {

struct BlockSource::Rank {
  Rank(const Survey& survey, const RankPlace& at)
      : place(at), archive(survey.path), reader(archive, survey, at.blocks), offset(at.offset) {}

  RankPlace place;
  trace::ArchiveReader archive;
  BlockReader reader;
  std::uint64_t offset; ///< of the next block
};

BlockSource::BlockSource(const std::vector<Survey>& surveys, std::vector<RankPlace> places)
    : surveys_(surveys), places_(std::move(places)) {
  for (const RankPlace& place : places_) {
    const auto holder = std::ranges::find_if(surveys_, [&](const Survey& survey) {
      return std::ranges::binary_search(survey.ranks, place.blocks.rank, {}, &RankBlocks::rank);
    });
    inputs_.push_back(static_cast<std::size_t>(holder - surveys_.begin()));
  }
}

BlockSource::~BlockSource() = default;

/// The next bytes into left_; false when there are none.
bool BlockSource::advance() {
  if (!rank_) {
    if (next_ == places_.size()) return false;
    rank_ = std::make_unique<Rank>(surveys_.at(inputs_[next_]), places_[next_]);
    ++next_;
  }
  trace::BlockHeader header;
  if (rank_->reader.next(header, bytes_)) {
    left_ = bytes_;
    offset_ = rank_->offset;
    rank_->offset += bytes_.size();
  } else {
    headers_checksums_[inputs_[next_ - 1]] = rank_->reader.headers_checksum();
    rank_.reset();
  }
  return true;
}

bool BlockSource::fill(Chunk& chunk) {
  do {
    while (!left_.empty()) {
      const std::size_t taken = chunk.add(Space::blocks, offset_, left_);
      if (taken == 0) return true;
      left_.remove_prefix(taken);
      offset_ += taken;
    }
  } while (advance());
  return false;
}

} // namespace timeless::gather
