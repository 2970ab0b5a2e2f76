#pragma once

#include "microkernels/arena.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

/// Loops as scientific programs have them, whose costs differ in one thing each.
namespace timeless::microkernels {

/// A kernel with its arrays.
class Work {
public:
  virtual ~Work() = default;
  /// Goes once over its elements; the result keeps the compiler from leaving it out.
  virtual double sweep() = 0;
};

/// Goes over them so many times.
inline double visit(Work& work, std::size_t sweeps) {
  double result = 0;
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep)
    result += work.sweep();
  return result;
}

/// A micro-kernel, and the sizes of its arrays that are measured.
struct Kernel {
  std::string_view name;
  std::size_t bytes_per_element = 8; ///< of all its arrays together
  std::size_t least_bytes = 0;
  std::size_t most_bytes = 0;
  std::size_t elements_per_visit = 0; ///< at least; smaller arrays are gone over several times
  std::unique_ptr<Work> (*make)(Arena& arena, std::size_t elements) = nullptr;
  bool finely = false; ///< at sizes between, too: they tell where a cache ends
  bool lines = false;  ///< tells what a line costs from each cache: measured early at sizes far apart
};

/// Returns the kernels of computation.cpp: what takes its time in the processor.
std::span<const Kernel> computing_kernels();
/// Returns the kernels of traffic.cpp: what takes its time fetching and storing, in order or not.
std::span<const Kernel> fetching_kernels();

template <typename Type>
std::unique_ptr<Work> make(Arena& arena, std::size_t elements) {
  return std::make_unique<Type>(arena, elements);
}

} // namespace timeless::microkernels
