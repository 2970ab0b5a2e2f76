#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace timeless::replay {

/// Which of the processor's instructions the arithmetic on lanes uses. The result does not depend on it.
enum class InstructionSet : std::uint8_t {
  best,     ///< the widest this processor has
  baseline, ///< what the compiler may use without asking; the only one on other processors than x86-64
  avx2,     ///< x86-64-v3
  avx512,   ///< x86-64-v4
};

/// Returns "best", "baseline", "avx2" or "avx512".
std::string_view name(InstructionSet set);

/// Returns true when this processor, and this build, can use it.
bool is_available(InstructionSet set);

/// Returns those that are available, `best` left out.
std::vector<InstructionSet> available_instruction_sets();

/// Returns what `set` stands for on this processor, never `best`. Throws Error(missing_capability) when it is not
/// available.
InstructionSet resolved(InstructionSet set);

} // namespace timeless::replay
