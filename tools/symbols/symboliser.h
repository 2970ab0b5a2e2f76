#pragma once

#include "tools/symbols/module_symbols.h"
#include "trace/model/run.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools::symbols {

/// What became of a module since it was recorded.
enum class ModuleState {
  same,      ///< the file that was recorded, by its build id
  unproven,  ///< a file of that path; there is no build id to compare
  changed,   ///< a file of that path, but another one
  missing,   ///< no file
  unreadable ///< a file, but no executable or shared library
};

/// Names the places of a run in its source.
///
/// A module is looked for where it was when it was recorded, then in the directories given (below them by its whole
/// path, or by its name), then as a separate debug file by its build id. A file with another build id than the one
/// recorded is not used: the names would be wrong. Each module is opened once, when first asked for.
class Symboliser {
public:
  /// Begins without symbols. `run` must live as long.
  Symboliser(const trace::Run& run, std::vector<std::filesystem::path> directories);

  SourcePlace place(const trace::CallSite& site);
  ModuleState state(std::uint32_t module) { return opened(module).state; }

  /// Returns a sentence for each module asked for whose places cannot be named, or might be named wrongly.
  std::vector<std::string> notices() const;

private:
  struct Opened {
    ModuleState state = ModuleState::missing;
    std::string file = {};
    std::string found_build_id = {}; ///< of the file that is not the one recorded
    std::optional<ModuleSymbols> symbols = {};
  };
  Opened& opened(std::uint32_t module);
  Opened open(const trace::Module& module) const;
  std::vector<std::filesystem::path> candidates(const trace::Module& module) const;
  bool modified_since_recorded(const std::filesystem::path& file) const;

  const trace::Run& run_;
  std::vector<std::filesystem::path> directories_;
  std::map<std::uint32_t, Opened> opened_;
};

/// Returns "same", "unproven" and so on.
const char* name(ModuleState state);
/// Returns a build id as tools print it.
std::string hexadecimal(const std::string& build_id);

} // namespace timeless::tools::symbols
