#include "tools/cli/trace_input.h"

#include "base/error.h"
#include "base/rank_ranges.h"
#include "gather/merge/files_source.h"
#include "gather/parts/rank_files.h"
#include "tools/cli/console.h"
#include "tools/cli/offered_words.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/verb.h"
#include "trace/codec/format.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

trace::formats::CallsAsComputation counted_calls(const std::vector<std::string>& calls) {
  const auto named = [&](const char* kind) { return std::ranges::find(calls, kind) != calls.end(); };
  if (named("none") && calls.size() > 1)
    throw Error(Failure::usage, "none, and others", "--as-computation", "give one or the other");
  return {.local = named("local"), .nonblocking = named("nonblocking")};
}

void add_format_options(CLI::App& command, TraceFormat& format) {
  std::vector<std::string> known;
  std::string timed;
  for (const trace::formats::Format& one : trace::formats::formats()) {
    if (one.open != nullptr) known.emplace_back(one.name);
    if (one.timed) timed += fmt::format("{}{}", timed.empty() ? "" : ", ", one.name);
  }
  CLI::Option* const from =
      command.add_option("--from", format.name, fmt::format("The trace is in this format: {}", fmt::join(known, ", ")))
          ->type_name("FORMAT")
          ->default_str("an archive, or a recording");
  offer_words(*from, known);
  command
      .add_option_function<std::vector<std::string>>(
          "--as-computation",
          [&format](const std::vector<std::string>& calls) { format.as_computation = counted_calls(calls); },
          "With --from " + timed +
              ": count the time inside these MPI calls as computation: local (MPI_Comm_rank and others that do not "
              "communicate), nonblocking (those that start or test communication), local,nonblocking or none")
      ->type_name("CALLS")
      ->delimiter(',')
      ->check(CLI::IsMember({"local", "nonblocking", "none"}))
      ->allow_extra_args(false)
      ->default_str("local");
}

} // namespace

void add_trace_argument(CLI::App& command, std::string& path, TraceFormat& format) {
  begin_group(command, "Trace");
  command
      .add_option("trace", path,
                  "A gathered archive (.tia), or the directory of a recording; with --from, what that format has")
      ->required();
  add_format_options(command, format);
}

void add_traces_argument(CLI::App& command, std::vector<std::string>& paths, TraceFormat& format) {
  begin_group(command, "Trace");
  command
      .add_option("trace", paths,
                  "Gathered archives (.tia), or directories of recordings; with --from, what that format has")
      ->required()
      ->default_str("");
  add_format_options(command, format);
}

