// The model beside SMPI where nothing contends: copies of graphene and griffon whose links nobody shares, on which SMPI
// chooses collectives' algorithms as MPICH does. What differs is named, one by one, here and in docs/platforms.md.
#include "tests/smpi/machine.h"

#include "replay/simgrid/simgrid_process.h"
#include "tests/temporary_directory.h"

#include "base/error.h"
#include "trace/archive/reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace timeless::replay {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::Rank;
using trace::RequestId;

constexpr std::size_t hosts = 16;

/// Returns the first hosts of the machine's first cabinet and the last ones of its last, with a way of its own for each
/// pair, as long and as wide as the one that a lone message finds on the machine.
std::string free_ways(const std::string& original) {
  // In a process of its own, which SimGrid needs for each platform.
  return run_simgrid(
      [&](const ChildReport&) {
        const SimgridPlatform whole = SimgridPlatform::load(original);
        const auto place = [&](std::size_t host) {
          return host < hosts / 2 ? host : whole.hosts().size() - hosts + host;
        };
        std::string links;
        std::string routes;
        for (std::size_t from = 0; from < hosts; ++from) {
          links += fmt::format("<host id=\"node-{}\" speed=\"1Gf\" core=\"8\"/>\n", from);
          for (std::size_t to = from; to < hosts; ++to) {
            const Route way = whole.route(place(from), place(to));
            links += fmt::format(
                "<link id=\"{0}-{1}\" bandwidth=\"{2:.17g}Bps\" latency=\"{3:.17g}s\" sharing_policy=\"FATPIPE\"/>\n",
                from, to, way.bandwidth, way.latency);
            routes +=
                fmt::format("<route src=\"node-{0}\" dst=\"node-{1}\"><link_ctn id=\"{0}-{1}\"/></route>\n", from, to);
          }
        }
        return links + routes;
      },
      {.what = "the platform cannot be read", .where = original});
}

/// Those hosts, with the machine's settings and nothing that is shared.
const SimgridPlatform& free_machine() {
  static const test::TemporaryDirectory own; // tests run beside each other
  static const std::string file = [] {
    const std::string original = TIMELESS_PLATFORMS "/" TIMELESS_TEST_MACHINE ".xml";
    std::ifstream in(original);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    const std::size_t settings = whole.find("<config>") + 8;
    const std::filesystem::path copy = own.path() / (TIMELESS_TEST_MACHINE "-free.xml");
    std::ofstream(copy) << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                        << "<platform version=\"4.1\">\n<config>"
                        << whole.substr(settings, whole.find("</config>") - settings)
                        << R"(<prop id="network/crosstraffic" value="0"/><prop id="surf/precision" value="1e-12"/>)"
                        << R"(<prop id="smpi/coll-selector" value="mpich"/></config>)"
                        << "\n<zone id=\"free\" routing=\"Full\">\n"
                        << free_ways(original) << "</zone>\n</platform>\n";
    return copy.string();
  }();
  return machine(file);
}

std::vector<double> simulated(const trace::Source& program) {
  SmpiOptions options;
  options.units_per_second = 1e9;
  return smpi_ends(program, free_machine(), one_per_host(program.run().size), options);
}

std::vector<double> modelled(const trace::Source& program, CollectiveModel collectives = CollectiveModel::schedule) {
  SimgridNetworkOptions rates;
  rates.units_per_second = 1e9;
  const Network network = simgrid_network(free_machine(), program.run(), one_per_host(program.run().size), rates);
  ReplayOptions options;
  options.collectives = collectives;
  return ends(replay(program, network, options));
}

/// Returns the larger of one rank's end over the other, less 1; of all ranks.
double difference(const std::vector<double>& left, const std::vector<double>& right) {
  double worst = 0;
  for (std::size_t rank = 0; rank < left.size(); ++rank)
    if (left[rank] != right[rank]) worst = std::max(worst, std::expm1(std::abs(std::log(left[rank] / right[rank]))));
  return worst;
}

constexpr double rounding = 1e-9;

