#include "replay/distributed/participant.h"

#include "replay/distributed/rank_division.h"
#include "replay/distributed/reports.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

namespace {

/// What processes tell each other beside the records of their engines; the first word of a batch of its own.
enum class Word : std::uint64_t {
  // Engines' records have a number in the upper half of their first word.
  said = 1, ///< to process 0: batches sent and received by engines; the sender has nothing to do
  ask,      ///< from process 0: say it again once there is nothing to do
  ended,    ///< from process 0: nobody has anything to do; how does each stand?
  ending,   ///< to process 0, the answer
  give_up,  ///< from process 0: go on without the strictest lanes
  report,   ///< from process 0: say what the replay has given
  times,    ///< to process 0: those of some ranks
  findings, ///< to process 0, the last of what a process has to report
  path_end, ///< from process 0: how does the path to the end of this rank end?
  path_to,  ///< from process 0: and the path to this place?
  path,     ///< to process 0, the answer to both
  waits,    ///< to process 0: the replay needs the rendezvous path
  again,    ///< from process 0: begin again, on the rendezvous path
  failed,   ///< to process 0: what went wrong
  stop,     ///< from process 0: it is over, one way or the other
  stopped,  ///< to process 0, the answer
};

ByteWriter writer_of(Word word) {
  ByteWriter words;
  words.put(static_cast<std::uint64_t>(word));
  return words;
}

Batch batch_of(Word word) {
  return writer_of(word).take();
}

/// Returns what every batch begins with.
std::uint64_t first_number(const Batch& batch) {
  return ByteReader(batch, ByteReader::From::process).number();
}

constexpr int most_batches_at_once = 64;
constexpr std::uint64_t actions_between_messages = 1U << 20U;

std::uint64_t actions_of(const trace::Run& run, const RankRange& ranks) {
  std::uint64_t all = 0;
  for (trace::Rank rank = ranks.begin; rank < ranks.end; ++rank)
    all += run.ranks[static_cast<std::size_t>(rank)].actions;
  return all;
}

} // namespace

Participant::Participant(const trace::Source& source, const Network& network, const ReplayOptions& options, Bus& bus,
                         const Cooperation& cooperation)
    : source_(source), network_(network), options_(options), bus_(bus), cooperation_(cooperation),
      termination_(bus.processes()), endings_(static_cast<std::size_t>(first() ? bus.processes() : 0)),
      collected_(source.run(), options) {
  begin();
}

/// Begins an attempt at the replay; the second one is on the rendezvous path from the beginning (Engine).
void Participant::begin() {
  phase_ = Phase::replaying;
  batches_received_ = held_ = 0;
  idle_steps_ = 0;
  said_ = false;
  termination_.begin();
  next_progress_ = actions_between_messages;
  guard([&] {
    auto remote = std::make_unique<Remote>(bus_, divide_ranks(source_.run(), bus_.processes()),
                                           cooperation_.batch_bytes, attempt_);
    remote_.reset();
    engine_.reset();
    remote_ = std::move(remote);
    engine_ = std::make_unique<Engine>(source_, network_, options_, remote_.get(), attempt_ > 0);
  });
}

Participant::~Participant() = default;

