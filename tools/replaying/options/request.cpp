#include "tools/replaying/options/request.h"

#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/render/machines/network_listing.h"
#include "tools/replaying/factors.h"
#include "tools/replaying/model_words.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/questions.h"

#include "base/error.h"
#include "trace/model/clocks.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <fmt/format.h>

namespace timeless::tools {

namespace {

/// "e1g, e10g, qdr".
std::string preset_names() {
  std::string names;
  for (const replay::Preset& preset : replay::presets())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", preset.name);
  return names;
}

void add_factor_options(CLI::App& command, ReplayRequest& request) {
  command.add_option(
      "--latency", request.latency,
      "Latencies times x2, /2, or a list, or /8..x8 in steps of two: one configuration each; /2 is half the latency");
  command.add_option("--bandwidth", request.bandwidth, "Bandwidths likewise; lists combine");
  command.add_option("--cpu", request.cpu, "Speeds of the processors likewise: x2 is twice as fast");
}

} // namespace

void add_machine_options(CLI::App& command, ReplayRequest& request) {
  begin_group(command, "Machine");
  PredictionOptions& asked = request.prediction;
  add_platform_option(command, asked.platforms);
  add_network_option(command, asked.machine, "Networks by name (" + preset_names() + ") or file; several in one pass");
  add_where_option(command, asked.machine);
  command.add_flag_callback(
      "--list-networks",
      [] {
        fmt::print("{}", network_listing());
        throw CLI::Success();
      },
      "List the networks known by name, with their sources");
  add_placement_options(command, asked.machine);
  command.get_option("--compute-rate")
      ->default_str(fmt::format("the platform's speeds; for networks and several platforms {:g}, an assumption",
                                assumed_instruction_rate));
}

void add_model_options(CLI::App& command, ReplayRequest& request) {
  begin_group(command, "Model");
  command.add_option("--overlap", request.overlap, "What computation hides first of a message's way")
      ->check(CLI::IsMember({"latency-first", "bandwidth-first"}));
  command
      .add_option("--ports", request.ports,
                  "Where messages from other nodes come in one after the other: nowhere, at each receiver, or at each "
                  "receiver as if all ranks of its node shared its port")
      ->check(CLI::IsMember({"none", "receiver", "node"}));
  command
      .add_option("--handshake", request.prediction.handshake,
                  "Latencies that the sender and the receiver of a message above the eager limit spend before it "
                  "leaves; a network file's handshake_seconds stay")
      ->check(number_from_zero())
      ->default_str("2 with presets, a network file's own, 0 with --platform");
  command
      .add_option("--file-system", request.file_system,
                  "What files cost: the latency of a call, the bandwidth of a process, and that of all members of a "
                  "collective call")
      ->type_name("LIST")
      ->default_str("latency=100us,bandwidth=1GB/s,aggregate=10GB/s, an assumption");
  command
      .add_option("--memory-copy", request.prediction.memory_copy_rate,
                  "Bytes per second of the sender's copy; 0: it costs nothing")
      ->check(number_from_zero())
      ->default_str("32e9 with presets, a network file's own, 0 with --platform");
  command
      .add_option("--cores-per-rank", request.prediction.cores_per_rank,
                  "Threads of a rank that compute at a time, at most")
      ->check(count_from(1))
      ->default_str("all; in SMPI as many as the host has cores for");
  // What the papers leave open: docs/model.md lists the choices.
  command.add_option("--copies", request.copies, "Which sends cost their caller a copy of the message")
      ->check(CLI::IsMember({"all", "blocking"}));
  command
      .add_option("--completions", request.completions,
                  "In which order a Waitall takes its messages, which divides its time; listed goes without "
                  "--ports only")
      ->check(CLI::IsMember({"arrival", "listed"}));
  command
      .add_option("--communicator-creation", request.creation,
                  "What making a communicator costs: a small allreduce, "
                  "or nothing, waiting for nobody")
      ->check(CLI::IsMember({"allreduce", "free"}));
  add_clock_option(command, request.clock);
}

void add_running_options(CLI::App& command, ReplayRequest& request) {
  begin_group(command, "Running");
  command
      .add_option("--instruction-set", request.instruction_set,
                  "What the arithmetic is done with; the result is the same to the last bit")
      ->check(CLI::IsMember({"best", "baseline", "avx2", "avx512"}));
  command.add_option("--threads", request.prediction.threads, "Threads to divide the configurations among, at most")
      ->check(count_from(1))
      ->default_str("the processors there are, as far as each gets 64 configurations");
}

namespace {

void add_collectives_and_limit(CLI::App& command, ReplayRequest& request) {
  command
      .add_option("--collectives", request.collectives,
                  "Collectives: costs of MPICH's algorithms, or of log2(p) steps, or the "
                  "messages of MPICH's algorithms one by one, or of those measured on the network")
      ->check(CLI::IsMember(collective_model_names()));
  CLI::Option* const limit =
      command
          .add_option(
              "--eager-limit", request.eager_limit,
              "Larger messages wait for their receive; bytes, as 65536 or 64KiB, or none: only synchronous sends do")
          ->default_str("the platform's or the network file's; presets have none");
  offer_words(*limit, {no_eager_limit_word});
}

void add_jump_options(CLI::App& command, ReplayRequest& request) {
  command
      .add_flag("--jump", request.jump,
                "Jump over iterations that are proved to repeat what was played: all ranks' state, to the last bit")
      ->default_str("in long runs that repeat");
  command.add_flag("--every-action", request.every_action, "Play every action: the same bits as with jumps");
  command
      .add_option(
          "--iterations", request.prediction.iterations,
          "Iterations of the loop with most actions, where more than were recorded: the others are as those that "
          "--jump, which this implies, proves to repeat")
      ->check(count_between(1, std::uint64_t{1} << 48U))
      ->default_str("as recorded")
      ->excludes("--every-action");
  command
      .add_option("--within", request.prediction.within,
                  "Take iterations that nearly repeat as repeating, as long as that moves no rank's end by more than "
                  "this share of the time, 10 % at most, and jump over them: implies --jump")
      ->transform(allowed_share())
      ->default_str("what was recorded")
      ->excludes("--every-action");
  CLI::Option* const sample = command
                                  .add_option("--sample", request.prediction.sample,
                                              "Play this share of each loop's iterations, 50 % at most, in blocks at "
                                              "places drawn by chance, and take them for "
                                              "the others: an estimate, with its interval")
                                  ->transform(sampled_share())
                                  ->default_str("all are played")
                                  ->excludes("--every-action")
                                  ->excludes("--within")
                                  ->excludes("--iterations");
  command.add_option("--sample-seed", request.prediction.sample_seed, "What those places are drawn from")
      ->check(count_between(0, std::uint64_t{1} << 48U))
      ->needs(sample);
}

void add_question_options(CLI::App& command, ReplayRequest& request) {
  begin_group(command, "Answers");
  command
      .add_option("--by", request.by,
                  "Divide the time by MPI call, or by kernel: its computation, and the calls until the next one")
      ->check(CLI::IsMember({"call", "kernel"}));
  command.add_flag(
      "--critical-path", request.prediction.critical_path,
      "What the time of the first configuration that ends is spent on along its critical path: ranks, kernels, "
      "messages");
  add_symbols_option(command, request.symbols);
  command
      .add_option("--tolerance", request.tolerance,
                  "Growths of the time, as 1%,2%,5%: how much larger latency, time per byte or computation may be "
                  "until each is reached")
      ->type_name("LIST");
}

} // namespace

void add_replay_options(CLI::App& command, ReplayRequest& request, Processes processes) {
  add_trace_argument(command, request.prediction.trace, request.prediction.from);
  add_machine_options(command, request);
  add_factor_options(command, request);
  if (processes == Processes::one)
    command
        .add_option("--job", request.jobs,
                    "A run to replay at the same time as others, and on which hosts; in SMPI, which has each of them "
                    "alone, too")
        ->type_name("TRACE[@HOSTFILE]")
        ->allow_extra_args(false)
        ->default_str("");
  add_model_options(command, request);
  add_collectives_and_limit(command, request);
  CLI::Option* backend =
      command
          .add_option(
              "--backend", request.backend,
              "The built-in model, SimGrid's SMPI with contention, or auto: the model where timeless advise says "
              "that it suffices, else SMPI")
          ->check(CLI::IsMember({"model", "smpi", "auto"}));
  command
      .add_option("--cfg", request.prediction.settings,
                  "A setting of SimGrid's, which goes before the platform file's; may be repeated")
      ->type_name("KEY:VALUE")
      ->allow_extra_args(false)
      ->default_str("");
  add_question_options(command, request);
  add_timeline_options(command, request.timeline);
  add_running_options(command, request);
  add_jump_options(command, request);
  begin_group(command, "Output");
  if (processes == Processes::several) {
    // Known, to say why not.
    for (CLI::Option* option : {backend, command.get_option("--cores-per-rank"), command.get_option("--threads"),
                                command.get_option("--within")})
      option->group("");
    command.add_flag("--per-process", request.per_process,
                     "Also list every process: what it replayed, what it told the others, and how long it waited");
  }
  command.add_flag("--strict", request.strict, "Fail when something in the trace is not modelled");
  command.add_flag("--per-rank", request.listing.per_rank, "Also list every rank");
  command
      .add_option("--top", request.listing.top,
                  "How many calls, kernels, ranks or pieces of the path to list; 0 for all")
      ->check(count_from(0));
  command.add_flag("--json", request.json, "Print JSON (schema timeless.replay/1)");
}

void read_words(ReplayRequest& request) {
  PredictionOptions& asked = request.prediction;
  take_machines(asked.machine, asked.platforms);
  asked.latency = parse_factors(request.latency, "--latency");
  asked.bandwidth = parse_factors(request.bandwidth, "--bandwidth");
  asked.compute = parse_speeds(request.cpu, "--cpu");
  asked.eager_limit = parse_eager_limit(request.eager_limit);
  if (!request.file_system.empty()) asked.file_system = replay::parse_file_system(request.file_system);
  if (!request.tolerance.empty()) asked.tolerance = parse_growths(request.tolerance, "--tolerance");
  if (request.by == "call") asked.attribute = replay::AttributeBy::calls;
  if (request.by == "kernel") asked.attribute = replay::AttributeBy::kernels;
  if (request.backend == "smpi") asked.backend = Backend::smpi;
  if (asked.backend == Backend::smpi && request.strict)
    throw Error(Failure::usage, "--strict is the model's", {}, "leave it out: SMPI's notes say what it does otherwise");
  asked.collectives = collective_model(request.collectives).value_or(asked.collectives);
  if (asked.collectives == replay::CollectiveModel::measured && !asked.platforms.empty())
    refuse_measured_collectives_of_platforms("--collectives measured");
  if (request.overlap == "bandwidth-first") asked.overlap = replay::Overlap::bandwidth_first;
  if (request.ports == "receiver") asked.ports = replay::Ports::receiver;
  if (request.ports == "node") asked.ports = replay::Ports::node;
  for (const auto set :
       {replay::InstructionSet::baseline, replay::InstructionSet::avx2, replay::InstructionSet::avx512})
    if (request.instruction_set == name(set)) asked.instruction_set = set;
  if (request.completions == "listed") asked.completions = replay::CompletionOrder::as_listed;
  if (asked.iterations > 0 || asked.within > 0 || asked.sample > 0) request.jump = true;
  if (request.jump) asked.jumps = replay::Jumps::taken;
  if (request.every_action) asked.jumps = replay::Jumps::dry;
  if (request.jump && asked.backend == Backend::smpi)
    throw Error(Failure::usage, "jumps are the model's", "--jump", "leave it out: SMPI plays every action");
  if (asked.critical_path && (asked.iterations > 0 || asked.sample > 0))
    throw Error(Failure::usage, "a critical path leads through actions that were recorded, and through all of them",
                asked.sample > 0 ? "--sample" : "--iterations", "leave out one of both");
  // Without being asked, several processes and one play the same.
  if (asked.critical_path && asked.jumps == replay::Jumps::where_much_repeats) asked.jumps = replay::Jumps::none;
  asked.clock = chosen_clock(request.clock);
  asked.nonblocking_copy = request.copies == "all";
  asked.creation = request.creation == "allreduce";
}

Prediction predict_as_far_as_known(const trace::Source& source, const PredictionOptions& asked,
                                   Prediction (*predict)(const trace::Source&, const PredictionOptions&)) {
  require_clock(source.run(), asked.clock);
  try {
    return predict(source, asked);
  } catch (const replay::ReplayProblem& problem) {
    if (incompleteness(source.run()).empty()) throw;
    throw Error(Failure::partial, problem.description(), "an incomplete trace",
                "ranks wait for what was not recorded: record the program to its end");
  }
}

void add_clock_option(CLI::App& command, std::string& clock) {
  command
      .add_option("--clock", clock,
                  "Clocks begin at 0 with each rank's first action, or with that action's recorded time")
      ->check(CLI::IsMember({"own", "global"}));
}

replay::StartClock chosen_clock(const std::string& clock) {
  return clock == "global" ? replay::StartClock::global : replay::StartClock::own;
}

void require_clock(const trace::Run& run, replay::StartClock clock) {
  if (clock == replay::StartClock::own || trace::clocks_agree(run)) return;
  throw Error(
      Failure::usage,
      "the trace's hosts each have a clock of their own, and no MPI_Barrier or MPI_Allreduce of all ranks to set "
      "them by",
      "--clock global", "let every rank's clock begin at 0: --clock own");
}

} // namespace timeless::tools
