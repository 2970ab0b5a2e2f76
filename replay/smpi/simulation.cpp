#include "replay/smpi/simulation.h"

#include "base/error.h"
#include "base/processor_time.h"
#include "replay/simgrid/simgrid_versions.h"
#include "replay/smpi/collective_choice.h"
#include "replay/smpi/observations.h"

#include <simgrid/s4u.hpp>
#include <xbt/config.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include <sys/mman.h>
#include <sys/resource.h>

namespace timeless::replay::smpi {

namespace sg4 = simgrid::s4u;

namespace {

/// Addresses for SMPI to name. It copies nothing while replaying, so no memory stands behind them.
class Area {
public:
  Area() : start_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (start_ == MAP_FAILED)
      throw Error(Failure::runtime, "cannot reserve addresses for SMPI's buffers", {}, std::strerror(errno));
  }
  ~Area() { ::munmap(start_, size); }
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;
  char* address() const { return static_cast<char*>(start_); }

private:
  static constexpr std::size_t size = std::size_t{64} << 30;
  void* start_;
};

constexpr std::string_view nothing_comes = "ranks wait and nothing will come";

std::string human_number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

/// Ranks, the first of them with what they are at.
struct NamedRanks {
  std::string text;
  std::size_t number = 0;

  void add(const JobPlays& jobs, std::size_t job, const RankPlayer& player) {
    constexpr std::size_t named = 8;
    if (++number > named + 1) return;
    text += text.empty() ? "" : "; ";
    if (number > named) {
      text += "...";
      return;
    }
    if (jobs.size() > 1) text += "job " + std::to_string(job + 1) + ", ";
    text += player.position();
  }
};

Error deadlock(const JobPlays& jobs, const MachineFailures& failures) {
  NamedRanks blocked;
  std::size_t ranks = 0;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (const RankPlayer& player : jobs[job]->players()) {
      ++ranks;
      if (!player.finished()) blocked.add(jobs, job, player);
    }
  }
  std::string help = "timeless check finds messages without a partner; a program that sends large messages before it "
                     "receives deadlocks where they are not buffered";
  if (const std::string links = failures.links(); !links.empty())
    help =
        "links failed on the way (" + links + "), as the platform file says (state_file), and their messages are lost";
  else if (collectives_chosen())
    help += "; " + advice();
  return {Failure::invalid_input,
          std::to_string(blocked.number) + " of " + std::to_string(ranks) + " " + std::string(nothing_comes),
          blocked.text, help};
}

} // namespace

std::string advice() {
  const std::string chosen = chosen_collectives();
  return chosen.empty() ? "use --backend model"
                        : "the likely cause is the choice of collectives (" + chosen +
                              "), not all of which SimGrid can replay: try --cfg=smpi/coll-selector:mpich, or "
                              "--backend model";
}

Simulation::Simulation(std::span<const SmpiJob> jobs, const SimgridPlatform& platform, const SmpiOptions& options)
    : platform_(platform), options_(options) {
  for (const SmpiJob& job : jobs) {
    jobs_.push_back(std::make_unique<JobPlay>(job, jobs_.size(), platform, options));
    actions_ += jobs_.back()->scan().actions;
    ranks_ += static_cast<std::size_t>(job.source->run().size);
  }
}

std::string Simulation::run(const ChildReport& report) {
  const Area sent;
  const Area received;
  scale_links();
  if (options_.unshared) platform_.unshare_links();
  replace_failing_collectives();
  const auto start_barrier = sg4::Barrier::create(static_cast<unsigned>(ranks_));
  for (const auto& job : jobs_) {
    JobContext& context = job->context();
    context.send_area = sent.address();
    context.receive_area = received.address();
    context.prepare_collectives_for_nodes = collectives_chosen();
    context.types.set_smallest_large(
        static_cast<trace::Bytes>(std::max(simgrid::config::get_value<int>("smpi/async-small-thresh"), 0)));
    context.action_done = [this, &report] {
      constexpr std::uint64_t between_reports = 1 << 15;
      if (++done_ % between_reports == 0) report.progress(done_, actions_);
    };
    if (options_.observer != nullptr)
      context.observe = [this, &report](trace::Rank rank, double begin, double end) {
        Observations::put(observed_, rank, begin, end);
        if (observed_.size() > 1 << 16) hand_over(report);
      };
    context.start = [this, &report](const std::string& name, sg4::Host& host, const RankPlayer& player,
                                    std::function<void()> body) {
      start_actor(host, name, [this, &report, &player, body = std::move(body)] {
        try {
          body();
        } catch (const simgrid::NetworkFailureException&) {
          report.fail(failures_.of_message(player.position()));
        } catch (const std::exception& error) {
          report.fail(error);
        }
      });
    };
    context.report = &report;
    context.start_barrier = start_barrier;
    SMPI_app_instance_register(context.instance.c_str(), nullptr, job->job().source->run().size);
  }
  failures_.watch([&](const std::string& host) { end_where_ranks_die(host, report); });
  for (const auto& job : jobs_)
    create_players(*job);
  if (options_.watch_links) watch_links();
  const double before = processor_seconds();
  sg4::Engine::on_deadlock_cb([&] {
    if (!ends_with_recordings()) report.fail(deadlock(jobs_, failures_));
    if (!observed_.empty()) hand_over(report);
    report.finish(answer(processor_seconds() - before));
  });
  sg4::Engine::get_instance()->run();
  if (!observed_.empty()) hand_over(report);
  for (const auto& job : jobs_)
    if (!std::ranges::all_of(job->players(), &RankPlayer::finished)) throw deadlock(jobs_, failures_);
  return answer(processor_seconds() - before);
}