CLI::Option* add_symbols_option(CLI::App& command, std::vector<std::string>& directories) {
  return command
      .add_option("--symbols", directories,
                  "A directory to look for the program, its libraries and their debug files in, if they are not where "
                  "they were recorded; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(CLI::ExistingDirectory.description(""))
      ->default_str("");
}

bool is_archive(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false; // a pipe would be waited for
  std::string beginning(trace::archive_magic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning == trace::archive_magic;
}

namespace {

std::unique_ptr<trace::Source> open_as(const std::filesystem::path& path, const TraceFormat& asked) {
  const trace::formats::Format* const format = asked.ours() ? nullptr : &trace::formats::readable_format(asked.name);
  if (asked.as_computation && (format == nullptr || !format->timed))
    throw Error(Failure::usage,
                fmt::format("{} no times of MPI calls that could count",
                            format == nullptr ? "archives and recordings have" : std::string(format->name) + " has"),
                "--as-computation", "leave it out, or give --from dumpi with a trace of DUMPI");
  if (format == nullptr) return gather::open_run(path);
  std::optional<Progress> progress;
  return format->open(path, {.counted = asked.as_computation.value_or(trace::formats::CallsAsComputation{}),
                             .progress = [&](std::uint64_t done, std::uint64_t total) {
                               if (!progress) progress.emplace("reading " + path.string(), total, "bytes");
                               progress->update(done);
                             }});
}

/// Returns whether a directory has, or a prefix begins, such files: neither is a file itself.
bool holds_dumpi(const std::filesystem::path& path) {
  constexpr int enough = 100;
  std::error_code ignored;
  const auto is_dumpi = [](const std::filesystem::path& file) {
    const trace::formats::Format* const seems = trace::formats::recognised_format(file);
    return seems != nullptr && seems->name == "dumpi";
  };
  if (!std::filesystem::is_directory(path, ignored)) return is_dumpi(path.string() + "-0000.bin");
  int looked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
    if (++looked > enough || is_dumpi(entry.path())) return looked <= enough;
  return false;
}

/// Says it where a file that cannot be read is in another format than the one asked for.
void name_other_format(const std::filesystem::path& path, const std::string& from) {
  const std::string asked = from.empty() ? "a Timeless archive" : from;
  if (from.empty() && holds_dumpi(path))
    throw Error(Failure::invalid_input, "no recording of Timeless, but files of DUMPI", path.string(),
                "give --from dumpi");
  if (is_archive(path)) {
    if (!from.empty())
      throw Error(Failure::invalid_input, fmt::format("a Timeless archive, not {}", asked), path.string(),
                  "leave out --from");
    return;
  }
  const trace::formats::Format* const seems = trace::formats::recognised_format(path);
  if (seems == nullptr || seems->name == from || (!from.empty() && &trace::formats::readable_format(from) == seems))
    return;
  throw Error(Failure::invalid_input, fmt::format("not {}: it looks like {}", asked, seems->name), path.string(),
              seems->open != nullptr ? fmt::format("give --from {}", seems->name)
                                     : fmt::format("{} can be written, but not read", seems->name));
}

} // namespace

std::unique_ptr<trace::Source> open_trace(const std::filesystem::path& path, const TraceFormat& format) {
  try {
    return open_as(path, format);
  } catch (const Error& error) {
    if (error.failure() == Failure::invalid_input) name_other_format(path, format.name);
    throw;
  }
}

namespace {

std::string advice_on_one_trace(const std::string& verb, const std::string& first, const std::string& format) {
  if (format == "dumpi")
    return fmt::format("a trace is named by one of its files, as in: timeless {} --from dumpi {}", verb, first);
  if (format == "ti")
    return "a trace is named by one file, which lists the ranks' files: printf '%s\\n' FILE... > LIST";
  const std::filesystem::path parent = std::filesystem::path(first).parent_path();
  if (format.empty() && std::filesystem::path(first).filename().string().starts_with("rank-"))
    return fmt::format("a recording is named by its directory, as in: timeless {} {}", verb,
                       parent.empty() ? "." : parent.string());
  return fmt::format("a trace is one path, here {}", first);
}

/// Returns what files of one trace have in common by their names; empty for a file that is a trace.
std::string whole_trace(const std::filesystem::path& file, const std::string& format) {
  const std::string name = file.filename().string();
  if (format == "dumpi") {
    const std::string stem = file.stem().string();
    return (file.parent_path() / (name.ends_with(".bin") ? stem.substr(0, stem.rfind('-')) : stem)).string();
  }
  return format.empty() && name.starts_with("rank-") ? file.parent_path().string() + "/" : std::string();
}

} // namespace

void demand_different_traces(const std::string& verb, const std::vector<std::string>& paths,
                             const TraceFormat& format) {
  std::map<std::string, std::string> first;
  for (const std::string& path : paths) {
    const std::string whole = whole_trace(path, format.name);
    if (whole.empty()) continue;
    const auto [known, another] = first.emplace(whole, path);
    if (!another)
      throw Error(Failure::usage, "another file of the same trace", path,
                  advice_on_one_trace(verb, known->second, format.name));
  }
}

namespace {

bool same_bytes(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code ignored;
  if (std::filesystem::equivalent(one, other, ignored)) return true;
  if (!std::filesystem::is_regular_file(one, ignored) || !std::filesystem::is_regular_file(other, ignored) ||
      std::filesystem::file_size(one, ignored) != std::filesystem::file_size(other, ignored))
    return false;
  std::ifstream left(one, std::ios::binary);
  std::ifstream right(other, std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(left), {}, std::istreambuf_iterator<char>(right), {});
}

/// Returns the identity of a recording; 0 of an extrapolated run, which has that of the one it was made from, and where
/// it cannot be opened, which whoever reads it says.
std::uint64_t identity_of(const std::filesystem::path& path) {
  try {
    const auto source = gather::open_run(path);
    const trace::Provenance& provenance = source->run().provenance;
    return provenance.extrapolated.empty() ? provenance.run_identity : 0;
  } catch (const Error&) {
    return 0;
  }
}

} // namespace

void demand_different_runs(const std::vector<std::string>& paths, const TraceFormat& format) {
  std::map<std::uint64_t, std::string> recordings;
  const auto refuse = [](const std::string& one, const std::string& other) {
    throw Error(Failure::usage, "these are the same run", fmt::format("{} and {}", one, other), "name each run once");
  };
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t other = 0; other < i; ++other)
      if (same_bytes(paths[other], paths[i])) refuse(paths[other], paths[i]);
    if (!format.ours() || paths.size() == 1) continue;
    const std::uint64_t identity = identity_of(paths[i]);
    if (const auto [known, added] = recordings.emplace(identity, paths[i]); identity != 0 && !added)
      refuse(known->second, paths[i]);
  }
}

