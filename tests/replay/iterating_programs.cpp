#include "iterating_programs.h"

#include <memory>
#include <random>
#include <vector>

namespace timeless::replay::test {

namespace {

using trace::ActionKind;
using trace::MemorySource;
using trace::Rank;
using trace::RequestId;

std::vector<std::uint64_t> drawn_volumes(Rank ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> all;
  for (Rank rank = 0; rank < ranks; ++rank)
    all.push_back(20000 + random() % 4000);
  return all;
}

void receive(MemorySource& program, Rank rank, Rank from, trace::Bytes bytes, trace::Tag tag) {
  program.add(rank, {.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = bytes});
}

void send(MemorySource& program, Rank rank, Rank to, trace::Bytes bytes, trace::Tag tag) {
  program.add(rank, {.kind = ActionKind::send, .peer = to, .tag = tag, .bytes = bytes});
}

void allreduce(MemorySource& program, Rank rank) {
  program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
}

Rank side(Rank ranks) {
  Rank width = 1;
  while ((width + 1) * (width + 1) <= ranks)
    ++width;
  return width;
}

} // namespace

MemorySource iterating(Rank ranks, std::uint64_t iterations, const Iteration& iteration) {
  MemorySource program(ranks, 700);
  for (Rank rank = 0; rank < ranks; ++rank) {
    program.compute(rank, 1000 * static_cast<std::uint64_t>(rank + 1));
    allreduce(program, rank);
    program.compute(rank, 77);
    for (std::uint64_t i = 0; i < iterations; ++i)
      iteration(program, rank, i);
    iteration(program, rank, after_all);
    program.compute(rank, 300 * static_cast<std::uint64_t>(ranks - rank));
    program.add(rank, {.kind = ActionKind::barrier});
    program.compute(rank, 12);
  }
  program.finalize();
  return program;
}

Iteration wavefront(Rank ranks, std::uint64_t seed, bool both_ways) {
  return [=, volumes = drawn_volumes(ranks, seed), width = side(ranks)](MemorySource& program, Rank rank,
                                                                        std::uint64_t iteration) {
    if (iteration == after_all) return;
    for (int way = 0; way < (both_ways ? 2 : 1); ++way)
      for (int plane = 0; plane < 3; ++plane) {
        const Rank column = rank % width;
        const Rank row = rank / width;
        const Rank step = way == 0 ? 1 : -1;
        const auto inside = [&](Rank c, Rank r) { return c >= 0 && c < width && r >= 0 && r < width; };
        if (rank < width * width) {
          if (inside(column - step, row)) receive(program, rank, row * width + column - step, 800, way);
          if (inside(column, row - step)) receive(program, rank, (row - step) * width + column, 800, way);
        }
        program.compute(rank, volumes[static_cast<std::size_t>(rank)]);
        if (rank < width * width) {
          if (inside(column + step, row)) send(program, rank, row * width + column + step, 800, way);
          if (inside(column, row + step)) send(program, rank, (row + step) * width + column, 800, way);
        }
      }
  };
}

Iteration halo(Rank ranks, std::uint64_t seed, bool together) {
  return [=, volumes = drawn_volumes(ranks, seed)](MemorySource& program, Rank rank, std::uint64_t iteration) {
    if (iteration == after_all) return;
    const std::vector<RequestId> requests{0, 1, 2, 3};
    const Rank left = (rank + ranks - 1) % ranks;
    const Rank right = (rank + 1) % ranks;
    program.add(rank, {.kind = ActionKind::receive, .peer = left, .tag = 1, .bytes = 4000, .request = 0});
    program.add(rank, {.kind = ActionKind::receive, .peer = right, .tag = 2, .bytes = 4000, .request = 1});
    program.add(rank, {.kind = ActionKind::send, .peer = right, .tag = 1, .bytes = 4000, .request = 2});
    program.add(rank, {.kind = ActionKind::send, .peer = left, .tag = 2, .bytes = 4000, .request = 3});
    program.compute(rank, volumes[static_cast<std::size_t>(rank)]);
    program.add(rank, {.kind = ActionKind::wait, .requests = requests});
    program.compute(rank, 500);
    if (together) allreduce(program, rank);
  };
}

Iteration ring_under_way(Rank ranks, std::uint64_t seed) {
  return [=, volumes = drawn_volumes(ranks, seed)](MemorySource& program, Rank rank, std::uint64_t iteration) {
    // The first iteration receives nothing, so that from there on a message is always under way.
    if (iteration > 0) receive(program, rank, (rank + ranks - 1) % ranks, 64, 0);
    if (iteration == after_all) return;
    program.compute(rank, volumes[static_cast<std::size_t>(rank)]);
    send(program, rank, (rank + 1) % ranks, 64, 0);
  };
}

Iteration doubling(Rank ranks, std::uint64_t seed) {
  return [=, volumes = drawn_volumes(ranks, seed)](MemorySource& program, Rank rank, std::uint64_t iteration) {
    if (iteration == after_all) return;
    for (Rank distance = 1; distance < ranks; distance *= 2) {
      const Rank other = rank ^ distance;
      if (other >= ranks) continue;
      program.add(rank, {.kind = ActionKind::receive, .peer = other, .tag = 3, .bytes = 1000, .request = 0});
      send(program, rank, other, 1000, 3);
      const std::vector<RequestId> requests{0};
      program.add(rank, {.kind = ActionKind::wait, .requests = requests});
      program.compute(rank, volumes[static_cast<std::size_t>(rank)]);
    }
    const Rank across = ranks - 1 - rank;
    if (across == rank) return;
    if (rank < across) send(program, rank, across, 5000, 4);
    receive(program, rank, across, 5000, 4);
    if (rank > across) send(program, rank, across, 5000, 4);
  };
}

Iteration anything(Rank ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Iteration> parts;
  for (std::uint64_t part = 0; part < 1 + random() % 3; ++part) {
    switch (const std::uint64_t own = random(); own % 5) {
    case 0:
      parts.push_back(wavefront(ranks, own, own % 2 == 0));
      break;
    case 1:
      parts.push_back(halo(ranks, own, own % 3 == 0));
      break;
    case 2:
      parts.push_back(doubling(ranks, own));
      break;
    case 3:
      parts.push_back(ring_under_way(ranks, own));
      break;
    default: {
      const auto from = static_cast<Rank>(own / 8 % static_cast<std::uint64_t>(ranks));
      const auto to = static_cast<Rank>(own / 999 % static_cast<std::uint64_t>(ranks));
      parts.push_back([=](MemorySource& program, Rank rank, std::uint64_t iteration) {
        if (iteration == after_all) return;
        if (rank == from && from != to) send(program, rank, to, 100 + own % 2000, 9);
        if (rank == to && from != to) receive(program, rank, from, 100 + own % 2000, 9);
        if (own % 7 == 0) program.add(rank, {.kind = ActionKind::broadcast, .peer = to, .bytes = own % 10000});
      });
    }
    }
  }
  return [parts = std::move(parts)](MemorySource& program, Rank rank, std::uint64_t iteration) {
    for (const Iteration& part : parts)
      part(program, rank, iteration);
  };
}

Iteration sweeps(const Iteration& iteration, std::uint64_t inner, std::uint64_t other) {
  return [=](MemorySource& program, Rank rank, std::uint64_t sweep) {
    if (sweep == after_all) return iteration(program, rank, after_all);
    program.compute(rank, 9000 + (rank == 0 ? sweep * sweep % 1009 : 0));
    program.add(rank, {.kind = ActionKind::barrier});
    for (std::uint64_t i = 0; i < inner; ++i) {
      iteration(program, rank, i);
      program.compute(rank, sweep % other == 0 ? 4321 : 1234);
    }
    program.compute(rank, 55);
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  };
}

} // namespace timeless::replay::test
