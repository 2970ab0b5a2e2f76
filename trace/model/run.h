#pragma once

#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace timeless::trace {

/// The unit of volumes.
enum class VolumeUnit : std::uint8_t {
  none = 0,         ///< no computation was recorded
  instructions = 1, ///< instructions retired
  nanoseconds = 2,  ///< time, from a source that has nothing better
  events = 3,       ///< occurrences of what the counter is named after, such as cycles
};

/// How far volumes repeat.
enum class Exactness : std::uint8_t {
  exact = 0,    ///< the same program gives the same volumes, wherever it runs
  hardware = 1, ///< a hardware counter: repeatable to its own noise
  inexact = 2,  ///< depends on the machine and its load
};

/// What measured the volumes of a run.
struct Counter {
  std::string name = "none"; ///< "icount", "PAPI_TOT_INS", "cputime", "none", ...
  std::string version = {};  ///< of the library or tool that counted
  VolumeUnit unit = VolumeUnit::none;
  Exactness exactness = Exactness::exact;
  std::string threads = "calling"; ///< whose work is counted: "calling" thread of each rank
  bool operator==(const Counter&) const = default;
};

/// A machine that ranks were recorded on.
struct Host {
  std::string name = {};
  std::string cpu_model = {};
  bool operator==(const Host&) const = default;
};

/// One dimension of a Cartesian topology.
struct GridDimension {
  std::uint32_t extent = 1;
  bool periodic = false; ///< the last place is the neighbour of the first
  bool operator==(const GridDimension&) const = default;
};

/// A communicator with its members as ranks of MPI_COMM_WORLD, in the order of the communicator. Members that belong to
/// another MPI_COMM_WORLD (spawned, or met by MPI_Comm_connect) are foreign_rank.
struct Communicator {
  std::vector<Rank> members = {};
  std::vector<Rank> remote_members = {}; ///< the remote group of an intercommunicator, else empty
  /// The same for all members of the communicator and different from every other communicator of the run.
  /// How it is computed: docs/archive-format.md.
  std::uint64_t identity = 0;
  /// Its Cartesian topology, whose last dimension varies fastest among the members; empty where it has none, or the
  /// recording does not say.
  std::vector<GridDimension> grid = {};
  bool operator==(const Communicator&) const = default;

  /// Returns how many members of both groups belong to another MPI_COMM_WORLD.
  std::size_t foreign_members() const;
  /// Returns whether the grid has as many places as there are members, or there is none.
  bool fills_grid() const;
};

/// An executable or a shared library, as a rank had it in memory.
struct Module {
  std::string path = {};
  /// What the linker stamped on it (NT_GNU_BUILD_ID), as bytes: tells whether a file is still the one that was
  /// recorded. Empty when it has none, or the recording does not say.
  std::string build_id = {};
  bool operator==(const Module&) const = default;
  auto operator<=>(const Module&) const = default;
};

/// A place in a program: a return address, as its module and the offset from the lowest address the module was mapped
/// to. The call is the instruction before it.
struct CallSite {
  std::uint32_t module = 0;
  std::uint64_t offset = 0;
  bool operator==(const CallSite&) const = default;
  auto operator<=>(const CallSite&) const = default;
};

/// The place a function was called from, and the caller of the function that place is in. A caller's number is above
/// that of its own caller.
struct Caller {
  CallSite site = {};
  CallerId caller = no_caller; ///< none when it was not recorded
  bool operator==(const Caller&) const = default;
  auto operator<=>(const Caller&) const = default;
};

/// A segment of code between two MPI calls, named by the sites of the calls at its ends and, where a deeper stack was
/// recorded, by who called the functions that these are in.
struct Kernel {
  CallSite begin = {};
  CallSite end = {};
  CallerId begin_caller = no_caller;
  CallerId end_caller = no_caller;
  bool operator==(const Kernel&) const = default;
  auto operator<=>(const Kernel&) const = default;
};

