#include "replay/distributed/participant.h"

#include "replay/distributed/shares.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

namespace {

/// What processes tell each other beside the records of their engines; the first word of a batch of its own.
enum class Word : std::uint64_t {
  // Engines' records have a number in the upper half of their first word.
  said = 1, ///< to process 0: batches sent and received by engines; the sender has nothing to do
  ask,      ///< from process 0: say it again once there is nothing to do
  ended,    ///< from process 0: nobody will have anything to do
  ending,   ///< to process 0: how a share has ended
  times,    ///< to process 0: those of some ranks
  findings, ///< to process 0, the last of what a process has to report
  failed,   ///< to process 0: what went wrong
  stop,     ///< from process 0: it is over, one way or the other
  stopped,  ///< to process 0, the answer
};

Batch batch_of(Word word) {
  return {static_cast<std::uint64_t>(word)};
}

constexpr int most_batches_at_once = 64;
constexpr std::uint64_t actions_between_reports = 1U << 20U;

std::uint64_t actions_of(const trace::Run& run, const Share& share) {
  std::uint64_t all = 0;
  for (trace::Rank rank = share.begin; rank < share.end; ++rank)
    all += run.ranks[static_cast<std::size_t>(rank)].actions;
  return all;
}

} // namespace

Participant::Participant(const trace::Source& source, Network& network, const ReplayOptions& options, Bus& bus,
                         const Cooperation& cooperation)
    : source_(source), options_(options), bus_(bus), cooperation_(cooperation), next_progress_(actions_between_reports),
      endings_(static_cast<std::size_t>(first() ? bus.processes() : 0)) {
  guard([&] {
    remote_ = std::make_unique<Remote>(bus, divide_ranks(source.run(), bus.processes()), cooperation.batch_words);
    engine_ = std::make_unique<Engine>(source, network, options, remote_.get());
  });
}

Participant::~Participant() = default;

template <typename Part>
void Participant::guard(Part part) {
  try {
    part();
  } catch (...) {
    fail(std::current_exception());
  }
}

Participant::Next Participant::step() {
  bool received = false;
  for (int left = most_batches_at_once; left > 0 && may_receive() && receive(); --left)
    received = true;
  if (phase_ == Phase::done) return Next::done;
  if (phase_ == Phase::replaying && !bus_.congested()) guard([&] { work(); });
  if (received || has_work()) {
    idle_steps_ = 0;
    return has_work() && bus_.congested() ? Next::wait : Next::step;
  }
  if (phase_ == Phase::replaying && ++idle_steps_ > cooperation_.patience && !said_) guard([&] { say(); });
  return phase_ == Phase::done ? Next::done : Next::wait;
}

/// What others sent may lie in the bus while this process has its hands full: then they come to wait.
bool Participant::may_receive() {
  if (!has_work() || bus_.congested() || held_ < cooperation_.most_held) return true;
  held_ = engine_->held();
  return held_ < cooperation_.most_held;
}

bool Participant::receive() {
  std::optional<Bus::Arrival> arrival = bus_.receive();
  if (!arrival) return false;
  guard([&] { handle(arrival->from, arrival->batch); });
  return true;
}

void Participant::work() {
  engine_->take_turns(cooperation_.turns);
  remote_->flush();
  if (!first() || !options_.progress || engine_->actions() < next_progress_) return;
  next_progress_ = engine_->actions() + actions_between_reports;
  // As far as this process's share is, so is the whole, more or less.
  const std::uint64_t total = actions_of(source_.run(), {0, source_.run().size});
  const auto mine = static_cast<double>(std::max<std::uint64_t>(actions_of(source_.run(), remote_->share()), 1));
  options_.progress(
      static_cast<std::uint64_t>(static_cast<double>(engine_->actions()) / mine * static_cast<double>(total)), total);
}

void Participant::handle(int from, const Batch& batch) {
  if (high_half(batch.front()) != 0) {
    if (phase_ != Phase::replaying) return;
    ++batches_received_;
    held_ += batch.size() / remote_->values() + 1;
    engine_->deliver(from, batch);
    return remote_->flush();
  }
  WordReader words(batch);
  switch (static_cast<Word>(words.number())) {
  case Word::said: {
    if (phase_ != Phase::replaying) return;
    const std::uint64_t sent = words.number();
    return add(sent, words.number());
  }
  case Word::ask:
    said_ = false;
    return;
  case Word::ended:
    if (phase_ == Phase::replaying) report();
    return;
  case Word::ending:
    if (phase_ != Phase::reporting) return;
    endings_[static_cast<std::size_t>(from)] = read_ending(words);
    if (--missing_ == 0) require_all_ended();
    return;
  case Word::times:
    if (phase_ != Phase::reporting) return;
    while (!words.empty())
      read_rank(words, result_);
    return;
  case Word::findings:
    if (phase_ != Phase::reporting) return;
    result_.actions += words.number();
    read_ideal(words, result_);
    read_attribution(words, result_.attribution);
    findings_.add(read_findings(words));
    if (--reports_ == 0) complete();
    return;
  case Word::failed:
    return take_problem(from, read_problem(words));
  case Word::stop:
    phase_ = Phase::done;
    return bus_.send(0, batch_of(Word::stopped));
  case Word::stopped:
    if (--missing_ == 0) phase_ = Phase::done;
    return;
  }
}

