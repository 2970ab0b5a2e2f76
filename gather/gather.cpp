#include "gather/gather.h"

#include "gather/division.h"
#include "gather/packing.h"
#include "gather/same_run.h"
#include "gather/team.h"
#include "gather/transfer.h"
#include "gather/tree.h"
#include "trace/archive/layout.h"
#include "trace/archive/reader.h"
#include "trace/error.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::gather {

namespace {

/// A file a process holds on its way to the root: its own rank file, or what a process below sent.
struct Held {
  std::filesystem::path path;
  std::string label;
  std::uint64_t bytes = 0;
  std::optional<TemporaryFile> temporary = {};
};

std::filesystem::path temporary_directory(const std::filesystem::path& rank_files) {
  const char* chosen = std::getenv("TMPDIR");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  if (std::filesystem::is_directory(rank_files)) return rank_files;
  return std::filesystem::temp_directory_path();
}

/// What every member sees. Members of one shared directory see the same long list: it travels once.
std::vector<std::vector<SeenFile>> exchange_sights(const Team& team, const std::vector<SeenFile>& mine) {
  const std::string list = encode(mine);
  Packer digest;
  digest.put(trace::checksum(list));
  const auto digests = team.exchange(digest.bytes());
  std::unordered_map<std::string, std::size_t> first;
  for (std::size_t member = 0; member < digests.size(); ++member)
    first.try_emplace(digests[member], member);
  const bool speaker = first.at(digest.bytes()) == static_cast<std::size_t>(team.number());
  const auto lists = team.exchange(speaker ? list : std::string());
  std::vector<std::vector<SeenFile>> seen;
  for (const std::string& member : digests)
    seen.push_back(decode_seen_files(lists[first.at(member)]));
  return seen;
}

/// The files this member gathers.
std::vector<Held> own_files(const Team& team, const std::filesystem::path& directory) {
  std::vector<SeenFile> mine;
  team.together([&] { mine = see_files(directory); });
  const auto parts = divide(exchange_sights(team, mine));
  std::vector<Held> held;
  for (const std::size_t index : parts[static_cast<std::size_t>(team.number())]) {
    const std::filesystem::path path = directory / mine[index].name;
    held.push_back({.path = path, .label = team.host() + ":" + path.string(), .bytes = mine[index].bytes});
  }
  return held;
}

/// What a file says of its run and ranks, for the check that all files belong together.
std::string passport(const Held& file) {
  const trace::ArchiveReader archive(file.path);
  trace::Definitions definitions;
  definitions.size = archive.run().size;
  definitions.counter = archive.run().counter;
  definitions.provenance = archive.run().provenance;
  definitions.profile_events = archive.run().profile_events;
  for (const trace::RankRecord& record : archive.run().ranks)
    definitions.ranks.push_back({.rank = record.rank});
  return trace::encode(definitions);
}

trace::Run decode_passport(std::string_view bytes) {
  const trace::Definitions definitions = trace::decode_definitions(bytes);
  trace::Run run;
  run.size = definitions.size.value();
  run.counter = definitions.counter.value();
  run.provenance = definitions.provenance.value();
  run.profile_events = definitions.profile_events;
  run.ranks = definitions.ranks;
  return run;
}

/// Finds files that do not belong together before anything large is moved. Returns all members' bytes on member 0.
std::uint64_t demand_same_run(const Team& team, const std::vector<Held>& held) {
  Packer passports;
  team.together([&] {
    for (const Held& file : held) {
      passports.put(file.label);
      passports.put(file.bytes);
      passports.put(passport(file));
    }
  });
  const auto all = team.collect(passports.bytes());
  std::uint64_t bytes = 0;
  const auto compare = [&] {
    if (team.number() != 0) return;
    SameRun run;
    for (const std::string& member : all)
      for (Unpacker files(member); !files.empty();) {
        const std::string label = files.text();
        bytes += files.number();
        const trace::Run part = decode_passport(files.text());
        run.add(part, std::vector<std::string>(part.ranks.size(), label));
      }
    if (run.empty())
      throw Error(Failure::invalid_input, "no node has rank files (rank-000000.tia ...) in the directory", "",
                  "name the directory the run was recorded into, as each node sees it");
  };
  team.together(compare, true);
  return bytes;
}

std::uint64_t total_bytes(const std::vector<Held>& held) {
  std::uint64_t bytes = 0;
  for (const Held& file : held)
    bytes += file.bytes;
  return bytes;
}

Merged merge_held(const std::vector<Held>& held, const std::filesystem::path& output, MergeOptions options) {
  std::vector<std::filesystem::path> paths;
  for (const Held& file : held) {
    paths.push_back(file.path);
    options.labels.push_back(file.label);
  }
  return merge(paths, output, options);
}

/// One file with all that is held, merged unless it is one already that says all (not so when a journal continues it);
/// nothing when nothing is held.
std::optional<std::filesystem::path> one_file(std::vector<Held>& held, const std::filesystem::path& temporaries) {
  if (held.empty()) return std::nullopt;
  if (held.size() > 1 || trace::ArchiveReader(held.front().path).journaled()) {
    TemporaryFile merged(temporaries, "merged");
    merge_held(held, merged.path(), {});
    held.clear();
    const std::filesystem::path path = merged.path();
    held.push_back({.path = path, .label = path.string(), .bytes = 0, .temporary = std::move(merged)});
  }
  return held.front().path;
}

} // namespace

std::optional<Gathered> gather(MPI_Comm everybody, const GatherOptions& options) {
  const Team team(everybody, options.node_name);
  if (!team.member()) return std::nullopt;
  const int arity = team.from_first(options.arity);
  std::vector<TreeStep> plan;
  team.together([&] {
    plan = tree_plan(team.number(), team.size(), arity);
    if (team.number() == 0) demand_free_output(options.output, options.force);
  });

  std::vector<Held> held = own_files(team, options.directory);
  const std::uint64_t all_bytes = demand_same_run(team, held);
  std::uint64_t arrived = total_bytes(held);
  const auto progress = [&](std::uint64_t bytes) {
    arrived += bytes;
    if (team.number() == 0 && options.progress) options.progress(std::min(arrived, all_bytes), all_bytes);
  };
  const std::filesystem::path temporaries = temporary_directory(options.directory);
  for (const TreeStep& step : plan)
    team.together([&] {
      if (step.send_to) {
        send_file(team.communicator(), *step.send_to, [&] { return one_file(held, temporaries); });
        held.clear();
      }
      if (step.receive_from.empty()) return;
      for (Received& file : receive_files(team.communicator(), step.receive_from, temporaries, progress))
        held.push_back({.path = file.file.path(),
                        .label = "what process " + std::to_string(file.sender) + " gathered",
                        .bytes = file.bytes,
                        .temporary = std::move(file.file)});
    });

  std::optional<Gathered> gathered;
  team.together([&] {
    if (team.number() != 0) return;
    gathered = Gathered{.merged = merge_held(held, options.output, {.force = options.force}),
                        .nodes = team.size(),
                        .steps = tree_steps(team.size(), arity)};
    gathered->merged.input_bytes = all_bytes;
  });
  return gathered;
}

} // namespace timeless::gather
