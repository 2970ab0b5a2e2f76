#include "tools/symbols/symboliser.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <ctime>
#include <utility>

namespace timeless::tools::symbols {

namespace fs = std::filesystem;

namespace {

/// Where code is that was made at run time, as the tracer names it.
constexpr const char* no_file = "[anonymous]";

fs::path debug_file(const fs::path& directory, const std::string& build_id) {
  const std::string digits = hexadecimal(build_id);
  return directory / ".build-id" / digits.substr(0, 2) / (digits.substr(2) + ".debug");
}

} // namespace

Symboliser::Symboliser(const trace::Run& run, std::vector<fs::path> directories)
    : run_(run), directories_(std::move(directories)) {}

SourcePlace Symboliser::place(const trace::CallSite& site) {
  const Opened& module = opened(site.module);
  return module.symbols ? module.symbols->call_at(site.offset) : SourcePlace{};
}

Symboliser::Opened& Symboliser::opened(std::uint32_t module) {
  const auto known = opened_.find(module);
  if (known != opened_.end()) return known->second;
  return opened_.emplace(module, open(run_.modules.at(module))).first->second;
}

std::vector<fs::path> Symboliser::candidates(const trace::Module& module) const {
  const fs::path recorded = module.path;
  std::vector<fs::path> files = {recorded};
  for (const fs::path& directory : directories_) {
    files.push_back(directory / recorded.relative_path());
    files.push_back(directory / recorded.filename());
  }
  if (module.build_id.size() < 2) return files;
  files.push_back(debug_file("/usr/lib/debug", module.build_id));
  for (const fs::path& directory : directories_)
    files.push_back(debug_file(directory, module.build_id));
  return files;
}

Symboliser::Opened Symboliser::open(const trace::Module& module) const {
  Opened result;
  if (module.path.empty()) return result;
  for (const fs::path& file : candidates(module)) {
    std::error_code unknown;
    if (!fs::is_regular_file(file, unknown)) continue;
    auto symbols = ModuleSymbols::open(file, directories_);
    if (!symbols) {
      if (result.state == ModuleState::missing) result = {.state = ModuleState::unreadable, .file = file.string()};
      continue;
    }
    std::string build_id = symbols->build_id();
    if (build_id == module.build_id)
      return {.state = build_id.empty() ? ModuleState::unproven : ModuleState::same,
              .file = file.string(),
              .symbols = std::move(symbols)};
    // A recording that knows no build ids says nothing against a file that has one.
    if (module.build_id.empty())
      return {.state = ModuleState::unproven, .file = file.string(), .symbols = std::move(symbols)};
    if (result.state != ModuleState::changed)
      result = {.state = ModuleState::changed, .file = file.string(), .found_build_id = std::move(build_id)};
  }
  return result;
}

bool Symboliser::modified_since_recorded(const fs::path& file) const {
  std::tm parts{};
  struct stat status {};
  if (::strptime(run_.provenance.date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return false;
  return ::stat(file.c_str(), &status) == 0 && status.st_mtime > ::timegm(&parts);
}

std::vector<std::string> Symboliser::notices() const {
  std::vector<std::string> sentences;
  for (const auto& [number, module] : opened_) {
    const trace::Module& recorded = run_.modules.at(number);
    if (recorded.path == no_file || recorded.path.empty()) continue;
    if (module.state == ModuleState::changed)
      sentences.push_back(fmt::format(
          "{} has changed since it was recorded (its build id is {}, it was {}): its places are not named; give the "
          "directory of the old one with --symbols",
          module.file, module.found_build_id.empty() ? "missing" : hexadecimal(module.found_build_id),
          hexadecimal(recorded.build_id)));
    else if (module.state == ModuleState::missing)
      sentences.push_back(fmt::format("{} is not here: its places are not named; give the directory it is in with "
                                      "--symbols",
                                      recorded.path));
    else if (module.state == ModuleState::unreadable)
      sentences.push_back(fmt::format("{} is no executable or shared library: its places are not named", module.file));
    else if (module.state == ModuleState::unproven && modified_since_recorded(module.file))
      sentences.push_back(fmt::format("{} was modified after it was recorded, and there is no build id to tell whether "
                                      "it is the same: its places may be named wrongly",
                                      module.file));
  }
  return sentences;
}

const char* name(ModuleState state) {
  switch (state) {
  case ModuleState::same:
    return "same";
  case ModuleState::unproven:
    return "unproven";
  case ModuleState::changed:
    return "changed";
  case ModuleState::missing:
    return "missing";
  case ModuleState::unreadable:
    break;
  }
  return "unreadable";
}

std::string hexadecimal(const std::string& build_id) {
  std::string digits;
  for (const unsigned char byte : build_id)
    digits += fmt::format("{:02x}", byte);
  return digits;
}

} // namespace timeless::tools::symbols
