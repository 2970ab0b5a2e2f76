#include "tools/symbols/module_symbols.h"

#include "tools/symbols/names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::tools::symbols {

namespace {

namespace fs = std::filesystem;

std::string text(const char* string) {
  return string == nullptr ? "" : string;
}

/// Returns libdw's search path: beside the module, in .debug there, and below the directories.
std::string search_path(std::span<const fs::path> directories) {
  std::string path = ":.debug:/usr/lib/debug";
  for (const fs::path& directory : directories)
    path += ":" + fs::absolute(directory).string();
  return path;
}

/// Returns debug information units, from the innermost function at an address to the one whose code it is in.
std::vector<Dwarf_Die> functions_at(Dwarf_Die& unit, Dwarf_Addr address) {
  std::vector<Dwarf_Die> functions;
  Dwarf_Die* scopes = nullptr;
  if (dwarf_getscopes(&unit, address, &scopes) <= 0) return functions;
  // The scopes around an inlined function are those of its definition. Those around its place in the code are wanted.
  Dwarf_Die* around = nullptr;
  const int count = dwarf_getscopes_die(&scopes[0], &around);
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&around[i]);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    functions.push_back(around[i]);
    if (tag == DW_TAG_subprogram) break;
  }
  std::free(around);
  std::free(scopes);
  return functions;
}

bool is_cpp(Dwarf_Die& unit) {
  switch (dwarf_srclang(&unit)) {
  case DW_LANG_C_plus_plus:
  case DW_LANG_C_plus_plus_03:
  case DW_LANG_C_plus_plus_11:
  case DW_LANG_C_plus_plus_14:
    return true;
  default:
    return false;
  }
}

bool is_fortran(Dwarf_Die& unit) {
  switch (dwarf_srclang(&unit)) {
  case DW_LANG_Fortran77:
  case DW_LANG_Fortran90:
  case DW_LANG_Fortran95:
  case DW_LANG_Fortran03:
  case DW_LANG_Fortran08:
    return true;
  default:
    return false;
  }
}

/// Returns where a function is declared: in its class or namespace, of which the copies that are code say nothing.
Dwarf_Die declaration_of(Dwarf_Die function) {
  Dwarf_Attribute attribute;
  for (const unsigned link : {unsigned{DW_AT_abstract_origin}, unsigned{DW_AT_specification}}) {
    Dwarf_Die target;
    if (dwarf_formref_die(dwarf_attr(&function, link, &attribute), &target) != nullptr) function = target;
  }
  return function;
}

/// Returns the name of a function that has no symbol, with the scopes it is in: "main::{lambda}::operator()".
std::string qualified(Dwarf_Die function, const std::string& name) {
  Dwarf_Die declaration = declaration_of(function);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  std::string result = name;
  for (int i = 1; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_namespace && tag != DW_TAG_class_type && tag != DW_TAG_structure_type && tag != DW_TAG_subprogram)
      continue;
    const std::string scope = text(dwarf_diename(&scopes[i]));
    const char* const nameless = tag == DW_TAG_namespace ? "(anonymous namespace)" : "{lambda}";
    result.insert(0, (scope.empty() ? nameless : scope) + "::");
  }
  std::free(scopes);
  return result;
}

std::string name_of(Dwarf_Die& function, Dwarf_Die& unit) {
  Dwarf_Attribute attribute;
  Dwarf_Attribute* found = dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute);
  if (found == nullptr) found = dwarf_attr_integrate(&function, DW_AT_MIPS_linkage_name, &attribute);
  const std::string symbol = found == nullptr ? "" : text(dwarf_formstring(found));
  const std::string readable = readable_name(symbol, is_fortran(unit));
  const std::string plain = text(dwarf_formstring(dwarf_attr_integrate(&function, DW_AT_name, &attribute)));
  // A symbol is better where it says more than the source's name: the class, the module.
  if (plain.empty() || symbol.starts_with("_Z") || readable.find("::") != std::string::npos) return readable;
  return symbol.empty() && is_cpp(unit) && plain != "main" ? qualified(function, plain) : plain;
}

} // namespace