// ---- generated programs

constexpr Bytes sizes[] = {0, 8, 1404, 1405, 20'000, 32'768, 60'000, 65'535, 65'536, 200'000, 327'680, 1'000'000};

/// Messages to and from all neighbours on a ring, both ways, completed together.
MemorySource halo(Rank ranks, Bytes bytes, ActionKind completion) {
  MemorySource program(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (int sweep = 0; sweep < 6; ++sweep) {
      std::vector<RequestId> requests;
      for (const Rank step : {1, ranks - 1, 2, ranks - 2}) {
        const Rank from = (rank + step) % ranks;
        requests.push_back(static_cast<RequestId>(requests.size()));
        program.add(
            rank,
            {.kind = ActionKind::receive, .peer = from, .tag = sweep, .bytes = bytes, .request = requests.back()});
      }
      for (const Rank step : {1, ranks - 1, 2, ranks - 2}) {
        requests.push_back(static_cast<RequestId>(requests.size()));
        program.add(rank, {.kind = ActionKind::send,
                           .peer = (rank + step) % ranks,
                           .tag = sweep,
                           .bytes = bytes,
                           .request = requests.back()});
      }
      program.compute(rank, static_cast<std::uint64_t>(10'000 * ((rank * 7 + sweep * 3) % 11)));
      program.add(rank, {.kind = completion, .requests = requests});
    }
  }
  program.finalize();
  return program;
}

/// Sweeps over a grid of 4 by 4 ranks.
MemorySource wavefront(Bytes bytes) {
  MemorySource program(16);
  for (Rank rank = 0; rank < 16; ++rank)
    for (int sweep = 0; sweep < 10; ++sweep) {
      if (rank % 4 > 0) program.add(rank, {.kind = ActionKind::receive, .peer = rank - 1, .bytes = bytes});
      if (rank / 4 > 0) program.add(rank, {.kind = ActionKind::receive, .peer = rank - 4, .bytes = bytes});
      program.compute(rank, static_cast<std::uint64_t>(100'000 + 1000 * ((rank + sweep) % 7)));
      if (rank % 4 < 3) program.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = bytes});
      if (rank / 4 < 3) program.add(rank, {.kind = ActionKind::send, .peer = rank + 4, .bytes = bytes});
    }
  program.finalize();
  return program;
}

/// Messages of 60 kB that come one after the other to a rank that waits for all.
MemorySource staggered() {
  MemorySource program(4);
  std::vector<RequestId> requests;
  for (const Rank sender : {1, 2, 3}) {
    requests.push_back(static_cast<RequestId>(sender));
    program.add(0, {.kind = ActionKind::receive, .peer = sender, .bytes = 60'000, .request = requests.back()});
    program.compute(sender, static_cast<std::uint64_t>(sender) * 1'000'000);
    program.add(sender, {.kind = ActionKind::send, .peer = 0, .bytes = 60'000});
  }
  program.add(0, {.kind = ActionKind::wait_all, .requests = requests});
  program.finalize();
  return program;
}

/// Everyone hands on to the next, of all sizes.
MemorySource ring() {
  MemorySource program(5);
  for (Rank rank = 0; rank < 5; ++rank)
    for (const Bytes bytes : sizes) {
      program.compute(rank, static_cast<std::uint64_t>(5'000 * (rank + 1)));
      program.add(rank, {.kind = ActionKind::exchange,
                         .peer = (rank + 1) % 5,
                         .bytes = bytes,
                         .receive_peer = (rank + 4) % 5,
                         .receive_bytes = bytes});
    }
  program.finalize();
  return program;
}

/// A master hands out work of all sizes, and takes one answer after the other.
MemorySource farm() {
  MemorySource program(6);
  for (int round = 0; round < 5; ++round) {
    for (Rank worker = 1; worker < 6; ++worker) {
      const Bytes bytes = sizes[static_cast<std::size_t>(round * 2 + worker) % std::size(sizes)];
      program.add(0, {.kind = ActionKind::send, .peer = worker, .bytes = bytes});
      program.add(worker, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
      program.compute(worker, static_cast<std::uint64_t>(300'000 + 50'000 * ((worker * 3 + round) % 5)));
      program.add(worker, {.kind = ActionKind::send, .peer = 0, .tag = 1, .bytes = 1000});
    }
    for (Rank worker = 1; worker < 6; ++worker)
      program.add(0, {.kind = ActionKind::receive, .peer = worker, .tag = 1, .bytes = 1000});
  }
  program.finalize();
  return program;
}

/// All members call it, after computations of different lengths.
MemorySource collectives(Rank ranks, const std::vector<Action>& calls) {
  MemorySource program(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    for (std::size_t index = 0; index < calls.size(); ++index) {
      program.compute(rank, static_cast<std::uint64_t>(1'000 * ((static_cast<std::size_t>(rank) * 5 + index * 3) % 7)));
      Action call = calls[index];
      std::vector<Bytes> counts;
      const Bytes part = call.bytes;
      const bool listed =
          call.kind == ActionKind::gatherv || call.kind == ActionKind::scatterv || call.kind == ActionKind::alltoallv;
      if (listed) {
        counts.assign(static_cast<std::size_t>(ranks), part);
        if (call.kind != ActionKind::gatherv) call.counts = counts;
        if (call.kind != ActionKind::scatterv) call.receive_counts = counts;
        if (call.kind == ActionKind::scatterv) call.receive_bytes = part;
        if (call.kind == ActionKind::gatherv && rank != call.peer) call.receive_counts = {};
        if (call.kind == ActionKind::scatterv && rank != call.peer) call.counts = {};
      }
      program.add(rank, call);
    }
  program.finalize();
  return program;
}

std::vector<Action> parts(ActionKind kind, std::initializer_list<Bytes> all) {
  std::vector<Action> calls;
  for (const Bytes bytes : all) {
    // SMPI's broadcasts from another root pass member 0: see below.
    const Rank root = kind == ActionKind::broadcast ? 0 : static_cast<Rank>(calls.size());
    calls.push_back({.kind = kind, .peer = root, .bytes = bytes, .receive_bytes = bytes, .element_bytes = 4});
  }
  return calls;
}

std::vector<Action> whole(ActionKind kind, std::initializer_list<Bytes> all) {
  std::vector<Action> calls = parts(kind, all);
  for (Action& call : calls)
    call.receive_bytes = 0;
  return calls;
}

struct Program {
  const char* name;
  std::function<MemorySource()> make;
};

void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

class ContentionFree : public testing::TestWithParam<Program> {};

TEST_P(ContentionFree, program_takes_in_the_model_what_it_takes_in_SMPI) {
  const MemorySource program = GetParam().make();
  EXPECT_LT(difference(modelled(program), simulated(program)), rounding);
}

const Program programs[] = {
    {"staggered_receives", staggered},
    {"halo_of_8_bytes", [] { return halo(8, 8, ActionKind::wait_all); }},
    {"halo_of_60_kB", [] { return halo(8, 60'000, ActionKind::wait_all); }},
    {"halo_of_70_kB", [] { return halo(8, 70'000, ActionKind::wait_all); }},
    {"halo_of_1_MB", [] { return halo(8, 1'000'000, ActionKind::wait_all); }},
    {"halo_by_testall", [] { return halo(8, 20'000, ActionKind::test_all); }},
    {"wavefront_of_400_bytes", [] { return wavefront(400); }},
    {"wavefront_of_400_kB", [] { return wavefront(400'000); }},
    {"ring_of_all_sizes", ring},
    {"farm", farm},
    {"barriers",
     [] {
       return collectives(12, parts(ActionKind::barrier, {0, 0, 0}));
     }},
    {"broadcasts",
     [] {
       return collectives(12, whole(ActionKind::broadcast, {8, 2000, 12'000}));
     }},
    {"large_broadcasts",
     [] {
       return collectives(7, whole(ActionKind::broadcast, {100'000, 400'000}));
     }},
    {"reductions",
     [] {
       return collectives(12, whole(ActionKind::reduce, {8, 1000, 2000}));
     }},
    {"allreductions",
     [] {
       return collectives(16, whole(ActionKind::allreduce, {8, 1000, 2000}));
     }},
    {"gathers",
     [] {
       return collectives(12, parts(ActionKind::gather, {8, 1000, 70'000}));
     }},
    {"scatters",
     [] {
       return collectives(12, parts(ActionKind::scatter, {8, 1000, 70'000}));
     }},
    {"large_scatters",
     [] {
       return collectives(7, parts(ActionKind::scatter, {100'000, 500'000}));
     }},
    {"large_gathers",
     [] {
       return collectives(7, parts(ActionKind::gather, {100'000, 500'000}));
     }},
    {"linear_gathers",
     [] {
       return collectives(12, whole(ActionKind::gatherv, {8, 1000, 50'000}));
     }},
    {"linear_scatters",
     [] {
       return collectives(12, whole(ActionKind::scatterv, {8, 1000, 50'000}));
     }},
    {"allgathers",
     [] {
       return collectives(12, parts(ActionKind::allgather, {8, 1000, 10'000}));
     }},
    {"alltoalls_of_8_bytes",
     [] {
       return collectives(12, parts(ActionKind::alltoall, {8, 200}));
     }},
    {"alltoalls_among_4",
     [] {
       return collectives(4, parts(ActionKind::alltoall, {8, 300, 30'000}));
     }},
    {"alltoalls_among_8",
     [] {
       return collectives(8, parts(ActionKind::alltoall, {300, 1000, 30'000}));
     }},
    {"alltoalls_among_16",
     [] {
       return collectives(16, parts(ActionKind::alltoall, {300, 1000, 30'000}));
     }},
    {"alltoalls_among_11",
     [] {
       return collectives(11, parts(ActionKind::alltoall, {300, 1000, 30'000}));
     }},
    {"alltoalls_of_100_kB", [] { return collectives(8, parts(ActionKind::alltoall, {100'000})); }},
    {"alltoallvs_among_16",
     [] {
       return collectives(16, whole(ActionKind::alltoallv, {8, 300, 30'000}));
     }},
};

INSTANTIATE_TEST_SUITE_P(TIMELESS_TEST_SUITE, ContentionFree, testing::ValuesIn(programs),
                         [](const auto& each) { return std::string(each.param.name); });

/// By the table of costs, too, where all begin at once and are equally far from each other. The mean of the steps is a
/// whole number of bytes, and overheads and factors are the same in all of them.
TEST(TIMELESS_TEST_SUITE, collectives_take_by_the_table_what_they_take_in_SMPI) {
  for (const Action& call :
       {Action{.kind = ActionKind::barrier}, Action{.kind = ActionKind::broadcast, .peer = 0, .bytes = 1000},
        Action{.kind = ActionKind::reduce, .peer = 0, .bytes = 1000, .element_bytes = 4},
        Action{.kind = ActionKind::allreduce, .bytes = 1000, .element_bytes = 4},
        Action{.kind = ActionKind::gather, .peer = 0, .bytes = 48, .receive_bytes = 48},
        Action{.kind = ActionKind::allgather, .bytes = 48, .receive_bytes = 48},
        Action{.kind = ActionKind::alltoall, .bytes = 48, .receive_bytes = 48}}) {
    const MemorySource program = once(8, call);
    const double by_table = last(modelled(program, CollectiveModel::mpich));
    EXPECT_NEAR(by_table / last(simulated(program)), 1, rounding) << trace::name(call.kind);
  }
}

// ---- where SMPI does otherwise than MPICH, and the model does not follow

/// Bcast as bcast__mpich has it: from any other root to member 0 first (bcast__SMP_binomial).
TEST(TIMELESS_TEST_SUITE, broadcasts_pass_member_0_in_SMPI) {
  constexpr Rank root = 5;
  const Action broadcast{.kind = ActionKind::broadcast, .peer = root, .bytes = 2000};
  MemorySource from_0(12);
  from_0.add(root, {.kind = ActionKind::send, .peer = 0, .bytes = 2000});
  from_0.add(0, {.kind = ActionKind::receive, .peer = root, .bytes = 2000});
  for (Rank rank = 0; rank < 12; ++rank)
    from_0.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 2000});
  from_0.finalize();
  EXPECT_LT(difference(modelled(from_0), simulated(once(12, broadcast))), rounding);
}

/// Win::fence has a barrier before it waits for transfers and one after it; Win::del two.
TEST(TIMELESS_TEST_SUITE, fences_and_freeing_a_window_are_two_barriers_in_SMPI) {
  for (const ActionKind kind : {ActionKind::win_fence, ActionKind::win_free}) {
    MemorySource program(4);
    const trace::CommunicatorId window = program.add_communicator({0, 1, 2, 3});
    MemorySource barriers(4);
    for (Rank rank = 0; rank < 4; ++rank) {
      program.add(rank, {.kind = kind, .communicator = window});
      for (int times = 0; times < 2; ++times)
        barriers.add(rank, {.kind = ActionKind::barrier});
    }
    program.finalize();
    barriers.finalize();
    EXPECT_LT(difference(modelled(barriers), simulated(program)), rounding) << trace::name(kind);
  }
}

/// Neither Win::lock nor Win::get sends anything that asks; Win::accumulate waits at its call.
TEST(TIMELESS_TEST_SUITE, transfers_are_messages_in_SMPI_and_locks_are_none) {
  for (const ActionKind kind : {ActionKind::get, ActionKind::accumulate}) {
    MemorySource program(2);
    const trace::CommunicatorId window = program.add_communicator({0, 1});
    Action transfer{.kind = kind, .communicator = window, .peer = 1, .element_bytes = 8};
    (kind == ActionKind::get ? transfer.receive_bytes : transfer.bytes) = 2000;
    program.add(0, {.kind = ActionKind::win_lock, .communicator = window, .peer = 1});
    program.add(0, transfer);
    if (kind == ActionKind::get) program.add(0, {.kind = ActionKind::win_unlock, .communicator = window, .peer = 1});
    program.finalize();
    MemorySource message(2);
    message.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 2000});
    message.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 2000});
    message.finalize();
    EXPECT_NEAR(simulated(program)[0], modelled(message)[0], rounding) << trace::name(kind);
  }
}

// ---- recorded programs: tests/programs and wavefront. v2-further-calls has a Bcast from member 1, and windows differ
// by what stands above. v2-calls does not say who the neighbours of its neighbourhoods are, which SMPI would need.

struct Recorded {
  const char* name;
  double most; ///< difference
};

void PrintTo(const Recorded& recorded, std::ostream* out) {
  *out << recorded.name;
}

class ContentionFreeRecording : public testing::TestWithParam<Recorded> {};

TEST_P(ContentionFreeRecording, takes_in_the_model_what_it_takes_in_SMPI) {
  const trace::ArchiveReader archive(std::string(TIMELESS_TEST_RECORDINGS "/") + GetParam().name + ".tia");
  EXPECT_LT(difference(modelled(archive), simulated(archive)), GetParam().most);
}

TEST(TIMELESS_TEST_SUITE, a_recording_without_neighbours_is_refused_by_SMPI) {
  const trace::ArchiveReader archive(TIMELESS_TEST_RECORDINGS "/v2-calls.tia");
  try {
    simulated(archive);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::missing_capability);
  }
}

INSTANTIATE_TEST_SUITE_P(TIMELESS_TEST_SUITE, ContentionFreeRecording,
                         testing::Values(Recorded{"v2-further-calls", 0.02}, Recorded{"v2-windows", 0.13},
                                         Recorded{"v2-regions", rounding}, Recorded{"v2-wavefront", rounding}),
                         [](const auto& each) {
                           std::string name = each.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

} // namespace
} // namespace timeless::replay