/// How a rank's recording ended.
enum class Ending : std::uint8_t {
  unknown = 0,   ///< the file stops without saying why: killed, crashed, or still running
  finalized = 1, ///< MPI_Finalize was recorded and the file is whole
  stopped = 2,   ///< the recorder stopped early; RankRecord::ending_reason says why
};

/// What one kernel of one rank has counted of Run::profile_events, over all its bursts.
struct KernelProfile {
  KernelId kernel = 0; ///< of the run
  std::uint64_t bursts = 0;
  std::vector<std::uint64_t> sums = {}; ///< in the order of the events
  bool operator==(const KernelProfile&) const = default;
};

/// What the run knows of one rank.
struct RankRecord {
  Rank rank = no_rank;
  std::uint32_t host = 0;          ///< index into Run::hosts
  std::uint64_t skew_per_call = 0; ///< volume of the recorder itself, already subtracted from each compute action
  Ending ending = Ending::unknown;
  std::string ending_reason = {};
  std::uint64_t actions = 0;                                  ///< actions held, over all blocks
  std::map<std::string, std::uint64_t> unrecorded_calls = {}; ///< calls seen but not recorded as actions, by MPI name
  std::vector<std::string> notes = {};                        ///< what else is worth knowing of its recording
  /// How long the recording was on, in nanoseconds from the end of MPI_Init to the recording's end; 0 where no times
  /// were recorded, or the recording did not end in order.
  std::uint64_t recorded_time = 0;
  /// The most memory the process had resident, in bytes, what recorded it included (under icount, Valgrind); 0 where
  /// the recording did not end in order.
  std::uint64_t peak_memory = 0;
  std::vector<KernelProfile> profile = {}; ///< by rising kernel; empty where nothing was profiled
  bool operator==(const RankRecord&) const = default;
};

/// Where a trace comes from.
struct Provenance {
  std::string tool_version = {};  ///< "timeless 0.1.0"
  std::string mpi_library = {};   ///< MPI_Get_library_version, first line
  std::string program = {};       ///< path of rank 0's executable
  std::string date = {};          ///< when recording started, ISO 8601, UTC; information only
  std::uint64_t run_identity = 0; ///< the same in all rank files of a run, different between runs
  /// Of a run that nobody recorded: what it was extrapolated from, by which laws and how far off it may be, in lines.
  std::string extrapolated = {};
  /// How rank 0's program was started: its name and its arguments, up to 64 KiB of them; empty where that is not known.
  std::vector<std::string> command = {};
  bool operator==(const Provenance&) const = default;
};

/// Everything about a run but its actions.
struct Run {
  Rank size = 0; ///< ranks in MPI_COMM_WORLD
  Counter counter = {};
  Provenance provenance = {};
  std::vector<Host> hosts = {};
  std::vector<RankRecord> ranks = {};           ///< those present, by rising rank
  std::vector<Communicator> communicators = {}; ///< by CommunicatorId
  std::vector<Module> modules = {};             ///< by CallSite::module
  std::vector<Caller> callers = {};             ///< by CallerId
  std::vector<Kernel> kernels = {};             ///< by KernelId
  std::vector<std::string> regions = {};        ///< names, by RegionId; distinct
  std::vector<std::string> profile_events = {}; ///< what RankRecord::profile has counted, by PAPI's names
  /// How far each volume may be from what was recorded, relative to that, in parts of a billion; the sum of each kernel
  /// of each rank is as recorded. 0 where nothing was rounded.
  std::uint64_t volume_error = 0;

  /// Returns the record of this rank, or null if the run does not hold it.
  const RankRecord* find(Rank rank) const;
  RankRecord* find(Rank rank);
  /// Returns the world ranks that the run should hold but does not.
  std::vector<Rank> missing_ranks() const;
  /// Returns RankRecord::unrecorded_calls, summed over all ranks.
  std::map<std::string, std::uint64_t> unrecorded_calls() const;
  /// Returns true when every rank is present and finalized.
  bool complete() const;
};

const char* name(VolumeUnit unit);
const char* name(Exactness exactness);
const char* name(Ending ending);

} // namespace timeless::trace
