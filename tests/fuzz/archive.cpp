// A whole archive: whatever the bytes of a file are, it is refused, or read as far as it goes.
#include "tests/fuzz/archive_bytes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "trace/archive/reader.h"
#include "trace/model/action_block.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace timeless::fuzz {
namespace {

/// What one input may cost: loops make many actions of few bytes.
constexpr std::uint64_t most_actions = 1U << 18U;

void read_rank(const trace::ArchiveReader& archive, trace::Rank rank) {
  const auto stream = archive.open(rank);
  trace::ActionBlock block;
  std::uint64_t actions = 0;
  while (actions < most_actions && stream->next(block)) {
    stream->read_times(block);
    demand(block.times().empty() || block.times().size() == block.size(), "as many times as actions");
    for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      demand(has_volume(action.kind) || volume == 0, "only actions with a volume have one");
    });
    demand(block.size() > 0, "a window has actions");
    actions += block.size();
  }
}

void read_archive(std::string_view bytes) {
  static MemoryFile file;
  file.hold(bytes);
  reads([&] {
    const trace::ArchiveReader archive(file.path());
    int ranks = 0;
    for (const trace::RankRecord& record : archive.run().ranks)
      if (++ranks <= 16) reads([&] { read_rank(archive, record.rank); });
  });
}

/// Changes the blocks of an archive where they would be changed by somebody who knows their checksums.
class BlockMutator {
public:
  BlockMutator(std::string_view archive, unsigned seed) : random_(seed), blocks_(blocks_of(archive)) {}

  bool has_blocks() const { return !blocks_.empty(); }
  std::vector<Block>& mutated(std::size_t (*mutate)(std::uint8_t*, std::size_t, std::size_t)) {
    Block& block = any();
    switch (random_() % 8) {
    case 0:
      std::swap(block, any());
      break;
    case 1:
      blocks_.push_back(block);
      break;
    case 2:
      blocks_.erase(blocks_.begin() + (&block - blocks_.data()));
      break;
    case 3:
      change_header(block.header);
      break;
    default:
      change(block.payload, mutate);
    }
    return blocks_;
  }

private:
  Block& any() { return blocks_[random_() % blocks_.size()]; }

  void change_header(trace::BlockHeader& header) {
    switch (random_() % 4) {
    case 0:
      header.type = static_cast<trace::BlockType>(random_() % 10);
      break;
    case 1:
      header.rank = static_cast<trace::Rank>(random_() % 6) - 1;
      break;
    case 2:
      header.actions += static_cast<std::uint32_t>(random_() % 5) - 2;
      break;
    default:
      header.first_action += random_() % 5 - 2;
    }
  }

  static void change(std::string& bytes, std::size_t (*mutate)(std::uint8_t*, std::size_t, std::size_t)) {
    const std::size_t size = bytes.size();
    const std::size_t most = size + size / 4 + 16;
    bytes.resize(most);
    bytes.resize(mutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, most));
  }

  std::minstd_rand random_;
  std::vector<Block> blocks_;
};

} // namespace
} // namespace timeless::fuzz

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  using namespace timeless::fuzz;
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  BlockMutator mutator(text(data, size), seed / 4 + 1);
  if (!mutator.has_blocks()) return LLVMFuzzerMutate(data, size, most);
  const std::string bytes =
      archive_of(mutator.mutated(LLVMFuzzerMutate), text(data, size).substr(0, timeless::trace::file_header_bytes));
  if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless::fuzz;
  const std::string bytes(text(data, size));
  read_archive(bytes);
  if (const std::string whole = repaired(bytes); whole != bytes) read_archive(whole);
  return 0;
}
