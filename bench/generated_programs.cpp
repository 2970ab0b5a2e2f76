#include "generated_programs.h"

#include <array>
#include <random>
#include <utility>
#include <vector>

namespace timeless::bench {

namespace {

using trace::ActionKind;
using trace::KernelId;
using trace::MemorySource;
using trace::Rank;
using trace::RequestId;

/// Returns the widest grid that is not wider than high.
std::pair<Rank, Rank> grid(Rank ranks) {
  Rank width = 1;
  for (Rank divisor = 1; divisor * divisor <= ranks; ++divisor)
    if (ranks % divisor == 0) width = divisor;
  return {width, ranks / width};
}

/// Volumes like a counter's: the same for a piece of code but for a little noise.
class Volumes {
public:
  std::uint64_t draw(std::uint64_t about) { return about + random_() % (about / 512 + 1); }

private:
  std::mt19937_64 random_{1};
};

void add_kernels(MemorySource& program, std::uint64_t count) {
  for (std::uint64_t kernel = 1; kernel < count; ++kernel)
    program.add_kernel({.begin = {0, 64 * kernel}, .end = {0, 64 * kernel + 64}});
}

void sweep(MemorySource& program, Volumes& volumes, Rank rank, std::pair<Rank, Rank> shape, Rank direction) {
  const auto [width, height] = shape;
  const Rank column = rank % width;
  const Rank row = rank / width;
  KernelId kernel = 0;
  const auto neighbour = [&](ActionKind kind, Rank columns, Rank rows, trace::Bytes bytes) {
    const Rank there_column = column + columns;
    const Rank there_row = row + rows;
    if (there_column < 0 || there_column >= width || there_row < 0 || there_row >= height) return;
    program.add(rank, {.kind = kind, .peer = there_row * width + there_column, .tag = 1 + direction, .bytes = bytes});
    program.compute(rank, volumes.draw(20000), kernel++);
  };
  neighbour(ActionKind::receive, -direction, 0, 2040);
  neighbour(ActionKind::receive, 0, -direction, 2040);
  program.compute(rank, volumes.draw(600000), 4);
  neighbour(ActionKind::send, direction, 0, 2040);
  neighbour(ActionKind::send, 0, direction, 2040);
}

} // namespace

MemorySource wavefront(const ProgramSize& size) {
  constexpr int planes = 16;
  MemorySource program(size.ranks);
  add_kernels(program, 5);
  Volumes volumes;
  const auto shape = grid(size.ranks);
  const std::uint64_t actions_per_round = static_cast<std::uint64_t>(size.ranks) * 2 * planes * 9;
  for (std::uint64_t round = 0; round * actions_per_round < size.actions; ++round)
    for (Rank rank = 0; rank < size.ranks; ++rank) {
      for (const Rank direction : {1, -1})
        for (int plane = 0; plane < planes; ++plane)
          sweep(program, volumes, rank, shape, direction);
      program.add(rank, {.kind = ActionKind::allreduce, .bytes = 40, .element_bytes = 8});
    }
  program.finalize();
  return program;
}

MemorySource halo(const ProgramSize& size) {
  MemorySource program(size.ranks);
  add_kernels(program, 2);
  Volumes volumes;
  const auto [first, rest] = grid(size.ranks);
  const auto [second, third] = grid(rest);
  const std::array<Rank, 3> lengths{first, second, third};
  constexpr std::array<RequestId, 12> requests{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::uint64_t actions_per_step = static_cast<std::uint64_t>(size.ranks) * 16;
  for (std::uint64_t step = 0; step * actions_per_step < size.actions; ++step)
    for (Rank rank = 0; rank < size.ranks; ++rank) {
      RequestId request = 0;
      for (const ActionKind kind : {ActionKind::receive, ActionKind::send}) {
        Rank stride = 1;
        trace::Tag tag = 0;
        for (const Rank length : lengths) {
          const Rank place = rank / stride % length;
          for (const Rank towards : {1, length - 1}) {
            // What is sent one way is received from the other.
            const Rank way = kind == ActionKind::send ? towards : length - towards;
            const Rank peer = rank + ((place + way) % length - place) * stride;
            program.add(rank, {.kind = kind, .peer = peer, .tag = tag++, .bytes = 8192, .request = request++});
          }
          stride *= length;
        }
      }
      program.compute(rank, volumes.draw(2000000), 0);
      program.add(rank, {.kind = ActionKind::wait_all, .requests = requests});
      program.compute(rank, volumes.draw(500000), 1);
      program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    }
  program.finalize();
  return program;
}

} // namespace timeless::bench
