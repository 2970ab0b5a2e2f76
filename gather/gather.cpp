#include "gather/gather.h"

#include "base/bytes.h"
#include "base/error.h"
#include "gather/merge/block_source.h"
#include "gather/merge/remove_sources.h"
#include "gather/parts/assembly.h"
#include "gather/parts/inventory.h"
#include "gather/parts/output_file.h"
#include "gather/parts/spool.h"
#include "gather/parts/structures.h"
#include "gather/tree/division.h"
#include "gather/tree/machine.h"
#include "gather/tree/measurement.h"
#include "gather/tree/stream.h"
#include "gather/tree/subtree.h"
#include "gather/tree/team.h"
#include "gather/tree/tree.h"
#include "trace/codec/layout.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::gather {

namespace {

/// Returns what every member sees, on member 0. Of equal lists one travels.
VisibleFiles collect_visible_files(const Team& team, const std::vector<SeenFile>& mine) {
  const std::string list = encode(mine);
  ByteWriter digest;
  digest.put(trace::checksum(list));
  VisibleFiles seen;
  std::unordered_map<std::string, std::size_t> known;
  std::vector<std::string> speaks;
  for (const std::string& each : team.collect(digest.bytes())) {
    const auto [place, added] = known.try_emplace(each, known.size());
    seen.list_of_node.push_back(place->second);
    speaks.emplace_back(added ? "y" : "");
  }
  const bool speaker = !team.distribute(speaks).empty();
  const auto lists = team.collect(speaker ? list : std::string());
  for (std::size_t member = 0; member < lists.size(); ++member)
    if (!speaks[member].empty()) seen.lists.push_back(decode_seen_files(lists[member]));
  return seen;
}

/// Returns which of the files it sees this member gathers.
std::vector<std::size_t> own_part(const Team& team, const std::vector<SeenFile>& mine) {
  std::vector<std::string> messages;
  for (const std::vector<std::size_t>& part : divide(collect_visible_files(team, mine))) {
    ByteWriter indices;
    for (const std::size_t index : part)
      indices.put(index);
    messages.push_back(indices.bytes());
  }
  const std::string message = team.distribute(messages);
  std::vector<std::size_t> part;
  for (ByteReader indices(message, ByteReader::From::process); !indices.empty();)
    part.push_back(indices.number());
  return part;
}

/// What a member sees, and what of it it gathers.
struct Own {
  std::vector<SeenFile> seen;
  std::vector<std::size_t> part;      ///< indices into what is seen
  std::vector<Inventory> inventories; ///< of the part
};

Own inventory_of_own(const Team& team, const std::filesystem::path& directory) {
  Own own;
  team.together([&] { own.seen = see_files(directory); });
  own.part = own_part(team, own.seen);
  team.together([&] {
    for (const std::size_t index : own.part) {
      const std::filesystem::path path = directory / own.seen[index].name;
      own.inventories.push_back(inventory(path, team.host() + ":" + path.string()));
    }
  });
  return own;
}

/// Puts what arrives at the root into the archive.
class AssemblySink : public ChunkSink {
public:
  AssemblySink(const Assembly& assembly, Spool& spool) : assembly_(assembly), spool_(spool) {}

  void take(const Chunk& chunk) override {
    chunk.for_each_piece([this](Space space, std::uint64_t offset, std::string_view bytes) {
      if (space == Space::structures) return spool_.put(offset, bytes);
      assembly_.put(offset, bytes);
      arrived_ += bytes.size();
    });
  }

  /// Throws Error(runtime) when less has come than was announced.
  void demand_all(const StructureNumbering& structures) const {
    if (arrived_ != assembly_.block_bytes() || spool_.arrived() != structures.bytes())
      throw Error(Failure::runtime, "not all has arrived that the nodes had announced", "",
                  "gather again; the sources are untouched");
  }

private:
  const Assembly& assembly_;
  Spool& spool_;
  std::uint64_t arrived_ = 0;
};

/// What only the first process has.
struct Root {
  Root(const std::filesystem::path& name, bool replace) : output(name, replace), spool(directory_of(name)) {}

