#include "tracer/sites/loaded_module.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <string>

namespace timeless::tracer {

namespace {

using ProgramHeaders = std::span<const ElfW(Phdr)>;

struct Search {
  std::uintptr_t address = 0;
  bool found = false;
  const char* name = nullptr;
  std::uintptr_t bias = 0; ///< of addresses here over those the file gives
  ProgramHeaders headers = {};
};

bool holds(const dl_phdr_info& info, std::uintptr_t address) {
  return std::ranges::any_of(ProgramHeaders(info.dlpi_phdr, info.dlpi_phnum), [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_LOAD && address - (info.dlpi_addr + header.p_vaddr) < header.p_memsz;
  });
}

int look(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!holds(*info, search.address)) return 0;
  search.found = true;
  search.name = info->dlpi_name;
  search.bias = info->dlpi_addr;
  search.headers = {info->dlpi_phdr, info->dlpi_phnum};
  return 1;
}

/// The loader does not name the program itself, and knows libraries as they were asked for.
std::string path_of(const char* name) {
  std::error_code failure;
  const bool program = name == nullptr || *name == '\0';
  const auto path =
      program ? std::filesystem::read_symlink("/proc/self/exe", failure) : std::filesystem::canonical(name, failure);
  if (!failure) return path.string();
  return program ? "[program]" : name;
}

std::uint64_t lowest_address(const Search& search) {
  std::uintptr_t lowest = std::numeric_limits<std::uintptr_t>::max();
  for (const ElfW(Phdr) & header : search.headers)
    if (header.p_type == PT_LOAD) lowest = std::min(lowest, header.p_vaddr);
  return search.bias +
         lowest / static_cast<std::uintptr_t>(::getpagesize()) * static_cast<std::uintptr_t>(::getpagesize());
}

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// Returns the build id among the notes of a segment, which are loaded with the module.
std::string build_id_in(std::string_view notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    if (notes.size() < padded(note.n_namesz) + note.n_descsz) break;
    const std::string_view owner = notes.substr(0, note.n_namesz);
    notes.remove_prefix(padded(note.n_namesz));
    if (note.n_type == NT_GNU_BUILD_ID && owner == std::string_view("GNU", 4))
      return std::string(notes.substr(0, note.n_descsz));
    notes.remove_prefix(std::min(padded(note.n_descsz), notes.size()));
  }
  return {};
}

std::string build_id(const Search& search) {
  for (const ElfW(Phdr) & header : search.headers) {
    if (header.p_type != PT_NOTE) continue;
    std::string id = build_id_in({reinterpret_cast<const char*>(search.bias + header.p_vaddr), header.p_memsz});
    if (!id.empty()) return id;
  }
  return {};
}

} // namespace

std::optional<LoadedModule> loaded_module(const void* address) {
  Search search{.address = reinterpret_cast<std::uintptr_t>(address)};
  dl_iterate_phdr(look, &search);
  if (!search.found) return std::nullopt;
  // It stays loaded: code of it is being run.
  return LoadedModule{{path_of(search.name), build_id(search)}, lowest_address(search)};
}

unsigned long long modules_unloaded() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_subs;
        return 1;
      },
      &count);
  return count;
}

} // namespace timeless::tracer
