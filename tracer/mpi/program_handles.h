#pragma once

#include "tracer/mpi/mpi_library.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace timeless::tracer {

/// Where the program has a handle, or an array of them: the pointer that it passes. Handles are 4 bytes wide or 8, by
/// MPI (abi.def); files always 8.
template <typename Handle>
class ProgramHandles {
  using Value = std::remove_const_t<Handle>;

public:
  ProgramHandles(std::nullptr_t /*none*/ = nullptr) {} // NOLINT(google-explicit-constructor)
  explicit ProgramHandles(Handle* handles) : handles_(handles) {}
  operator ProgramHandles<const Handle>() const { // NOLINT(google-explicit-constructor)
    return ProgramHandles<const Handle>(handles_);
  }
  bool operator==(std::nullptr_t) const { return handles_ == nullptr; }

  Value operator[](std::ptrdiff_t index) const {
    if (narrow()) return read<std::uint32_t>(index);
    return read<std::uint64_t>(index);
  }
  Value operator*() const { return (*this)[0]; }
  /// Gives the program another handle in place of its own.
  void set(Value handle) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(handle);
    if (narrow())
      write(static_cast<std::uint32_t>(bits));
    else
      write(std::uint64_t{bits});
  }

private:
  static bool narrow() { return !std::is_same_v<Value, MPI_File> && mpi().narrow_handles(); }

  template <typename Bits>
  Value read(std::ptrdiff_t index) const {
    Bits bits;
    std::memcpy(&bits, reinterpret_cast<const char*>(handles_) + index * std::ptrdiff_t{sizeof bits}, sizeof bits);
    return reinterpret_cast<Value>(static_cast<std::uintptr_t>(bits));
  }
  template <typename Bits>
  void write(Bits bits) const {
    std::memcpy(reinterpret_cast<char*>(handles_), &bits, sizeof bits);
  }

  Handle* handles_ = nullptr;
};

/// A handle that the tracer itself has MPI set, or take.
template <typename Handle>
class OwnHandle {
public:
  explicit OwnHandle(Handle value = nullptr) { place().set(value); }
  /// Returns what MPI is to be given.
  ProgramHandles<Handle> place() { return ProgramHandles<Handle>(&handle_); }
  Handle value() { return *place(); }

private:
  Handle handle_ = nullptr;
};

/// Returns a handle that the program has passed by value: of one that is an integer, the upper half of the register
/// may hold anything.
template <typename Handle>
Handle passed(Handle handle) {
  return reinterpret_cast<Handle>(reinterpret_cast<std::uintptr_t>(handle) & mpi().handle_mask);
}

} // namespace timeless::tracer
