#pragma once

#include "trace/formats/common/format.h"

namespace timeless::trace::formats {

/// Reads GOAL, the schedules of LogGOPSim and ATLAHS (Hoefler, Siebert, Lumsdaine: "Group Operation Assembly Language",
/// ICPP 2009; Hoefler, Schneider, Lumsdaine: "LogGOPSim", LSAP 2010): its text, or the binary form that txt2bin makes.
///
/// A schedule is a graph, a rank's actions are a row. Messages are begun as nonblocking ones as soon as what they
/// depend on is over, and waited for when something depends on them. In which order, a simulation of all ranks says in
/// which messages take no time and a send ends when it is received, so that a rank never waits for what another can
/// only send after it. A message that the next operation waits for at once is a blocking one. The CPUs of a rank are
/// threads, each with a row of its own.
///
/// Memory: the whole schedule. Throws Error(invalid_input) naming file and place, also where dependencies go in
/// circles.
std::unique_ptr<ImportedRun> open_goal(const std::filesystem::path& path, const ImportOptions& options = {});

/// Returns whether this begins GOAL's text, or its binary form.
bool looks_like_goal(std::string_view beginning);

/// Writes GOAL's text. The order of a rank's calls becomes dependencies: "requires" of what the rank has waited for,
/// "irequires" of nonblocking messages that were begun before. Collectives become messages, nonblocking ones beside
/// what follows them. Computation becomes nanoseconds at ExportOptions::rate. Messages of no bytes have one: LogGOPSim
/// takes a byte off.
ExportReport write_goal(const Source& source, const std::filesystem::path& output, const ExportOptions& options);

/// Writes the same in LogGOPSim's binary form. Memory: one rank's schedule.
ExportReport write_goal_binary(const Source& source, const std::filesystem::path& output, const ExportOptions& options);

} // namespace timeless::trace::formats
