#pragma once

#include "trace/formats/common/lowering.h"
#include "trace/model/source.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace::formats {

/// A run that stands in files of a foreign format. What the format did not say is in the run's own terms: notes and
/// unrecorded calls of the ranks' records, endings that are unknown.
class ImportedRun : public Source {
public:
  /// Returns the files that the run was read from.
  virtual std::vector<std::filesystem::path> files() const = 0;
  /// Returns whether blocking receives and exchanges, too, name the sizes of their buffers: the format does not say
  /// what they got.
  virtual bool receives_name_buffers() const { return false; }
};

/// Of formats in which MPI calls have times: inside which of them the time is computation, beside that between calls.
struct CallsAsComputation {
  bool local = true; ///< those that do not communicate, such as MPI_Comm_rank; else their time is nobody's
  bool nonblocking =
      false; ///< those that start or test communication and return; else the replay says how long they take
};

/// How a run is written in a foreign format.
struct ExportOptions {
  bool force = false; ///< replace an existing output
  /// How collectives become messages, for formats that have none of their own, or not all of them. Where it is empty
  /// such a collective is lost.
  Lowering lower = {};
  /// How much of a run's unit is computed in a second, for formats whose computation is time, where the run's is not.
  double rate = 1e9;
  /// Called now and then with the actions written so far, and to be written in all.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// What became of a run that was written in a foreign format. The keys are sentences a person can read, such as
/// "Iallreduce as messages" and "Win_fence"; the values say of how many actions.
struct ExportReport {
  std::vector<std::filesystem::path> files;     ///< written, the one to name first
  std::uint64_t bytes = 0;                      ///< in those
  std::uint64_t actions = 0;                    ///< read
  std::map<std::string, std::uint64_t> lowered; ///< said in other words: what they cost may differ
  std::map<std::string, std::uint64_t> lost;    ///< left out
};

/// Called now and then with the bytes that were gone through so far, and will be in all.
using ImportProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// How a run is read from a foreign format.
struct ImportOptions {
  CallsAsComputation counted = {}; ///< of formats in which MPI calls have times
  ImportProgress progress = {};
};

/// Opens what a person names: a file, a directory, or the prefix of several files. Throws Error(invalid_input) naming
/// file and place where it is no such file.
using Import = std::unique_ptr<ImportedRun> (*)(const std::filesystem::path& path, const ImportOptions& options);
/// Writes all of a run. Throws Error(usage) where the output exists, unless forced, Error(runtime) where the disk is
/// full, Error(missing_capability) where the format cannot hold the run at all.
using Export = ExportReport (*)(const Source& source, const std::filesystem::path& output,
                                const ExportOptions& options);

/// A format other than the archive.
struct Format {
  std::string_view name;        ///< as a person types it after --from and --to
  std::string_view description; ///< what it is, and what to name as its path
  Import open = nullptr;        ///< null when it is only written
  bool timed = false;           ///< its calls have times, of which ImportOptions::counted says what they are
  Export write = nullptr;       ///< null when it is only read
  /// Returns whether a file that begins so seems to be of this format; only to help who has named another one.
  bool (*looks_like)(std::string_view beginning) = nullptr;
};

/// Returns every format there is: the one table, in formats.cpp.
std::span<const Format> formats();

/// Returns the format of this name that can be read. Throws Error(usage) that lists those there are.
const Format& readable_format(std::string_view name);
/// Returns the format of this name that can be written. Throws Error(usage) that lists those there are.
const Format& writable_format(std::string_view name);
/// Returns the one that a file seems to be in, by its first bytes; null where it is no file, or none of them.
const Format* recognised_format(const std::filesystem::path& path);

} // namespace timeless::trace::formats
