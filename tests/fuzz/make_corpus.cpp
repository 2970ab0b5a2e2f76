// make_corpus DIRECTORY ARCHIVE...: takes archives and rank files apart into inputs for the fuzzers, one folder each.
// What is there already, or is too large to be changed often, is left out.
#include "tests/fuzz/archive_bytes.h"
#include "tests/temporary_directory.h"

#include "gather/parts/run_part.h"
#include "gather/tree/chunk.h"
#include "gather/tree/division.h"
#include "trace/archive/reader.h"
#include "trace/archive/writer.h"
#include "trace/codec/layout.h"
#include "trace/codec/structure/folding.h"
#include "trace/codec/volumes/volume_codec.h"
#include "trace/journal/image.h"
#include "trace/model/action_block.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace timeless::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_input = 6000;

class Corpus {
public:
  explicit Corpus(fs::path directory) : directory_(std::move(directory)) {}

  void add(const char* fuzzer, const std::string& input, std::size_t largest = largest_input) const {
    if (input.empty() || input.size() > largest) return;
    char name[17];
    std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(trace::checksum(input)));
    fs::create_directories(directory_ / fuzzer);
    std::ofstream(directory_ / fuzzer / name, std::ios::binary) << input;
  }

private:
  fs::path directory_;
};

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string two_bytes(std::size_t number) {
  return {static_cast<char>(number & 0xffU), static_cast<char>(number >> 8U)};
}

void add_block(const Corpus& corpus, const Block& block) {
  switch (block.header.type) {
  case trace::BlockType::definitions:
    return corpus.add("definitions", block.payload);
  case trace::BlockType::index:
    return corpus.add("index", block.payload);
  case trace::BlockType::times:
    return corpus.add("times", two_bytes(block.header.actions) + block.payload);
  case trace::BlockType::structure:
    return corpus.add("structure", block.payload);
  case trace::BlockType::volumes:
    return corpus.add("volumes", block.payload);
  case trace::BlockType::shared:
    if (block.header.actions < 256) corpus.add("shared", static_cast<char>(block.header.actions) + block.payload);
    return;
  case trace::BlockType::layout:
    return corpus.add("shared", '\0' + block.payload);
  }
}

/// Structures with the volumes that follow them.
void add_segments(const Corpus& corpus, const std::vector<Block>& blocks) {
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i)
    if (blocks[i].header.type == trace::BlockType::structure && blocks[i + 1].header.type == trace::BlockType::volumes)
      corpus.add("segment", two_bytes(blocks[i].payload.size()) + '\0' + blocks[i].payload + blocks[i + 1].payload);
}

/// A rank's actions as a folded sequence, and its volumes by kernel.
void add_rank(const Corpus& corpus, const trace::Source& archive, trace::Rank rank) {
  std::map<std::tuple<trace::ActionKind, trace::KernelId, trace::Rank, trace::Bytes>, std::uint32_t> numbers;
  std::map<trace::KernelId, std::vector<std::uint64_t>> volumes;
  trace::SequenceFolder folder;
  trace::ActionBlock block;
  for (const auto stream = archive.open(rank); stream->next(block);)
    for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      const auto next = static_cast<std::uint32_t>(numbers.size());
      folder.append(numbers.try_emplace({action.kind, action.kernel, action.peer, action.bytes}, next).first->second);
      if (has_volume(action.kind)) volumes[action.kernel].push_back(volume);
    });
  std::string sequence = {0, static_cast<char>(std::min<std::size_t>(numbers.size(), 256) - 1)};
  folder.finish().encode(sequence);
  if (numbers.size() <= 256) corpus.add("sequence", sequence);
  std::vector<std::span<const std::uint64_t>> streams;
  for (const auto& [kernel, values] : volumes)
    streams.emplace_back(values);
  std::string payload;
  trace::VolumeEncoder().encode(streams, payload);
  corpus.add("volumes", payload);
}

/// Returns the structures of a file as ranks of a run would share them.
std::string sharing(const std::vector<Block>& blocks, const trace::Run& run) {
  std::vector<std::string> structures;
  for (const Block& block : blocks)
    if (block.header.type == trace::BlockType::structure) structures.push_back(block.payload);
  if (structures.empty()) return "";
  std::vector<std::uint32_t> numbers(structures.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  const timeless::test::TemporaryDirectory directory;
  trace::ArchiveWriter writer(directory / "shared.tia");
  writer.define(definitions_of(run));
  writer.share(structures);
  trace::Layout layout;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
    layout.add(std::span(numbers).first(rank % 2 == 0 ? numbers.size() : 1));
  writer.write(layout);
  writer.finish();
  return bytes_of(directory / "shared.tia");
}

/// What a process that gathers this file would send.
void add_messages(const Corpus& corpus, const fs::path& path, const std::string& bytes) {
  corpus.add("run_part", encode(gather::part_of(trace::ArchiveReader(path), "node1:rank")));
  const std::vector<gather::SeenFile> seen = {gather::see(path), gather::see(path)};
  corpus.add("messages", '\0' + gather::encode(seen));
  gather::Chunk chunk(1024);
  chunk.add(gather::Space::blocks, 16, std::string_view(bytes).substr(0, 300));
  chunk.add(gather::Space::structures, 0, std::string_view(bytes).substr(0, 100));
  chunk.seal([](std::string_view message) { return trace::checksum(message); });
  corpus.add("messages", '\1' + std::string(chunk.message()));
}

void take_apart(const Corpus& corpus, const fs::path& path) {
  const std::string bytes = bytes_of(path);
  corpus.add("archive", bytes);
  corpus.add("headers", bytes.substr(0, trace::file_header_bytes + trace::block_header_bytes));
  if (bytes.size() > trace::footer_bytes) corpus.add("headers", bytes.substr(bytes.size() - trace::footer_bytes));
  add_messages(corpus, path, bytes);
  const std::vector<Block> blocks = blocks_of(bytes);
  for (const Block& block : blocks)
    add_block(corpus, block);
  add_segments(corpus, blocks);
  const trace::ArchiveReader archive(path);
  const std::string shared = sharing(blocks, archive.run());
  corpus.add("archive", shared);
  for (const Block& block : blocks_of(shared))
    add_block(corpus, block);
  for (const trace::RankRecord& record : archive.run().ranks)
    add_rank(corpus, archive, record.rank);
  const fs::path journal = trace::journal_beside(path);
  if (fs::exists(journal)) corpus.add("journal", bytes_of(journal), 1U << 16U);
}

} // namespace
} // namespace timeless::fuzz

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_corpus DIRECTORY ARCHIVE...\n");
    return 2;
  }
  try {
    const timeless::fuzz::Corpus corpus(argv[1]);
    for (int i = 2; i < argc; ++i)
      timeless::fuzz::take_apart(corpus, argv[i]);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "make_corpus: %s\n", failure.what());
    return 1;
  }
  return 0;
}
