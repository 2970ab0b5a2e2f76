#pragma once

#include "gather/assembly.h"
#include "gather/chunk.h"
#include "gather/stream.h"
#include "gather/survey.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::gather {

/// The blocks of surveyed ranks, for a stream.
/// Memory: one archive's index and one block.
class BlockSource : public ChunkSource {
public:
  /// The surveys must outlive the source. `places` are of some or all of their ranks.
  BlockSource(const std::vector<Survey>& surveys, std::vector<RankPlace> places);
  ~BlockSource() override;

  bool fill(Chunk& chunk) override;

  /// For each survey whose ranks have been read: what BlockReader::headers_checksum told of the last of them.
  const std::map<std::size_t, std::uint64_t>& headers_checksums() const { return headers_checksums_; }

private:
  struct Rank;
  bool advance();

  const std::vector<Survey>& surveys_;
  std::vector<RankPlace> places_;
  std::vector<std::size_t> inputs_; ///< for each place: which survey holds the rank
  std::size_t next_ = 0;
  std::unique_ptr<Rank> rank_; ///< the one being read
  std::map<std::size_t, std::uint64_t> headers_checksums_;
  // What is yet to be put into a chunk, and where it goes.
  std::string bytes_;
  std::string_view left_;
  std::uint64_t offset_ = 0;
};

} // namespace timeless::gather