struct ModuleSymbols::State {
  std::string search_path;
  char* search_path_pointer = nullptr;
  Dwfl_Callbacks callbacks{};
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;
  GElf_Addr bias = 0;   ///< of libdw's addresses over the file's
  GElf_Addr lowest = 0; ///< the file's own address of what is mapped lowest
  bool fortran = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (session != nullptr) dwfl_end(session);
  }

  bool open(const fs::path& file, std::span<const fs::path> directories) {
    // A look at a trace must not wait for a server.
    ::unsetenv("DEBUGINFOD_URLS");
    search_path = symbols::search_path(directories);
    search_path_pointer = search_path.data();
    callbacks.find_elf = dwfl_build_id_find_elf;
    callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
    callbacks.section_address = dwfl_offline_section_address;
    callbacks.debuginfo_path = &search_path_pointer;
    session = dwfl_begin(&callbacks);
    if (session == nullptr) return false;
    dwfl_report_begin(session);
    module = dwfl_report_elf(session, file.filename().c_str(), file.c_str(), -1, 0, true);
    dwfl_report_end(session, nullptr, nullptr);
    Elf* const elf = module == nullptr ? nullptr : dwfl_module_getelf(module, &bias);
    return elf != nullptr && find_lowest(elf);
  }

  bool find_lowest(Elf* elf) {
    std::size_t headers = 0;
    if (elf_getphdrnum(elf, &headers) != 0) return false;
    lowest = std::numeric_limits<GElf_Addr>::max();
    for (std::size_t i = 0; i < headers; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_LOAD)
        lowest = std::min(lowest, header.p_vaddr);
    }
    if (lowest == std::numeric_limits<GElf_Addr>::max()) return false;
    const auto page = static_cast<GElf_Addr>(::getpagesize());
    lowest = lowest / page * page;
    return true;
  }

  /// Returns whether gfortran has compiled some of it: that calls its run-time library.
  bool uses_fortran() const {
    const int count = dwfl_module_getsymtab(module);
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      const char* const name = dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (name != nullptr && std::string_view(name).starts_with("_gfortran_")) return true;
    }
    return false;
  }

  /// Returns the compilation unit at an address. Not every compiler writes the table that finds it at once.
  Dwarf_Die* unit_at(Dwarf_Addr address, Dwarf_Addr& unit_bias) const {
    if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &unit_bias)) return unit;
    Dwarf_Die* unit = nullptr;
    while ((unit = dwfl_module_nextcu(module, unit, &unit_bias)) != nullptr)
      if (dwarf_haspc(unit, address - unit_bias) == 1) return unit;
    return nullptr;
  }

  void name_by_debug_information(Dwarf_Addr address, SourcePlace& place) const {
    Dwarf_Addr unit_bias = 0;
    Dwarf_Die* const unit = unit_at(address, unit_bias);
    if (unit == nullptr) return;
    auto functions = functions_at(*unit, address - unit_bias);
    if (!functions.empty()) place.function = name_of(functions.front(), *unit);
    if (functions.size() > 1) place.inlined_into = name_of(functions.back(), *unit);
    Dwarf_Line* const line = dwarf_getsrc_die(unit, address - unit_bias);
    if (line == nullptr) return;
    dwarf_lineno(line, &place.line);
    Dwarf_Attribute attribute;
    const fs::path directory = text(dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute)));
    place.file = (directory / text(dwarf_linesrc(line, nullptr, nullptr))).lexically_normal().string();
  }

  void name_by_symbol(Dwarf_Addr address, SourcePlace& place) const {
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* const name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    // The nearest symbol says nothing of code beyond its end: in a stripped file that is somebody else's.
    if (name != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && offset < symbol.st_size)
      place.function = readable_name(name, fortran);
  }
};

ModuleSymbols::ModuleSymbols(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModuleSymbols::ModuleSymbols(ModuleSymbols&&) noexcept = default;
ModuleSymbols& ModuleSymbols::operator=(ModuleSymbols&&) noexcept = default;
ModuleSymbols::~ModuleSymbols() = default;

std::optional<ModuleSymbols> ModuleSymbols::open(const fs::path& file, std::span<const fs::path> debug_directories) {
  auto state = std::make_unique<State>();
  if (!state->open(file, debug_directories)) return std::nullopt;
  state->fortran = state->uses_fortran();
  return ModuleSymbols(std::move(state));
}

std::string ModuleSymbols::build_id() const {
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int size = dwfl_module_build_id(state_->module, &bits, &address);
  return size <= 0 ? "" : std::string(reinterpret_cast<const char*>(bits), static_cast<std::size_t>(size));
}

SourcePlace ModuleSymbols::call_at(std::uint64_t offset) const {
  SourcePlace place;
  if (offset == 0) return place;
  const Dwarf_Addr address = state_->lowest + offset - 1 + state_->bias;
  state_->name_by_debug_information(address, place);
  if (place.function.empty()) state_->name_by_symbol(address, place);
  return place;
}

} // namespace timeless::tools::symbols