std::string advice_on_one_trace(const CLI::App& command) {
  const CLI::Option* const trace = command.get_option_no_throw("trace");
  const std::vector<std::string> others = command.remaining();
  if (trace == nullptr || trace->count() == 0 || others.empty()) return {};
  if (std::ranges::any_of(others, [](const std::string& one) { return one.starts_with('-'); })) return {};
  const CLI::Option* const from = command.get_option_no_throw("--from");
  const std::string format = from == nullptr || from->count() == 0 ? "" : from->results().front();
  return advice_on_one_trace(command.get_name(), trace->results().front(), format);
}

std::uint64_t trace_bytes(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return std::filesystem::file_size(path);
  std::uint64_t bytes = 0;
  for (const gather::RankFile& file : gather::list_rank_files(path))
    bytes += std::filesystem::file_size(file.path);
  return bytes;
}

std::uint64_t trace_bytes(const std::filesystem::path& path, const trace::Source& source) {
  const auto* const imported = dynamic_cast<const trace::formats::ImportedRun*>(&source);
  if (imported == nullptr) return trace_bytes(path);
  std::uint64_t bytes = 0;
  for (const std::filesystem::path& file : imported->files())
    bytes += std::filesystem::file_size(file);
  return bytes;
}

std::vector<std::filesystem::path> trace_files(const std::filesystem::path& path, const trace::Source& source) {
  std::vector<std::filesystem::path> files{path};
  if (const auto* const imported = dynamic_cast<const trace::formats::ImportedRun*>(&source))
    std::ranges::copy(imported->files(), std::back_inserter(files));
  std::error_code ignored;
  // The journals, too, that stand beside ranks' files.
  if (std::filesystem::is_directory(path, ignored))
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
      files.push_back(entry.path());
  return files;
}

double volume_error(const trace::Run& run) {
  return static_cast<double>(run.volume_error) / 1e9;
}

std::string rounding(const trace::Run& run) {
  if (run.volume_error == 0) return "";
  return fmt::format("rounded by at most {:.3g} % each; the sum of each kernel of each rank is exact",
                     100 * volume_error(run));
}

std::vector<std::string> spawned_worlds(const std::filesystem::path& path) {
  std::vector<std::string> names;
  for (const std::filesystem::path& world : gather::list_spawned_worlds(path))
    names.push_back(world.string());
  return names;
}

std::uint64_t total_actions(const trace::Run& run) {
  return std::accumulate(run.ranks.begin(), run.ranks.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const trace::RankRecord& record) { return sum + record.actions; });
}

std::string extrapolation_words(const trace::Run& run) {
  const std::string& made = run.provenance.extrapolated;
  return made.empty() ? "" : "not recorded, but extrapolated " + made.substr(0, made.find('\n')); // without its laws
}

std::string incompleteness(const trace::Run& run) {
  std::string sentence;
  const auto missing = run.missing_ranks();
  if (!missing.empty())
    sentence = fmt::format("rank{} {} missing", missing.size() == 1 ? "" : "s", rank_ranges(missing));
  std::vector<std::pair<std::string, std::vector<trace::Rank>>> unfinished; // by reason, as first met
  for (const trace::RankRecord& record : run.ranks) {
    if (record.ending == trace::Ending::finalized) continue;
    const std::string reason = record.ending_reason.empty() ? "killed, crashed or still running" : record.ending_reason;
    auto known = std::ranges::find(unfinished, reason, [](const auto& group) { return group.first; });
    if (known == unfinished.end()) known = unfinished.insert(known, {reason, {}});
    known->second.push_back(record.rank);
  }
  constexpr std::size_t most_reasons = 3;
  for (std::size_t i = 0; i < std::min(unfinished.size(), most_reasons); ++i) {
    const auto& [reason, ranks] = unfinished[i];
    sentence += fmt::format("{}rank{} {} not finalized ({})", sentence.empty() ? "" : "; ",
                            ranks.size() == 1 ? "" : "s", rank_ranges(ranks), reason);
  }
  if (unfinished.size() > most_reasons) sentence += "; and others";
  return sentence;
}

int warn_of_recorded_part(const std::string& trace, const std::string& lack) {
  if (lack.empty()) return exit_ok;
  print_warning(fmt::format("the trace {} is incomplete: {}; answers hold for the recorded part only", trace, lack));
  return static_cast<int>(Failure::partial);
}

int warn_if_incomplete(const trace::Run& run, const std::string& output) {
  if (run.complete()) return exit_ok;
  print_warning(incompleteness(run) + " (" + output + ")");
  return static_cast<int>(Failure::partial);
}

} // namespace timeless::tools
