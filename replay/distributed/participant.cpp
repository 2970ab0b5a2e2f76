#include "replay/distributed/participant.h"

#include "replay/distributed/rank_division.h"
#include "replay/distributed/reports.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

namespace {

/// Returns what every batch begins with.
std::uint64_t first_number(const Batch& batch) {
  return ByteReader(batch, ByteReader::From::process).number();
}

constexpr int most_batches_at_once = 64;
constexpr std::uint64_t actions_between_messages = 1U << 20U;

} // namespace

Participant::Participant(const trace::Source& source, const Network& network, const ReplayOptions& options, Bus& bus,
                         const Cooperation& cooperation)
    : source_(source), network_(network), options_(options), bus_(bus), cooperation_(cooperation) {
  if (bus.process() == 0) coordinator_.emplace(source, options, bus);
  begin();
}

/// Begins an attempt at the replay.
void Participant::begin() {
  phase_ = Phase::replaying;
  batches_received_ = held_ = 0;
  idle_steps_ = 0;
  said_ = at_cut_ = false;
  if (first()) coordinator_->begin();
  next_progress_ = actions_between_messages;
  guard([&] {
    auto remote = std::make_unique<Remote>(bus_, divide_ranks(source_.run(), bus_.processes()),
                                           cooperation_.batch_bytes, attempt_);
    remote_.reset();
    engine_.reset();
    remote_ = std::move(remote);
    engine_ = std::make_unique<Engine>(source_, network_, options_, remote_.get(), rendezvous_);
    if (first()) coordinator_->use(*engine_, *remote_);
  });
}

Participant::~Participant() = default;