void Participant::send_all(const Batch& batch) {
  for (int process = 1; process < bus_.processes(); ++process)
    bus_.send(process, batch);
}

// ---- is anybody going to have something to do?

/// Two waves of reports that agree, each process's second one after all first ones: in between, nobody sent anything,
/// and nothing was on its way.
void Participant::say() {
  said_ = true;
  const std::uint64_t sent = remote_->batches_sent();
  if (first()) return add(sent, batches_received_);
  Batch batch = batch_of(Word::said);
  batch.push_back(sent);
  batch.push_back(batches_received_);
  bus_.send(0, std::move(batch));
}

void Participant::add(std::uint64_t sent, std::uint64_t received) {
  sent_ += sent;
  received_ += received;
  if (++said_in_wave_ < bus_.processes()) return;
  const bool all_arrived = sent_ == received_;
  if (all_arrived && sent_before_ == sent_) return end();
  sent_before_ = all_arrived ? std::optional(sent_) : std::nullopt;
  sent_ = received_ = 0;
  said_in_wave_ = 0;
  said_ = false;
  send_all(batch_of(Word::ask));
}

// ---- the end

void Participant::end() {
  send_all(batch_of(Word::ended));
  phase_ = Phase::reporting;
  missing_ = reports_ = bus_.processes();
  result_ = engine_->result();
  const auto ranks = static_cast<std::size_t>(source_.run().size);
  for (LaneResult& lane : result_.lanes) {
    lane.ranks.resize(ranks);
    if (options_.sensitivities) lane.rank_sensitivities.resize(ranks);
  }
  endings_.front() = engine_->ending();
  findings_ = engine_->findings();
  if (--missing_ == 0) require_all_ended();
  if (phase_ == Phase::reporting && --reports_ == 0) complete();
}

void Participant::report() {
  phase_ = Phase::reporting;
  const Ending ending = engine_->ending();
  Batch batch = batch_of(Word::ending);
  WordWriter words(batch);
  write(words, ending);
  bus_.send(0, std::move(batch));
  // Otherwise there will be no result.
  if (ending.standing.empty() && ending.leftovers.empty()) report_times();
}

void Participant::report_times() {
  const Result mine = engine_->result();
  const Share& share = remote_->share();
  Batch batch = batch_of(Word::times);
  for (std::size_t place = 0; place < share.size(); ++place) {
    WordWriter words(batch);
    write_rank(words, mine, place, share.begin + static_cast<trace::Rank>(place));
    if (batch.size() < cooperation_.batch_words) continue;
    bus_.send(0, std::exchange(batch, batch_of(Word::times)));
  }
  bus_.send(0, std::move(batch));
  Batch last = batch_of(Word::findings);
  WordWriter words(last);
  words.put(mine.actions);
  write_ideal(words, mine);
  write(words, mine.attribution);
  write(words, engine_->findings());
  bus_.send(0, std::move(last));
}

void Participant::require_all_ended() {
  std::vector<Ending> endings;
  for (std::optional<Ending>& ending : endings_)
    endings.push_back(std::move(*ending));
  require_ended(source_.run(), Communicators(source_.run()), std::move(endings));
}

void Participant::complete() {
  for (LaneResult& lane : result_.lanes)
    find_makespan(lane);
  result_.notes = notes(source_.run(), findings_);
  if (options_.progress) options_.progress(result_.actions, actions_of(source_.run(), {0, source_.run().size}));
  stop();
}

void Participant::stop() {
  missing_ = bus_.processes() - 1;
  phase_ = missing_ == 0 ? Phase::done : Phase::stopping;
  send_all(batch_of(Word::stop));
}

// ---- what goes wrong

void Participant::fail(std::exception_ptr problem) {
  if (first()) return take_problem(0, std::move(problem));
  phase_ = Phase::stopping;
  Batch batch = batch_of(Word::failed);
  WordWriter words(batch);
  write(words, problem);
  bus_.send(0, std::move(batch));
}

/// Several processes may fail before they hear of each other: the lowest speaks.
void Participant::take_problem(int process, std::exception_ptr problem) {
  if (!problem_ || process < failed_process_) {
    problem_ = std::move(problem);
    failed_process_ = process;
  }
  if (phase_ != Phase::stopping) stop();
}

std::optional<Result> Participant::result() {
  if (problem_) std::rethrow_exception(problem_);
  if (!first()) return std::nullopt;
  return std::move(result_);
}

} // namespace timeless::replay