  OutputFile output;
  Spool spool;
  std::optional<Assembly> assembly = {};
};

void demand_arity(const std::optional<int>& arity) {
  if (arity) tree_steps(1, *arity);
}

struct Choice {
  int arity = 1;
  std::optional<Speeds> measured = {}; ///< on member 0
};

/// Returns the arity that was asked for, or the best; collective.
Choice choose_arity(const Team& team, const GatherOptions& options, const Own& own, const std::optional<Root>& root) {
  Choice choice;
  const int asked = team.from_first(options.arity.value_or(0));
  choice.arity = std::max(asked, 1);
  if (asked > 0 || team.size() == 1) return choice;
  std::uint64_t mine = 0;
  for (const Inventory& inventory : own.inventories)
    mine += inventory.file_bytes;
  const std::uint64_t bytes = team.sum(mine);
  Speeds speeds = measure_speeds(team, root ? root->output.path() : std::filesystem::path());
  if (root) {
    choice.arity = best_arity(team.size(), static_cast<double>(bytes), speeds);
    choice.measured = std::move(speeds);
  }
  choice.arity = team.from_first(choice.arity);
  return choice;
}

/// Sends what only the first process has to say of structures, and to the tasks those they are to deliver; collective.
StructureNumbering share_structures(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree,
                                    const Own& own, std::vector<RankTask>& tasks) {
  std::vector<std::vector<StructureName>> names;
  team.together([&] {
    for (const RankTask& task : tasks) {
      const Inventory& inventory = inventory_of(own.inventories, task.place.blocks.rank);
      names.push_back(
          names_of(structures_of(trace::ArchiveReader(inventory.path), inventory, task.place.blocks, task.numbers)));
    }
  });
  return share_structures(team, plan, subtree, names, tasks);
}

/// Streams the blocks; collective.
void stream_blocks(const Team& team, const std::vector<TreeStep>& plan, int arity, const Subtree& subtree,
                   const Own& own, std::vector<RankTask> tasks, const StructureNumbering& structures,
                   std::optional<Root>& root, const GatherOptions& options) {
  StreamPart part{.communicator = team.communicator(), .words = team.words(), .most_senders = arity};
  part.children = subtree.children(plan);
  for (const TreeStep& step : plan)
    if (step.send_to) part.parent = step.send_to;
  std::optional<BlockSource> source;
  if (!tasks.empty()) part.source = &source.emplace(own.inventories, std::move(tasks));
  std::optional<AssemblySink> sink;
  std::uint64_t arrived = 0;
  if (root) {
    part.sink = &sink.emplace(*root->assembly, root->spool);
    part.progress = [&, all = root->assembly->block_bytes()](std::uint64_t bytes) {
      arrived += bytes;
      if (options.progress) options.progress(std::min(arrived, all), all);
    };
  }
  const auto machine = this_machine();
  team.together([&] {
    if (!subtree.empty()) stream(part, *machine);
  });
  team.together([&] {
    if (sink) sink->demand_all(structures);
  });
}

} // namespace

std::optional<Gathered> gather(MPI_Comm everybody, const GatherOptions& options) {
  const Team team(everybody, options.node_name);
  if (!team.member()) return std::nullopt;
  std::optional<Root> root;
  team.together([&] {
    if (team.number() != 0) return;
    demand_arity(options.arity);
    root.emplace(options.output, options.force);
  });
  Own own = inventory_of_own(team, options.directory);
  const Choice choice = choose_arity(team, options, own, root);
  const std::vector<TreeStep> plan = tree_plan(team.number(), team.size(), choice.arity);
  const Subtree subtree = unite(team, plan, own.inventories);
  team.together(
      [&] {
        if (!root) return;
        if (subtree.empty())
          throw Error(Failure::invalid_input, "no node has rank files (rank-000000.tia ...) in the directory", "",
                      "name the directory the run was recorded into, as each node sees it");
        root->assembly.emplace(root->output.path(), subtree.united, subtree.blocks);
      },
      subtree.empty());
  auto tasks = spread(team, plan, subtree, root ? root->assembly->places() : std::vector<RankPlace>());
  const StructureNumbering structures = share_structures(team, plan, subtree, own, tasks);
  stream_blocks(team, plan, choice.arity, subtree, own, std::move(tasks), structures, root, options);

  std::optional<Gathered> gathered;
  team.together([&] {
    if (!root) return;
    gathered = Gathered{.merged = {.run = subtree.united.run, .input_bytes = subtree.file_bytes},
                        .nodes = team.size(),
                        .steps = tree_steps(team.size(), choice.arity),
                        .arity = choice.arity,
                        .measured = choice.measured};
    gathered->merged.segments = root->assembly->finish(structures, root->spool);
    root->assembly->verify(structures, options.remove);
    gathered->merged.output_bytes = std::filesystem::file_size(root->output.path());
    root->output.keep();
  });
  const bool remove = options.remove && gathered && gathered->merged.run.complete();
  if (team.from_first(remove ? 1 : 0) != 0) {
    const std::uint64_t removed = remove_sources(team, options.directory, own.seen, own.part);
    if (gathered) gathered->merged.removed = removed;
  }
  return gathered;
}

} // namespace timeless::gather
