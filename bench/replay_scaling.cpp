// How a replay divides among processes: measured under mpirun with as many as this machine has processors for, and
// modelled beyond from what each process has to do and to tell, and from what telling costs over the same MPI.
#include "gathered_archive.h"
#include "generated_programs.h"
#include "stopwatch.h"
#include "virtual_processes.h"

#include "replay/distributed/mpi_bus.h"
#include "replay/large_pages.h"
#include "replay/network/hockney_network.h"
#include "replay/network/presets.h"
#include "replay/replay.h"
#include "trace/archive/reader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace timeless;
using bench::BatchCosts;
using Clock = std::chrono::steady_clock;

struct Options {
  bench::ProgramSize size;
  std::vector<std::size_t> lanes{1, 64};
  std::vector<int> measured{1, 2};
  std::vector<int> modelled{1, 2, 4, 8, 16, 32, 64};
  int repeat = 3;
  std::filesystem::path bin;
  bool ping_pong = false;
};

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

using bench::median;

// ---- what telling costs, over the bus that the replay uses

constexpr std::size_t small_batch = 128; // bytes
constexpr std::size_t large_batch = 16384;

replay::Batch wait_for_batch(replay::MpiBus& bus) {
  for (;;)
    if (auto arrival = bus.receive())
      return std::move(arrival->batch);
    else
      std::this_thread::yield();
}

/// Returns the seconds of half a way there and back.
double half_round(replay::MpiBus& bus, std::size_t bytes) {
  std::vector<double> all;
  for (int round = 0; round < 2000; ++round) {
    const auto begin = Clock::now();
    if (bus.process() == 0) bus.send(1, replay::Batch(bytes, '\0'));
    replay::Batch batch = wait_for_batch(bus);
    if (bus.process() == 1) bus.send(0, std::move(batch));
    all.push_back(since(begin) / 2);
    bus.congested();
  }
  return median(all);
}

