#pragma once

#include "tools/cli/cli11_fwd.h"
#include "tools/cli/trace_format.h"
#include "trace/model/source.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

/// Adds what every verb reading a trace has: the positional argument, an archive or a directory of rank files, and
/// --from, for what is in another format, with --as-computation.
void add_trace_argument(CLI::App& command, std::string& path, TraceFormat& format);

/// Does the same for a verb that reads one trace or more.
void add_traces_argument(CLI::App& command, std::vector<std::string>& paths, TraceFormat& format);

/// Adds --symbols to a verb that names places of a traced program: where its files are now.
CLI::Option* add_symbols_option(CLI::App& command, std::vector<std::string>& directories);

/// Opens the run at a path, in this format. Throws as gather::open_run() and the format's own import do, naming the
/// format that the file seems to be in, and Error(usage) when there is no such format, or when it has no times of calls
/// and some should count.
std::unique_ptr<trace::Source> open_trace(const std::filesystem::path& path, const TraceFormat& format);

/// Returns true for a regular file that begins as an archive does.
bool is_archive(const std::filesystem::path& path);

/// Refuses several files of one trace, as a shell makes them of a pattern, for a verb that takes several traces.
void demand_different_traces(const std::string& verb, const std::vector<std::string>& paths, const TraceFormat& format);

/// Throws Error(usage) for two paths to one recording, or to the same bytes: a run would agree with itself.
void demand_different_runs(const std::vector<std::string>& paths, const TraceFormat& format);

/// Returns what to type where a shell has made a trace's many files of a pattern: advice for a command that was given
/// more arguments than it takes; empty where that is not why.
std::string advice_on_one_trace(const CLI::App& command);

/// Returns bytes on disk of an archive, or of all rank files of a directory.
std::uint64_t trace_bytes(const std::filesystem::path& path);
/// Returns the same of whatever a trace was opened from.
std::uint64_t trace_bytes(const std::filesystem::path& path, const trace::Source& source);

/// Returns the files that a trace was opened from.
std::vector<std::filesystem::path> trace_files(const std::filesystem::path& path, const trace::Source& source);

/// Returns the number of all actions that the run's records speak of.
std::uint64_t total_actions(const trace::Run& run);

/// Returns in a sentence what a run lacks: "ranks 3, 7-12 are missing; rank 1 is not finalized (killed)"; empty when
/// nothing.
std::string incompleteness(const trace::Run& run);

/// Returns of a run that was not recorded what it was made of: "not recorded, but extrapolated from ..."; else empty.
std::string extrapolation_words(const trace::Run& run);

/// Warns, where a run lacks something, that answers are for its recorded part only. Returns the exit code: 0, or 6
/// where it does. `lack` is what incompleteness() says.
int warn_of_recorded_part(const std::string& trace, const std::string& lack);

/// Warns of what a run lacks that has been written to `output`. Returns the exit code: 0, or 6 where it lacks
/// something.
int warn_if_incomplete(const trace::Run& run, const std::string& output);

/// Returns how far a volume of the trace may be from what was recorded, relative to that; 0 where nothing was rounded.
double volume_error(const trace::Run& run);

/// Returns the same as a sentence; empty where nothing was rounded.
std::string rounding(const trace::Run& run);

/// Returns where the processes were recorded that those of a trace directory have spawned; none for an archive.
std::vector<std::string> spawned_worlds(const std::filesystem::path& path);

} // namespace timeless::tools
