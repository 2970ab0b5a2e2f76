#include "gather/subtree.h"

#include "gather/messages.h"
#include "gather/packing.h"
#include "trace/error.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace timeless::gather {

namespace {

// What a message up the tree begins with.
constexpr std::uint64_t word_ranks = 0;
constexpr std::uint64_t word_nothing = 1;
constexpr std::uint64_t word_failed = 2;

void put(Packer& packed, const RankBlocks& rank) {
  packed.put(static_cast<std::uint64_t>(rank.rank));
  packed.put(rank.blocks);
  packed.put(rank.stretches);
  packed.put(rank.bytes);
  packed.put(rank.checksum);
}

RankBlocks take_blocks(Unpacker& packed) {
  RankBlocks rank;
  rank.rank = static_cast<trace::Rank>(packed.number());
  rank.blocks = packed.number();
  rank.stretches = packed.number();
  rank.bytes = packed.number();
  rank.checksum = packed.number();
  return rank;
}

std::string encode(const Subtree& subtree) {
  Packer packed;
  if (subtree.empty()) {
    packed.put(word_nothing);
    return packed.bytes();
  }
  packed.put(word_ranks);
  packed.put(subtree.file_bytes);
  packed.put(encode(part_of(subtree.united)));
  for (const RankBlocks& rank : subtree.blocks)
    put(packed, rank);
  return packed.bytes();
}

/// Unites what this process has itself and what its children send.
class Uniting {
public:
  void add(int holder, RunPart part, const std::vector<RankBlocks>& blocks, std::uint64_t file_bytes) {
    for (const RankBlocks& rank : blocks)
      blocks_[rank.rank] = rank;
    file_bytes_ += file_bytes;
    all_.add(std::move(part));
    holders_.push_back(holder);
  }

  Subtree finish() {
    Subtree subtree;
    if (holders_.empty()) return subtree;
    subtree.united = all_.finish();
    for (const trace::RankRecord& record : subtree.united.run.ranks)
      subtree.blocks.push_back(blocks_.at(record.rank));
    for (const std::size_t input : subtree.united.inputs)
      subtree.holders.push_back(holders_[input]);
    subtree.file_bytes = file_bytes_;
    return subtree;
  }

private:
  RunUnion all_;
  std::vector<int> holders_; ///< of the union's inputs
  std::map<trace::Rank, RankBlocks> blocks_;
  std::uint64_t file_bytes_ = 0;
};

void add(Uniting& all, int child, std::string_view message) {
  Unpacker packed(message);
  if (packed.number() != word_ranks) return;
  const std::uint64_t file_bytes = packed.number();
  RunPart part = decode_run_part(packed.text());
  std::vector<RankBlocks> blocks;
  while (!packed.empty())
    blocks.push_back(take_blocks(packed));
  all.add(child, std::move(part), blocks, file_bytes);
}

std::vector<int> all_children(const std::vector<TreeStep>& plan) {
  std::vector<int> children;
  for (const TreeStep& step : plan)
    children.insert(children.end(), step.receive_from.begin(), step.receive_from.end());
  return children;
}

std::optional<int> parent(const std::vector<TreeStep>& plan) {
  for (const TreeStep& step : plan)
    if (step.send_to) return step.send_to;
  return std::nullopt;
}

/// This process's part in sending up. Sends in any case, so that nobody waits in vain.
Subtree unite_here(const Team& team, const std::vector<TreeStep>& plan, std::vector<Survey>& surveys) {
  Uniting all;
  Subtree subtree;
  std::exception_ptr problem;
  bool failed_below = false;
  const auto attempt = [&](const auto& work) {
    try {
      if (!problem) work();
    } catch (...) {
      problem = std::current_exception();
    }
  };
  attempt([&] {
    for (Survey& survey : surveys)
      all.add(team.number(), std::move(survey.part), survey.ranks, survey.file_bytes);
  });
  for (const int child : all_children(plan)) {
    const std::string message = receive_text(team.communicator(), child);
    if (Unpacker(message).number() == word_failed) failed_below = true;
    attempt([&] { add(all, child, message); });
  }
  Packer message;
  message.put(word_failed);
  std::string up = message.bytes();
  if (!failed_below)
    attempt([&] {
      subtree = all.finish();
      if (parent(plan)) up = encode(subtree);
    });
  if (const auto above = parent(plan)) send_text(team.communicator(), *above, up);
  if (problem) std::rethrow_exception(problem);
  return subtree;
}

} // namespace

std::vector<int> Subtree::children(const std::vector<TreeStep>& plan) const {
  const std::set<int> known(holders.begin(), holders.end());
  std::vector<int> children = all_children(plan);
  std::erase_if(children, [&](int child) { return !known.contains(child); });
  return children;
}

Subtree unite(const Team& team, const std::vector<TreeStep>& plan, std::vector<Survey>& surveys) {
  Subtree subtree;
  team.together([&] { subtree = unite_here(team, plan, surveys); }, true);
  return subtree;
}

std::vector<RankPlace> spread(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree,
                              std::vector<RankPlace> at_first) {
  std::vector<RankPlace> places = std::move(at_first);
  const auto above = parent(plan);
  if (above && !subtree.empty()) {
    const std::string message = receive_text(team.communicator(), *above);
    Unpacker packed(message);
    for (const RankBlocks& blocks : subtree.blocks) {
      RankPlace place{.blocks = blocks};
      place.offset = packed.number();
      places.push_back(place);
    }
  }
  for (const int child : subtree.children(plan)) {
    Packer packed;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (subtree.holders[i] != child) continue;
      packed.put(places[i].offset);
    }
    send_text(team.communicator(), child, packed.bytes());
  }
  std::vector<RankPlace> own;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (subtree.holders[i] == team.number()) own.push_back(places[i]);
  return own;
}

} // namespace timeless::gather