/// Returns the seconds that sending a batch keeps process 0, and receiving one process 1; both on process 0.
std::pair<double, double> own_costs(replay::MpiBus& bus, std::size_t bytes) {
  std::vector<double> all;
  for (int batch = 0; batch < 4000; ++batch) {
    if (bus.process() == 0) {
      while (bus.congested())
        std::this_thread::yield();
      replay::Batch sent(bytes, '\0');
      const auto begin = Clock::now();
      bus.send(1, std::move(sent));
      all.push_back(since(begin));
    } else if (bus.process() == 1) {
      for (;;) {
        const auto begin = Clock::now();
        const auto arrival = bus.receive();
        if (!arrival) continue;
        all.push_back(since(begin));
        break;
      }
    }
  }
  double mine = median(all);
  double of_receiver = mine;
  if (bus.process() == 1) MPI_Send(&mine, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  if (bus.process() == 0) MPI_Recv(&of_receiver, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return {mine, of_receiver};
}

double seconds_of_poll(replay::MpiBus& bus) {
  constexpr int looks = 100000;
  const auto begin = Clock::now();
  for (int look = 0; look < looks; ++look)
    if (!bus.receive()) std::this_thread::yield();
  return since(begin) / looks;
}

double seconds_of_sleep() {
  std::vector<double> all;
  for (int sleep = 0; sleep < 101; ++sleep) {
    const auto begin = Clock::now();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    all.push_back(since(begin));
  }
  return median(all);
}

/// Prints the costs as JSON; runs under mpirun, with two processes.
int ping_pong() {
  MPI_Init(nullptr, nullptr);
  {
    replay::MpiBus bus(MPI_COMM_WORLD);
    const double small = half_round(bus, small_batch);
    const double large = half_round(bus, large_batch);
    const auto [send_small, receive_small] = own_costs(bus, small_batch);
    const auto [send_large, receive_large] = own_costs(bus, large_batch);
    bus.finish();
    const double poll = seconds_of_poll(bus);
    if (bus.process() == 0) {
      const double bytes = static_cast<double>(large_batch - small_batch);
      const double send_byte = std::max(send_large - send_small, 0.0) / bytes;
      const double receive_byte = std::max(receive_large - receive_small, 0.0) / bytes;
      const nlohmann::json costs{
          {"send", send_small},
          {"send_byte", send_byte},
          {"receive", receive_small},
          {"receive_byte", receive_byte},
          {"latency", std::max(small - send_small - receive_small, 0.0)},
          {"byte_time", std::max((large - small) / bytes - send_byte - receive_byte, 0.0)},
          {"poll", poll},
          {"sleep", seconds_of_sleep()},
      };
      fmt::print("{}\n", costs.dump());
    }
  }
  MPI_Finalize();
  return 0;
}

// ---- under mpirun

/// Returns what a command prints. Throws Error(runtime) when it fails.
std::string printed(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error(Failure::runtime, "cannot start a command", command);
  std::string text;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, count);
  if (::pclose(pipe) != 0) throw Error(Failure::runtime, "a command has failed", command);
  return text;
}

std::string mpirun(int processes) {
  return fmt::format("{} -np {} ", TIMELESS_MPIEXEC, processes);
}

BatchCosts measured_costs(const Options& options) {
  const auto json =
      nlohmann::json::parse(printed(mpirun(2) + (options.bin / "replay_scaling").string() + " --ping-pong"));
  return {.send = json["send"],
          .send_byte = json["send_byte"],
          .receive = json["receive"],
          .receive_byte = json["receive_byte"],
          .latency = json["latency"],
          .byte_time = json["byte_time"],
          .poll = json["poll"],
          .sleep = json["sleep"]};
}

/// Latencies between an eighth and eight times.
std::vector<double> factors(std::size_t lanes) {
  std::vector<double> all;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    all.push_back(lanes == 1 ? 1 : std::exp2(6.0 * static_cast<double>(lane) / static_cast<double>(lanes - 1) - 3));
  return all;
}

struct Measured {
  double seconds = 0; ///< of the replay
  double cpu = 0;     ///< of all processes, in the replay
  double busy = 0;    ///< of the process that waits least
  std::uint64_t messages = 0;
  std::uint64_t collectives = 0;
  std::uint64_t batches = 0;
  std::uint64_t bytes = 0;
};

Measured measure(const Options& options, const std::filesystem::path& archive, std::size_t lanes, int processes) {
  const std::string command =
      mpirun(processes) + (options.bin / "timeless-mpi").string() + " replay " + archive.string() +
      fmt::format(" --network e10g --per-process --json --latency {}", fmt::join(factors(lanes), ","));
  std::vector<Measured> all;
  for (int run = 0; run < options.repeat; ++run) {
    Measured& one = all.emplace_back();
    const auto answer = nlohmann::json::parse(printed(command));
    for (const auto& process : answer["processes"]) {
      const double seconds = process["seconds"];
      one.seconds = std::max(one.seconds, seconds);
      one.busy = std::max(one.busy, seconds - process["waited_seconds"].get<double>());
      one.cpu += process["cpu_seconds"].get<double>();
      one.messages += process["messages"].get<std::uint64_t>();
      one.collectives += process["collectives"].get<std::uint64_t>();
      one.batches += process["batches"].get<std::uint64_t>();
      one.bytes += process["bytes"].get<std::uint64_t>();
    }
  }
  std::ranges::sort(all, {}, &Measured::seconds);
  return all[all.size() / 2];
}

// ---- the model

struct Link {
  const char* name;
  BatchCosts costs;
};

/// Networks between processes of other machines: this machine's costs of its processors, with their latency and
/// bandwidth. Orders of magnitude, not products.
std::vector<Link> links(const BatchCosts& here) {
  std::vector<Link> all{{"this MPI", here}};
  const auto add = [&](const char* name, double latency, double bytes_per_second) {
    BatchCosts costs = here;
    costs.latency = latency;
    costs.byte_time = 1 / bytes_per_second;
    all.push_back({name, costs});
  };
  add("1.5 us, 12 GB/s", 1.5e-6, 12e9);
  add("25 us, 1.2 GB/s", 25e-6, 1.2e9);
  return all;
}

replay::Network machine(trace::Rank ranks, std::size_t lanes) {
  std::vector<replay::HockneyLane> all;
  for (const double factor : factors(lanes))
    all.push_back(replay::lane(replay::preset("e10g"), {.latency = factor}));
  return replay::hockney_network(all, replay::one_rank_per_node(ranks, 1e-9));
}

/// Returns what the commands always ask for.
replay::ReplayOptions asked() {
  replay::ReplayOptions options;
  options.jumps = replay::Jumps::none;
  options.sensitivities = options.incast = options.ideal = true;
  return options;
}

/// The model of one number of processes over one network, and the median of its speed-ups over a replay alone in the
/// same round.
struct Modelled {
  bench::VirtualRun run;
  double speed_up = 0;
  double no_wait = 0; ///< were it not for waiting
};

struct Rounds {
  double alone = 0;                            ///< seconds
  std::vector<std::vector<Modelled>> modelled; ///< by number of processes and network
};

/// Each round does all, so that what disturbs the machine disturbs all alike.
Rounds model(const Options& options, const trace::Source& source, std::size_t lanes, const std::vector<Link>& links) {
  const std::size_t counts = options.modelled.size();
  Rounds rounds{.alone = 0, .modelled = {counts, std::vector<Modelled>(links.size())}};
  std::vector<double> alone;
  std::vector<std::vector<double>> speed_ups(counts * links.size());
  std::vector<std::vector<double>> without_waiting(counts * links.size());
  for (int round = 0; round < options.repeat; ++round) {
    const replay::Network network = machine(source.run().size, lanes);
    const double begin = bench::cpu_seconds();
    replay::replay(source, network, asked());
    alone.push_back(bench::cpu_seconds() - begin);
    for (std::size_t count = 0; count < counts; ++count)
      for (std::size_t link = 0; link < links.size(); ++link) {
        const replay::Network shared = machine(source.run().size, lanes);
        bench::VirtualRun run =
            bench::run_virtually(source, shared, asked(), options.modelled[count], links[link].costs);
        speed_ups[count * links.size() + link].push_back(alone.back() / run.seconds);
        without_waiting[count * links.size() + link].push_back(alone.back() / run.most_busy);
        rounds.modelled[count][link].run = std::move(run);
      }
  }
  rounds.alone = median(alone);
  for (std::size_t count = 0; count < counts; ++count)
    for (std::size_t link = 0; link < links.size(); ++link) {
      rounds.modelled[count][link].speed_up = median(speed_ups[count * links.size() + link]);
      rounds.modelled[count][link].no_wait = median(without_waiting[count * links.size() + link]);
    }
  return rounds;
}

std::string count(double value) {
  return value >= 1e6   ? fmt::format("{:.2f}M", value / 1e6)
         : value >= 1e4 ? fmt::format("{:.0f}k", value / 1e3)
                        : fmt::format("{:.0f}", value);
}

void report(const std::string& name, const trace::Source& program, std::size_t lanes, const Options& options,
            const BatchCosts& here) {
  const bench::TemporaryArchive archive(program);
  const trace::ArchiveReader reader(archive.path());
  std::uint64_t actions = 0;
  for (const trace::RankRecord& record : reader.run().ranks)
    actions += record.actions;
  const std::vector<Link> networks = links(here);
  const Rounds rounds = model(options, reader, lanes, networks);
  fmt::print("\n{}, {} ranks, {} actions, {} lane{}: one process alone {:.3f} s of CPU time, {:.1f} ns an action\n",
             name, reader.run().size, count(static_cast<double>(actions)), lanes, lanes == 1 ? "" : "s", rounds.alone,
             1e9 * rounds.alone / static_cast<double>(actions));
  fmt::print("{:<22}{:>10}{:>10}{:>9}{:>9}{:>9}{:>9}{:>10}{:>9}\n", "measured, processes", "messages", "calls",
             "batches", "MB", "seconds", "speed-up", "busiest", "CPU");
  double first = 0;
  for (const int processes : options.measured) {
    const Measured one = measure(options, archive.path(), lanes, processes);
    if (first == 0) first = one.seconds;
    fmt::print("{:<22}{:>10}{:>10}{:>9}{:>9.1f}{:>9.3f}{:>9.2f}{:>10.3f}{:>9.3f}\n", processes,
               count(static_cast<double>(one.messages)), count(static_cast<double>(one.collectives)),
               count(static_cast<double>(one.batches)), static_cast<double>(one.bytes) / 1e6, one.seconds,
               first / one.seconds, one.busy, one.cpu);
    std::fflush(stdout);
  }
  std::string header = fmt::format("{:<22}{:>10}{:>10}{:>9}{:>9}{:>9}", "modelled, processes", "messages", "calls",
                                   "batches", "MB", "no wait");
  for (const Link& link : networks)
    header += fmt::format("{:>17}", link.name);
  fmt::print("{}\n", header);
  for (std::size_t number = 0; number < options.modelled.size(); ++number) {
    const std::vector<Modelled>& by_link = rounds.modelled[number];
    replay::ProcessWork sum;
    for (const replay::ProcessWork& work : by_link.front().run.work) {
      sum.messages += work.messages;
      sum.collectives += work.collectives;
      sum.batches += work.batches;
      sum.bytes += work.bytes;
    }
    std::string line = fmt::format("{:<22}{:>10}{:>10}{:>9}{:>9.1f}{:>9.2f}", options.modelled[number],
                                   count(static_cast<double>(sum.messages)),
                                   count(static_cast<double>(sum.collectives)), count(static_cast<double>(sum.batches)),
                                   static_cast<double>(sum.bytes) / 1e6, by_link.front().no_wait);
    for (const Modelled& modelled : by_link)
      line += fmt::format("{:>17.2f}", modelled.speed_up);
    fmt::print("{}\n", line);
  }
  std::fflush(stdout);
}

void run(const Options& options) {
  const BatchCosts here = measured_costs(options);
  fmt::print(
      "a batch of n bytes over this machine's MPI costs its sender {:.2f} us + n {:.3f} ns, its receiver {:.2f} us "
      "+ n {:.3f} ns, and is {:.2f} us + n {:.3f} ns on its way; looking takes {:.2f} us, sleeping {:.0f} us\n",
      here.send * 1e6, here.send_byte * 1e9, here.receive * 1e6, here.receive_byte * 1e9, here.latency * 1e6,
      here.byte_time * 1e9, here.poll * 1e6, here.sleep * 1e6);
  for (const std::size_t lanes : options.lanes) {
    report("wavefront", bench::wavefront(options.size), lanes, options, here);
    report("halo", bench::halo(options.size), lanes, options, here);
  }
}

} // namespace

int main(int argc, char** argv) {
  timeless::replay::prefer_large_pages();
  CLI::App app("How a replay divides among processes: measured, and modelled beyond");
  Options options;
  options.bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  app.add_option("--ranks", options.size.ranks, "ranks of the generated programs")->capture_default_str();
  app.add_option("--actions", options.size.actions, "actions of the generated programs, about")->capture_default_str();
  app.add_option("--lanes", options.lanes, "numbers of lanes")->delimiter(',')->capture_default_str();
  app.add_option("--measured", options.measured, "numbers of processes to run under mpirun")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--modelled", options.modelled, "numbers of processes to model")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "runs to take the median of")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--ping-pong", options.ping_pong, "under mpirun, two processes: what telling costs, as JSON");
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.ping_pong) return ping_pong();
    run(options);
  } catch (const timeless::Error& error) {
    fmt::print(stderr, "replay_scaling: {} ({}): {}\n", error.description(), error.where(), error.advice());
    return static_cast<int>(error.failure());
  }
  return 0;
}
