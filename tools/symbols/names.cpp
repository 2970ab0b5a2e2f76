#include "tools/symbols/names.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace timeless::tools::symbols {

namespace {

/// Removes what GCC calls its copies of a function: "f.constprop.0", "f.part.1.cold", and "f.3" of a nested or static
/// one.
std::string_view without_clone(std::string_view symbol) {
  static constexpr std::array suffixes{".cold", ".constprop", ".isra", ".lto_priv", ".part"};
  for (std::size_t dot = symbol.find('.', 1); dot != std::string_view::npos; dot = symbol.find('.', dot + 1)) {
    const std::string_view rest = symbol.substr(dot);
    const bool number = rest.size() > 1 && std::ranges::all_of(rest.substr(1), [](unsigned char letter) {
                          return std::isdigit(letter) != 0;
                        });
    const bool clone = std::ranges::any_of(suffixes, [&](std::string_view suffix) { return rest.starts_with(suffix); });
    // "main._omp_fn.0" keeps its number: it says which of main's loops.
    if (clone || (number && symbol.substr(0, dot).find('.', 1) == std::string_view::npos)) return symbol.substr(0, dot);
  }
  return symbol;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 && name ? name.get() : symbol;
}

/// Returns the place of the bracket that closes the one at `begin`, or npos.
std::size_t closing(std::string_view name, std::size_t begin, char open, char close) {
  int depth = 0;
  for (std::size_t i = begin; i < name.size(); ++i) {
    depth += name[i] == open ? 1 : 0;
    depth -= name[i] == close ? 1 : 0;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Puts `instead` for brackets and what is between them, but where these are part of the name itself.
std::string without_brackets(std::string_view name, char open, char close, std::string_view instead) {
  std::string result;
  while (!name.empty()) {
    for (const std::string_view kept : {"(anonymous namespace)", "operator()"})
      if (name.starts_with(kept)) {
        result += kept;
        name.remove_prefix(kept.size());
      }
    const std::size_t end = name.starts_with(open) ? closing(name, 0, open, close) : std::string_view::npos;
    if (end == std::string_view::npos)
      result += name.substr(0, 1);
    else
      result += instead;
    name.remove_prefix(std::min(name.size(), end == std::string_view::npos ? 1 : end + 1));
  }
  return result;
}

} // namespace

std::string readable_name(std::string_view symbol, bool fortran) {
  const std::string name(without_clone(symbol));
  if (name.starts_with("_Z")) return demangled(name);
  if (const std::size_t part = name.find("_MOD_"); name.starts_with("__") && part != std::string::npos)
    return name.substr(2, part - 2) + "::" + name.substr(part + 5);
  if (fortran && name.size() > 1 && name.ends_with('_') && !name.ends_with("__") && !name.starts_with('_'))
    return name.substr(0, name.size() - 1);
  return name;
}

std::string shortened_name(std::string_view name, std::size_t width) {
  std::string shorter = without_brackets(name, '(', ')', "");
  if (shorter.ends_with(" const")) shorter.resize(shorter.size() - 6);
  // The signs of "operator<" are no brackets.
  if (shorter.size() > width && shorter.find("operator") == std::string::npos)
    shorter = without_brackets(shorter, '<', '>', "<>");
  if (shorter.size() <= width) return shorter;
  const std::size_t kept = width - 3;
  return shorter.substr(0, kept / 3) + "..." + shorter.substr(shorter.size() - (kept - kept / 3));
}

} // namespace timeless::tools::symbols
