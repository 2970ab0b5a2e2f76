// Lets programs that load MPI themselves, as interpreters do (Julia's MPI.jl, Python's ctypes), record: who asks a
// library of MPI for a function is given the one of this library. All else is asked of the C library, as ever.
#include "tracer/common/own_code.h"
#include "tracer/mpi/functions.h"
#include "tracer/mpi/mpi_modules.h"
#include "tracer/mpi/other_mpi.h"

#include <dlfcn.h>
#include <string_view>

// The question of who asks (RTLD_NEXT) is answered by the return address, which only a jump leaves as it is.
#ifdef __x86_64__

namespace timeless::tracer {

namespace {

using Lookup = void* (*)(void* library, const char* name);

/// Not the function of MPI's plain name: that one calls profiling layers first, and a layer may be who asks.
void* recording_function(std::string_view name) {
#define MPI_CALL(function, family)                                                                                     \
  if (name == #function) return reinterpret_cast<void*>(&PMPI_##function);
#include "call_ids.inc"
#include "large_call_ids.inc"
#undef MPI_CALL
  return nullptr;
}

/// Returns a function of MPI without the prefix; empty for all other names.
std::string_view function_of_mpi(std::string_view name) {
  for (const std::string_view prefix : {"MPI_", "PMPI_"})
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return {};
}

bool is_in_recorded_library(const void* function) {
  const std::string_view path = path_of_code(function);
  return is_mpi_library(path) && !is_of_another_mpi(path);
}

/// Returns the C library's dlsym, or that of a library between. A sanitizer asks for what it replaces before it is
/// ready for code that it watches, as inline functions of the standard library may be.
Lookup next_lookup() {
  static constinit Lookup next = nullptr;
  if (next == nullptr) next = reinterpret_cast<Lookup>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  if (next == nullptr) next = reinterpret_cast<Lookup>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  return next;
}

} // namespace

/// Either the answer, or who is to give it.
struct Answer {
  void* symbol;
  Lookup next;
};

extern "C" __attribute__((visibility("hidden"))) Answer timeless_look_up(void* library, const char* name,
                                                                         const void* caller) {
  const Lookup next = next_lookup();
  if (library == RTLD_DEFAULT || library == RTLD_NEXT || name == nullptr) return {nullptr, next};
  const std::string_view function = function_of_mpi(name);
  // The tracer itself asks for MPI's own functions.
  if (function.empty() || is_own(caller)) return {nullptr, next};
  void* const recording = recording_function(function);
  const bool is_recorded = recording != nullptr && is_in_recorded_library(next(library, name));
  return {is_recorded ? recording : nullptr, next};
}

} // namespace timeless::tracer

asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  movq 16(%rsp), %rdx
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call timeless_look_up
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  jne 1f
  jmp *%rdx
1:
  ret
  .cfi_endproc
  .size dlsym, .-dlsym
)");

#endif
