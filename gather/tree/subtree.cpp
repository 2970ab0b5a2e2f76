#include "gather/tree/subtree.h"

#include "base/bytes.h"
#include "base/error.h"
#include "gather/tree/messages.h"

#include <algorithm>
#include <exception>
#include <map>
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

void put(ByteWriter& packed, const RankBlocks& rank) {
  packed.put(static_cast<std::uint64_t>(rank.rank));
  packed.put(rank.blocks);
  packed.put(rank.segments);
  packed.put(rank.bytes);
  packed.put(rank.checksum);
  packed.put(rank.structure_checksum);
}

RankBlocks take_blocks(ByteReader& packed) {
  RankBlocks rank;
  rank.rank = static_cast<trace::Rank>(packed.number());
  rank.blocks = packed.number();
  rank.segments = packed.number();
  rank.bytes = packed.number();
  rank.checksum = packed.number();
  rank.structure_checksum = packed.number();
  return rank;
}

std::string encode(const Subtree& subtree) {
  ByteWriter packed;
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
  ByteReader packed(message, ByteReader::From::process);
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

/// Does this process's part in sending up. Sends in any case, so that nobody waits in vain.
Subtree unite_here(const Team& team, const std::vector<TreeStep>& plan, std::vector<Inventory>& inventories) {
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
    for (Inventory& inventory : inventories)
      all.add(team.number(), std::move(inventory.part), inventory.ranks, inventory.file_bytes);
  });
  for (const int child : all_children(plan)) {
    const std::string message = receive_text(team.communicator(), child);
    if (ByteReader(message, ByteReader::From::process).number() == word_failed) failed_below = true;
    attempt([&] { add(all, child, message); });
  }
  ByteWriter message;
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

Subtree unite(const Team& team, const std::vector<TreeStep>& plan, std::vector<Inventory>& inventories) {
  Subtree subtree;
  team.together([&] { subtree = unite_here(team, plan, inventories); }, true);
  return subtree;
}

namespace {

/// Collective. To each rank's holder what process 0 says of it: one goes through the messages from above with a reader
/// of a rank, and to those below with a writer of a rank.
template <typename Read, typename Write>
void send_down(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree, const Read& read,
               const Write& write) {
  if (subtree.empty()) return;
  if (const auto above = parent(plan)) {
    const std::string message = receive_text(team.communicator(), *above);
    ByteReader packed(message, ByteReader::From::process);
    for (std::size_t i = 0; i < subtree.holders.size(); ++i)
      read(i, packed);
  }
  for (const int child : subtree.children(plan)) {
    ByteWriter packed;
    for (std::size_t i = 0; i < subtree.holders.size(); ++i)
      if (subtree.holders[i] == child) write(i, packed);
    send_text(team.communicator(), child, packed.bytes());
  }
}

} // namespace

std::vector<RankTask> spread(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree,
                             const std::vector<RankPlace>& at_first) {
  std::vector<RankTask> tasks(subtree.blocks.size());
  for (std::size_t i = 0; i < at_first.size(); ++i)
    tasks[i] = {.place = at_first[i], .numbers = subtree.united.numbers[i]};
  const auto read = [&](std::size_t i, ByteReader& packed) {
    tasks[i].place = {.blocks = subtree.blocks[i], .offset = packed.number()};
    tasks[i].numbers.kernels = packed.numbers();
    tasks[i].numbers.regions = packed.numbers();
  };
  const auto write = [&](std::size_t i, ByteWriter& packed) {
    packed.put(tasks[i].place.offset);
    packed.put(tasks[i].numbers.kernels);
    packed.put(tasks[i].numbers.regions);
  };
  send_down(team, plan, subtree, read, write);
  std::vector<RankTask> own;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (subtree.holders[i] == team.number()) own.push_back(std::move(tasks[i]));
  return own;
}

namespace {

/// The structures of a subtree's ranks.
class StructureList {
public:
  explicit StructureList(std::size_t ranks) : ranks_(ranks) {}

  void set(std::size_t rank, const std::vector<StructureName>& structures) {
    for (const StructureName& name : structures) {
      const auto [known, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
      if (added) names_.push_back(name);
      ranks_[rank].push_back(known->second);
    }
  }

  std::vector<StructureName> of_rank(std::size_t rank) const {
    std::vector<StructureName> structures;
    for (const std::uint32_t number : ranks_[rank])
      structures.push_back(names_[number]);
    return structures;
  }

  std::string encode() const {
    ByteWriter packed;
    packed.put(std::uint64_t{names_.size()});
    for (const StructureName& name : names_)
      for (const std::uint64_t number : {name.high, name.low, name.bytes})
        packed.put(number);
    for (const auto& structures : ranks_)
      packed.put(structures);
    return packed.bytes();
  }

  static StructureList decode(std::string_view message, std::size_t ranks) {
    StructureList list(ranks);
    ByteReader packed(message, ByteReader::From::process);
    for (std::uint64_t count = packed.number(); count > 0; --count) {
      StructureName name;
      for (std::uint64_t* const number : {&name.high, &name.low, &name.bytes})
        *number = packed.number();
      list.names_.push_back(name);
    }
    for (auto& structures : list.ranks_)
      structures = packed.numbers();
    return list;
  }

private:
  std::vector<StructureName> names_;
  std::map<StructureName, std::uint32_t> numbers_;
  std::vector<std::vector<std::uint32_t>> ranks_;
};

/// Returns the structures of all ranks of the subtree; collective.
StructureList collect_structures(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree,
                                 const std::vector<std::vector<StructureName>>& own) {
  StructureList list(subtree.holders.size());
  const auto add = [&](int holder, const auto& of_rank) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < subtree.holders.size(); ++i)
      if (subtree.holders[i] == holder) list.set(i, of_rank(place++));
  };
  add(team.number(), [&](std::size_t place) { return own[place]; });
  for (const int child : subtree.children(plan)) {
    const auto ranks = static_cast<std::size_t>(std::ranges::count(subtree.holders, child));
    const auto below = StructureList::decode(receive_text(team.communicator(), child), ranks);
    add(child, [&](std::size_t place) { return below.of_rank(place); });
  }
  if (const auto above = parent(plan)) send_text(team.communicator(), *above, list.encode());
  return list;
}

} // namespace

StructureNumbering share_structures(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree,
                                    const std::vector<std::vector<StructureName>>& names,
                                    std::vector<RankTask>& tasks) {
  StructureNumbering numbering;
  if (subtree.empty()) return numbering;
  const StructureList list = collect_structures(team, plan, subtree, names);
  std::vector<std::vector<WantedStructure>> wanted(subtree.holders.size());
  if (team.number() == 0)
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i] = numbering.add(list.of_rank(i));
  const auto read = [&](std::size_t i, ByteReader& packed) {
    for (std::uint64_t count = packed.number(); count > 0; --count) {
      WantedStructure structure;
      structure.place = packed.number();
      structure.offset = packed.number();
      wanted[i].push_back(structure);
    }
  };
  const auto write = [&](std::size_t i, ByteWriter& packed) {
    packed.put(std::uint64_t{wanted[i].size()});
    for (const WantedStructure& structure : wanted[i]) {
      packed.put(std::uint64_t{structure.place});
      packed.put(structure.offset);
    }
  };
  send_down(team, plan, subtree, read, write);
  std::size_t place = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (subtree.holders[i] == team.number()) tasks[place++].structures = std::move(wanted[i]);
  return numbering;
}

} // namespace timeless::gather
