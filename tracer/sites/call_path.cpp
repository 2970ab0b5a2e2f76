#include "tracer/sites/call_path.h"

#include "base/mixing.h"

#include <unwind.h>

#include <algorithm>

namespace timeless::tracer {

namespace {

/// The tracer's own frames below the wrapper, at most; beyond, the wrapper's caller is not on the stack.
constexpr std::size_t most_own_frames = 64;

struct Walk {
  CallPath& path;
  std::size_t depth = 0;
  std::size_t frames = 0;
  bool in_program = false;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  if (!walk.in_program) {
    walk.in_program = address == walk.path.addresses[0];
    return walk.in_program || ++walk.frames < most_own_frames ? _URC_NO_REASON : _URC_END_OF_STACK;
  }
  if (address == nullptr) return _URC_END_OF_STACK;
  walk.path.addresses[walk.path.length++] = address;
  return walk.path.length < walk.depth ? _URC_NO_REASON : _URC_END_OF_STACK;
}

} // namespace

void unwind(CallPath& path, const void* return_address, std::size_t depth) noexcept {
  path.addresses[0] = return_address;
  path.length = 1;
  Walk walk{.path = path, .depth = std::min(depth, max_stack_depth)};
  _Unwind_Backtrace(step, &walk);
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < path.length; ++i)
    key = splitmix64(key ^ key_of(path.addresses[i]));
  path.key = key != 0 ? key : 1;
}

} // namespace timeless::tracer
