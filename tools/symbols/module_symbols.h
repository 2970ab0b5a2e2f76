#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace timeless::tools::symbols {

/// What a place is called in its source; what is not known is empty.
struct SourcePlace {
  std::string function = {};     ///< the innermost there, whether inlined or not
  std::string inlined_into = {}; ///< the function whose code it became part of; empty when it was not inlined
  std::string file = {};         ///< as the compiler was given it, made absolute
  int line = 0;                  ///< 0: not known
};

/// The symbols and the debug information of one executable or shared library, or those of its separate debug file
/// (.gnu_debuglink, .build-id) below /usr/lib/debug or the directories given. Asks no server.
class ModuleSymbols {
public:
  /// Opens a module's file; nothing when this is no such file.
  static std::optional<ModuleSymbols> open(const std::filesystem::path& file,
                                           std::span<const std::filesystem::path> debug_directories);
  ModuleSymbols(ModuleSymbols&&) noexcept;
  ModuleSymbols& operator=(ModuleSymbols&&) noexcept;
  ~ModuleSymbols();

  /// Returns its NT_GNU_BUILD_ID, as bytes; empty when it has none.
  std::string build_id() const;
  /// Returns what is called from the instruction before `offset`, which counts from the lowest address the module is
  /// mapped to.
  SourcePlace call_at(std::uint64_t offset) const;

private:
  struct State;
  explicit ModuleSymbols(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace timeless::tools::symbols