template <typename Part>
void Participant::guard(Part part) {
  try {
    part();
  } catch (const NeedsFullPath&) {
    if (first()) return begin_again();
    phase_ = Phase::stopping;
    bus_.send(0, batch_of(Word::waits));
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
  guard([&] { handle(arrival->from, arrival->batch); });
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

void Participant::handle(int from, const Batch& batch) {
  if (high_half(first_number(batch)) != 0) return take_in(from, batch);
  ByteReader words(batch, ByteReader::From::process);
  switch (static_cast<Word>(words.number())) {
  case Word::said: {
    const std::uint64_t attempt = words.number();
    const std::uint64_t sent = words.number();
    if (attempt == attempt_) add(sent, words.number());
    return;
  }
  case Word::ask:
    said_ = false;
    return;
  case Word::ended:
    if (phase_ == Phase::replaying) answer();
    return;
  case Word::ending:
    if (phase_ != Phase::ended) return;
    endings_[static_cast<std::size_t>(from)] = read_ending(words);
    if (--missing_ == 0) decide();
    return;
  case Word::give_up:
    if (phase_ != Phase::replaying) return;
    engine_->give_up_strictest_lanes({});
    said_ = false;
    return;
  case Word::report:
    if (phase_ == Phase::replaying) report();
    return;
  case Word::times:
    if (phase_ == Phase::ended) collected_.add_times(words);
    return;
  case Word::findings:
    if (phase_ != Phase::ended) return;
    collected_.add_summary(words);
    if (--missing_ == 0) complete();
    return;
  case Word::path_end:
    return tell_path(engine_->outcome().end_of_path(static_cast<trace::Rank>(words.number())));
  case Word::path_to:
    return tell_path(engine_->outcome().path_to(static_cast<std::uint32_t>(words.number())));
  case Word::path:
    if (phase_ == Phase::ended) add_to_path(read_path_piece(words));
    return;
  case Word::waits:
    if (phase_ == Phase::replaying && attempt_ == 0) begin_again();
    return;
  case Word::again:
    ++attempt_;
    begin();
    for (Bus::Arrival& early : std::exchange(early_, {}))
      take_in(early.from, early.batch);
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

/// Gives the engine what another one tells it.
void Participant::take_in(int from, const Batch& batch) {
  const std::uint32_t attempt = low_half(first_number(batch));
  if (attempt > attempt_) return early_.push_back({from, batch});
  if (attempt < attempt_ || phase_ != Phase::replaying) return;
  ++batches_received_;
  held_ += batch.size() / (remote_->values() * sizeof(double)) + 1;
  engine_->deliveries().deliver(from, batch);
  remote_->flush();
}

void Participant::begin_again() {
  ++attempt_;
  send_all(batch_of(Word::again));
  begin();
  for (Bus::Arrival& early : std::exchange(early_, {}))
    take_in(early.from, early.batch);
}

void Participant::send_all(const Batch& batch) {
  for (int process = 1; process < bus_.processes(); ++process)
    bus_.send(process, batch);
}

// ---- is anybody going to have something to do?

void Participant::say() {
  said_ = true;
  const std::uint64_t sent = remote_->batches_sent();
  if (first()) return add(sent, batches_received_);
  ByteWriter words = writer_of(Word::said);
  words.put(std::uint64_t{attempt_});
  words.put(sent);
  words.put(batches_received_);
  bus_.send(0, words.take());
}

/// Says on process 0 that a process has nothing to do.
void Participant::add(std::uint64_t sent, std::uint64_t received) {
  const Termination::Wave wave = termination_.add(sent, received);
  if (wave == Termination::Wave::last) return end();
  if (wave == Termination::Wave::open) return;
  said_ = false;
  send_all(batch_of(Word::ask));
}

// ---- the end

/// Asks how all stand, as nobody goes on.
void Participant::end() {
  phase_ = Phase::ended;
  send_all(batch_of(Word::ended));
  missing_ = bus_.processes() - 1;
  endings_.front() = engine_->outcome().ending();
  if (missing_ == 0) decide();
}

void Participant::answer() {
  ByteWriter words = writer_of(Word::ending);
  write(words, engine_->outcome().ending());
  bus_.send(0, words.take());
}

void Participant::decide() {
  std::vector<Ending> endings;
  for (std::optional<Ending>& ending : endings_)
    endings.push_back(std::move(ending).value());
  const bool stand = std::ranges::any_of(endings, [](const Ending& ending) { return !ending.status.empty(); });
  Diagnosis diagnosis = diagnose(source_.run(), Communicators(source_.run()), endings);
  if (stand && engine_->on_rendezvous_path() && !ends_with_recording(source_.run(), diagnosis)) {
    if (engine_->give_up_strictest_lanes(diagnosis)) {
      phase_ = Phase::replaying;
      send_all(batch_of(Word::give_up));
      said_ = false;
      return termination_.begin();
    }
    diagnosis = *engine_->outcome().last_deadlock();
  }
  collect(require_ended(source_.run(), std::move(diagnosis), endings));
}

void Participant::collect(const std::string& note) {
  send_all(batch_of(Word::report));
  missing_ = bus_.processes() - 1;
  collected_.begin(engine_->outcome(), note);
  if (missing_ == 0) complete();
}

void Participant::report() {
  phase_ = Phase::stopping;
  const Result mine = engine_->outcome().result();
  const RankRange& ranks = remote_->local_ranks();
  ByteWriter times = writer_of(Word::times);
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    write_rank(times, mine, place, ranks.begin + static_cast<trace::Rank>(place));
    if (times.size() < cooperation_.batch_bytes) continue;
    bus_.send(0, std::exchange(times, writer_of(Word::times)).take());
  }
  bus_.send(0, times.take());
  ByteWriter summary = writer_of(Word::findings);
  write_summary(summary, mine, engine_->outcome(), options_);
  bus_.send(0, summary.take());
}

void Participant::complete() {
  collected_.complete();
  const Result& all = collected_.result();
  if (options_.progress) options_.progress(all.actions, actions_of(source_.run(), {0, source_.run().size}));
  if (!options_.critical_path || all.lanes.front().deadlock) return stop();
  const trace::Rank last = collected_.last().rank;
  const int process = remote_->process_of(last);
  if (process == 0) return add_to_path(engine_->outcome().end_of_path(last));
  ByteWriter words = writer_of(Word::path_end);
  words.put(static_cast<std::uint64_t>(last));
  bus_.send(process, words.take());
}

// ---- the critical path, which goes from process to process

void Participant::tell_path(const PathPiece& piece) {
  ByteWriter words = writer_of(Word::path);
  write(words, piece);
  bus_.send(0, words.take());
}

void Participant::add_to_path(PathPiece piece) {
  collected_.add_to_path(piece.nodes);
  while (piece.process == 0) {
    piece = engine_->outcome().path_to(piece.place);
    collected_.add_to_path(piece.nodes);
  }
  if (piece.process > 0) {
    ByteWriter words = writer_of(Word::path_to);
    words.put(std::uint64_t{piece.place});
    return bus_.send(piece.process, words.take());
  }
  collected_.end_path();
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
  ByteWriter words = writer_of(Word::failed);
  write(words, problem);
  bus_.send(0, words.take());
}

/// Takes a process's problem. Several processes may fail before they hear of each other: the lowest speaks.
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
  return std::move(collected_.result());
}

ProcessWork Participant::work_done() const {
  if (!engine_) return {};
  ProcessWork work{.ranks = remote_->local_ranks(), .actions = engine_->actions()};
  work.messages = remote_->records(RecordKind::message) + remote_->records(RecordKind::step);
  work.collectives = remote_->records(RecordKind::partial) + remote_->records(RecordKind::result);
  return work;
}

} // namespace timeless::replay