std::vector<std::string> Simulation::notes(std::size_t job) const {
  std::vector<std::string> notes = jobs_[job]->scan().notes;
  if (jobs_[job]->scan().files) notes.push_back(file_note(jobs_[job]->job()));
  return notes;
}

/// Returns true when each job in which ranks wait has recordings that are cut short: for what was not recorded.
bool Simulation::ends_with_recordings() const {
  return failures_.links().empty() && std::ranges::all_of(jobs_, [](const auto& job) {
           return std::ranges::all_of(job->players(), &RankPlayer::finished) || !job->job().source->run().complete();
         });
}

std::string Simulation::answer(double seconds) const {
  ByteWriter words;
  std::size_t waiting = 0;
  for (const auto& job : jobs_) {
    write(words, job->answer(seconds));
    waiting += static_cast<std::size_t>(std::ranges::count(job->players(), false, &RankPlayer::finished));
  }
  if (links_) write(words, links_->full_links());
  for (const std::string& note : replaced_collectives())
    words.put(std::string_view(note));
  if (waiting > 0) words.put(std::string_view(waits_for_unrecorded(waiting, ranks_)));
  return words.take();
}

void Simulation::scale_links() const {
  const Scaling& scaling = options_.scaling;
  if (scaling.latency == 1 && scaling.bandwidth == 1) return;
  std::vector<std::uint32_t> hosts;
  for (const auto& job : jobs_)
    hosts.insert(hosts.end(), job->job().mapping->node_of_rank.begin(), job->job().mapping->node_of_rank.end());
  platform_.scale_links(scaling.latency, scaling.bandwidth, hosts);
}

void Simulation::watch_links() {
  JobPlay& job = *jobs_.front();
  std::map<std::uint32_t, std::vector<const RankPlayer*>> players; // by host
  const std::vector<std::uint32_t>& nodes = job.job().mapping->node_of_rank;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    players[nodes[rank]].push_back(&job.players()[rank]);
  links_.emplace(platform_, nodes, [players = std::move(players)](std::uint32_t host) {
    std::map<std::uint32_t, std::size_t> ranks; // by kernel
    for (const RankPlayer* player : players.at(host))
      ++ranks[player->kernel()];
    return std::ranges::max_element(ranks, {}, [](const auto& kernel) { return kernel.second; })->first;
  });
  job.context().begun = [this] { links_->begin(); };
}

void Simulation::hand_over(const ChildReport& report) {
  report.part(observed_.take());
}

/// Ranks that are done matter, too, as long as others are not: what is sent to them would be lost.
void Simulation::end_where_ranks_die(const std::string& host, const ChildReport& report) const {
  NamedRanks dying;
  bool over = true;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    const std::vector<std::uint32_t>& nodes = jobs_[job]->job().mapping->node_of_rank;
    const std::vector<RankPlayer>& players = jobs_[job]->players();
    for (std::size_t rank = 0; rank < players.size(); ++rank) {
      over = over && players[rank].finished();
      if (platform_.hosts()[nodes[rank]].name == host) dying.add(jobs_, job, players[rank]);
    }
  }
  if (dying.number > 0 && !over) report.fail(MachineFailures::of_host(host, dying.text));
}

void Simulation::create_players(JobPlay& job) {
  std::vector<RankPlayer>& players = job.players();
  const auto ranks = static_cast<std::size_t>(job.job().source->run().size);
  players.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    players.emplace_back(job.context(), static_cast<trace::Rank>(rank));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::string& host = platform_.hosts()[job.job().mapping->node_of_rank[rank]].name;
    if (!sg4::Host::by_name(host)->is_on()) throw MachineFailures::of_host_at_start(host, rank);
    const std::string name = (jobs_.size() > 1 ? job.context().instance + "-" : "") + "rank-" + std::to_string(rank);
    RankPlayer& player = players[rank];
    job.context().start(name, *sg4::Host::by_name(host), player, [&player] { player.play(); });
  }
}

std::string Simulation::file_note(const SmpiJob& job) const {
  const auto has_disk = [&](std::uint32_t node) {
    return !sg4::Host::by_name(platform_.hosts()[node].name)->get_disks().empty();
  };
  if (std::ranges::all_of(job.mapping->node_of_rank, has_disk))
    return "files are read and written on the first disk of each rank's host: where the program's were is not "
           "recorded";
  const SmpiFiles& files = options_.files;
  std::string costs =
      human_number(files.latency * 1e6) + " us a call, " + human_number(1e-9 / files.byte_time) + " GB/s per process, ";
  costs += files.aggregate_byte_time > 0 ? human_number(1e-9 / files.aggregate_byte_time) + " GB/s in all"
                                         : "no limit for all";
  return "files cost what they cost in the model, the hosts have no disks: " + costs +
         (files.assumed ? ", an assumption" : "");
}

} // namespace timeless::replay::smpi

namespace timeless::replay {

bool is_deadlock(const Error& error) {
  return error.description().ends_with(smpi::nothing_comes);
}

} // namespace timeless::replay
