#include "replay/options/instruction_set.h"

#include "base/error.h"

#include <string>

namespace timeless::replay {

namespace {

constexpr InstructionSet every_set[] = {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512};

std::string list_of_available() {
  std::string text;
  for (const InstructionSet set : available_instruction_sets())
    text += (text.empty() ? "" : ", ") + std::string(name(set));
  return text;
}

} // namespace

std::string_view name(InstructionSet set) {
  switch (set) {
  case InstructionSet::best:
    return "best";
  case InstructionSet::baseline:
    return "baseline";
  case InstructionSet::avx2:
    return "avx2";
  case InstructionSet::avx512:
    return "avx512";
  }
  return "";
}

bool is_available(InstructionSet set) {
  if (set == InstructionSet::best || set == InstructionSet::baseline) return true;
#if defined(__x86_64__) && defined(__GNUC__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
  if (set == InstructionSet::avx2) return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
#else
  return false;
#endif
}

std::vector<InstructionSet> available_instruction_sets() {
  std::vector<InstructionSet> available;
  for (const InstructionSet set : every_set)
    if (is_available(set)) available.push_back(set);
  return available;
}

InstructionSet resolved(InstructionSet set) {
  if (set == InstructionSet::best) return available_instruction_sets().back();
  if (!is_available(set))
    throw Error(Failure::missing_capability,
                "this processor has no instruction set " + std::string(name(set)) + " for the replay", {},
                "leave the choice to the replay, or take one of: " + list_of_available());
  return set;
}

} // namespace timeless::replay