template <typename Part>
void Participant::guard(Part part) {
  try {
    part();
  } catch (const NeedsFullPath&) {
    if (first()) return begin_again(true, options_.jumps);
    phase_ = Phase::stopping;
    bus_.send(0, batch_of(Answer::waits));
  } catch (const NoSteadyStates& found) {
    if (first()) return begin_without_jumps(found);
    phase_ = Phase::stopping;
    ByteWriter words = writer_of(Answer::no_cuts);
    words.put(found.why);
    bus_.send(0, words.take());
  } catch (const LanesApart& lanes) {
    // All processes find that at the same cut.
    apart_ = lanes;
    phase_ = Phase::stopping;
    if (first()) go_on(coordinator_->stop());
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

/// Returns false where this process has enough to do: what others send stays in the bus, so that they wait in the end.
bool Participant::may_receive() {
  if (!has_work() || bus_.congested() || held_ < cooperation_.most_held) return true;
  held_ = engine_->deliveries().messages_held();
  return held_ < cooperation_.most_held;
}

bool Participant::receive() {
  const std::optional<Bus::Arrival> arrival = bus_.receive();
  if (!arrival) return false;
  guard([&] {
    if (high_half(first_number(arrival->batch)) != 0) return take_in(arrival->from, arrival->batch);
    ByteReader words(arrival->batch, ByteReader::From::process);
    const std::uint64_t word = words.number();
    if (is_answer(word))
      coordinate(arrival->from, static_cast<Answer>(word), words);
    else
      obey(static_cast<Order>(word), words);
  });
  return true;
}

void Participant::work() {
  engine_->run_ranks(cooperation_.runs);
  remote_->flush();
  if (!first() || !options_.progress || engine_->actions() < next_progress_) return;
  next_progress_ = engine_->actions() + actions_between_messages;
  // As far as this process's ranks are, so is the whole, more or less.
  const std::uint64_t total = actions_of(source_.run(), {0, source_.run().size});
  const auto mine = static_cast<double>(std::max<std::uint64_t>(actions_of(source_.run(), remote_->local_ranks()), 1));
  options_.progress(
      static_cast<std::uint64_t>(static_cast<double>(engine_->actions()) / mine * static_cast<double>(total)), total);
}

/// Gives the engine what another one tells it.
void Participant::take_in(int from, const Batch& batch) {
  const std::uint32_t attempt = low_half(first_number(batch));
  if (attempt > attempt_ || (attempt == attempt_ && at_cut_)) return early_.push_back({from, batch});
  if (attempt < attempt_ || phase_ != Phase::replaying) return;
  ++batches_received_;
  held_ += batch.size() / (remote_->values() * sizeof(double)) + 1;
  engine_->deliveries().deliver(from, batch);
  remote_->flush();
}

void Participant::take_in_early() {
  for (const Bus::Arrival& early : std::exchange(early_, {}))
    take_in(early.from, early.batch);
}

void Participant::begin_again(bool rendezvous, Jumps jumps) {
  ++attempt_;
  rendezvous_ = rendezvous;
  options_.jumps = jumps;
  if (first()) {
    ByteWriter words = writer_of(Order::again);
    words.put(std::uint64_t{rendezvous});
    words.put(static_cast<std::uint64_t>(jumps));
    coordinator_->tell_all(words.take());
  }
  begin();
  take_in_early();
}

/// Begins again on process 0.
void Participant::begin_without_jumps(const NoSteadyStates& found) {
  guard([&] {
    const Jumps jumps = found.without_jumps(options_).jumps;
    if (options_.jumps == Jumps::taken) all_played_ = found.report();
    begin_again(rendezvous_, jumps);
  });
}

/// Says that there is nothing to do.
void Participant::say() {
  said_ = true;
  const std::uint64_t sent = remote_->batches_sent();
  if (first()) return go_on(coordinator_->said(sent, batches_received_));
  ByteWriter words = writer_of(Answer::said);
  words.put(std::uint64_t{attempt_});
  words.put(sent);
  words.put(batches_received_);
  bus_.send(0, words.take());
}

// ---- what process 0 asks of the others

template <typename What>
void Participant::answer(Answer word, const What& what) {
  ByteWriter words = writer_of(word);
  write(words, what);
  bus_.send(0, words.take());
}

void Participant::obey(Order order, ByteReader& words) {
  const bool replaying = phase_ == Phase::replaying;
  switch (order) {
  case Order::ask:
    said_ = false;
    return;
  case Order::stand:
    if (replaying) answer(Answer::standing, engine_->steady().standing());
    return;
  case Order::count:
    if (replaying) count(read_standing(words));
    return;
  case Order::go_on:
    if (replaying) go_on_from_cut(read_comparison(words));
    return;
  case Order::ended:
    if (replaying) answer(Answer::ending, engine_->outcome().ending());
    return;
  case Order::give_up:
    if (!replaying) return;
    engine_->give_up_strictest_lanes({});
    said_ = false;
    return;
  case Order::report:
    if (replaying) report();
    return;
  case Order::path_end:
    return answer(Answer::path, engine_->outcome().end_of_path(static_cast<trace::Rank>(words.number())));
  case Order::path_to:
    return answer(Answer::path, engine_->outcome().path_to(static_cast<std::uint32_t>(words.number())));
  case Order::again: {
    const bool rendezvous = words.number() != 0;
    return begin_again(rendezvous, static_cast<Jumps>(words.number()));
  }
  case Order::stop:
    phase_ = Phase::done;
    return bus_.send(0, batch_of(Answer::stopped));
  }
}

/// Takes how all stand at a cut, and says how this process compares where that follows.
void Participant::count(const CutStanding& all) {
  at_cut_ = engine_->steady().begin(all);
  said_ = at_cut_;
  if (at_cut_) answer(Answer::comparison, engine_->steady().comparison());
}

void Participant::go_on_from_cut(const CutComparison& all) {
  engine_->steady().finish(all);
  at_cut_ = said_ = false;
  take_in_early();
}

void Participant::report() {
  phase_ = Phase::stopping;
  engine_->steady().restore();
  const Result mine = engine_->outcome().result();
  const RankRange& ranks = remote_->local_ranks();
  ByteWriter times = writer_of(Answer::times);
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    write_rank(times, mine, place, ranks.begin + static_cast<trace::Rank>(place));
    if (times.size() < cooperation_.batch_bytes) continue;
    bus_.send(0, std::exchange(times, writer_of(Answer::times)).take());
  }
  bus_.send(0, times.take());
  ByteWriter summary = writer_of(Answer::findings);
  write_summary(summary, mine, engine_->outcome(), options_);
  bus_.send(0, summary.take());
}

void Participant::fail(std::exception_ptr problem) {
  if (first()) return go_on(coordinator_->failed(0, std::move(problem)));
  phase_ = Phase::stopping;
  answer(Answer::failed, problem);
}

// ---- on process 0

void Participant::coordinate(int from, Answer answer, ByteReader& words) {
  switch (answer) {
  case Answer::said: {
    const std::uint64_t attempt = words.number();
    const std::uint64_t sent = words.number();
    const std::uint64_t received = words.number();
    return go_on(attempt == attempt_ ? coordinator_->said(sent, received) : Coordinator::Next::as_before);
  }
  case Answer::standing:
    return go_on(coordinator_->standing(from, read_standing(words)));
  case Answer::comparison:
    return go_on(coordinator_->comparison(read_comparison(words)));
  case Answer::ending:
    return go_on(coordinator_->ending(from, read_ending(words)));
  case Answer::times:
    return coordinator_->times(words);
  case Answer::findings:
    return go_on(coordinator_->findings(words));
  case Answer::path:
    return go_on(coordinator_->path(read_path_piece(words)));
  case Answer::waits:
    if (phase_ == Phase::replaying && !rendezvous_) begin_again(true, options_.jumps);
    return;
  case Answer::no_cuts:
    if (phase_ == Phase::replaying && options_.jumps != Jumps::none) begin_without_jumps({.why = words.text()});
    return;
  case Answer::failed:
    return go_on(coordinator_->failed(from, read_problem(words)));
  case Answer::stopped:
    return go_on(coordinator_->stopped());
  }
}

void Participant::go_on(Coordinator::Next next) {
  using enum Coordinator::Next;
  switch (next) {
  case as_before:
    return;
  case say_again:
    phase_ = Phase::replaying;
    said_ = false;
    return;
  case hold:
    phase_ = Phase::held;
    return;
  case stop:
    phase_ = Phase::stopping;
    return;
  case done:
    phase_ = Phase::done;
    return;
  }
}

Result Participant::result() {
  if (!apart_.groups.empty()) throw apart_;
  Result result;
  if (first())
    result = coordinator_->result();
  else
    result.lanes.resize(network_.lanes.size());
  if (all_played_) result.steady = all_played_;
  return result;
}

ProcessWork Participant::work_done() const {
  if (!engine_) return {};
  ProcessWork work{.ranks = remote_->local_ranks(), .actions = engine_->actions()};
  work.messages = remote_->records(RecordKind::message) + remote_->records(RecordKind::step);
  work.collectives = remote_->records(RecordKind::partial) + remote_->records(RecordKind::result);
  return work;
}

} // namespace timeless::replay
