#include "replay/distributed/coordinator.h"

#include "replay/distributed/protocol.h"
#include "replay/distributed/rank_division.h"
#include "replay/distributed/reports.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

Coordinator::Coordinator(const trace::Source& source, const ReplayOptions& options, Bus& bus)
    : source_(source), options_(options), bus_(bus), termination_(bus.processes()),
      standings_(static_cast<std::size_t>(bus.processes())), endings_(static_cast<std::size_t>(bus.processes())),
      collected_(source.run(), options) {}

void Coordinator::begin() {
  state_ = State::replaying;
  termination_.begin();
}

void Coordinator::tell_all(const Batch& batch) {
  for (int process = 1; process < bus_.processes(); ++process)
    bus_.send(process, batch);
}

/// Tells the others something that each of them answers; this process is then in that state.
void Coordinator::tell_and_await(State state, const Batch& batch) {
  state_ = state;
  missing_ = bus_.processes() - 1;
  tell_all(batch);
}

// ---- is anybody going to have something to do?

Coordinator::Next Coordinator::said(std::uint64_t sent, std::uint64_t received) {
  if (state_ != State::replaying) return Next::as_before;
  const Termination::Wave wave = termination_.add(sent, received);
  if (wave == Termination::Wave::last) return end();
  if (wave == Termination::Wave::open) return Next::as_before;
  tell_all(batch_of(Order::ask));
  return Next::say_again;
}

Coordinator::Next Coordinator::end() {
  return engine_->steady().makes_cuts() ? stand() : ask_endings();
}

// ---- from a cut on

/// Asks whether ranks stand at a cut, as nobody goes on.
Coordinator::Next Coordinator::stand() {
  tell_and_await(State::standing, batch_of(Order::stand));
  standings_.front() = engine_->steady().standing();
  return missing_ == 0 ? cut() : Next::hold;
}

Coordinator::Next Coordinator::standing(int process, CutStanding standing) {
  if (state_ != State::standing) return Next::as_before;
  standings_[static_cast<std::size_t>(process)] = std::move(standing);
  return --missing_ == 0 ? cut() : Next::as_before;
}

Coordinator::Next Coordinator::cut() {
  SteadyStates& steady = engine_->steady();
  CutStanding all = standings_.front();
  for (std::size_t process = 1; process < standings_.size(); ++process)
    all.add(standings_[process], engine_->lanes());
  if (!all.any) {
    if (steady.jumped() && !all.finished) throw NoSteadyStates{};
    return ask_endings();
  }
  ByteWriter words = writer_of(Order::count);
  write(words, all);
  tell_and_await(State::comparing, words.take());
  if (!steady.begin(all)) return resume();
  comparison_ = steady.comparison();
  return missing_ == 0 ? compare() : Next::hold;
}

Coordinator::Next Coordinator::comparison(CutComparison comparison) {
  if (state_ != State::comparing) return Next::as_before;
  comparison_.add(comparison);
  return --missing_ == 0 ? compare() : Next::as_before;
}

Coordinator::Next Coordinator::compare() {
  ByteWriter words = writer_of(Order::go_on);
  write(words, comparison_);
  tell_all(words.take());
  engine_->steady().finish(comparison_);
  return resume();
}

Coordinator::Next Coordinator::resume() {
  state_ = State::replaying;
  termination_.begin();
  return Next::say_again;
}

// ---- how does it end?

/// Asks how all stand, as nobody goes on.
Coordinator::Next Coordinator::ask_endings() {
  tell_and_await(State::asking, batch_of(Order::ended));
  endings_.front() = engine_->outcome().ending();
  return missing_ == 0 ? decide() : Next::hold;
}

Coordinator::Next Coordinator::ending(int process, Ending ending) {
  if (state_ != State::asking) return Next::as_before;
  endings_[static_cast<std::size_t>(process)] = std::move(ending);
  return --missing_ == 0 ? decide() : Next::as_before;
}

Coordinator::Next Coordinator::decide() {
  std::vector<Ending> endings;
  for (std::optional<Ending>& ending : endings_)
    endings.push_back(std::move(ending).value());
  const bool stand = std::ranges::any_of(endings, [](const Ending& ending) { return !ending.status.empty(); });
  Diagnosis diagnosis = diagnose(source_.run(), Communicators(source_.run()), endings);
  if (stand && engine_->on_rendezvous_path() && !ends_with_recording(source_.run(), diagnosis)) {
    if (engine_->give_up_strictest_lanes(diagnosis)) {
      tell_all(batch_of(Order::give_up));
      return resume();
    }
    diagnosis = *engine_->outcome().last_deadlock();
  }
  return collect(require_ended(source_.run(), std::move(diagnosis), endings));
}

// ---- the result

Coordinator::Next Coordinator::collect(const std::string& note) {
  engine_->steady().demand_iterations();
  tell_and_await(State::asking, batch_of(Order::report));
  engine_->steady().restore();
  collected_.begin(engine_->outcome(), note);
  return missing_ == 0 ? complete() : Next::hold;
}

void Coordinator::times(ByteReader& words) {
  if (state_ == State::asking) collected_.add_times(words);
}

Coordinator::Next Coordinator::findings(ByteReader& words) {
  if (state_ != State::asking) return Next::as_before;
  collected_.add_summary(words);
  return --missing_ == 0 ? complete() : Next::as_before;
}

Coordinator::Next Coordinator::complete() {
  collected_.complete();
  engine_->steady().tell(collected_.result());
  const Result& all = collected_.result();
  if (options_.progress) options_.progress(all.actions, actions_of(source_.run(), {0, source_.run().size}));
  if (!options_.critical_path || all.lanes.front().deadlock) return stop();
  const trace::Rank last = collected_.last().rank;
  const int process = remote_->process_of(last);
  if (process == 0) return path(engine_->outcome().end_of_path(last));
  ByteWriter words = writer_of(Order::path_end);
  words.put(static_cast<std::uint64_t>(last));
  bus_.send(process, words.take());
  return Next::hold;
}

/// Follows the critical path, which goes from process to process, from its end.
Coordinator::Next Coordinator::path(PathPiece piece) {
  if (state_ != State::asking) return Next::as_before;
  collected_.add_to_path(piece.nodes);
  while (piece.process == 0) {
    piece = engine_->outcome().path_to(piece.place);
    collected_.add_to_path(piece.nodes);
  }
  if (piece.process > 0) {
    ByteWriter words = writer_of(Order::path_to);
    words.put(std::uint64_t{piece.place});
    bus_.send(piece.process, words.take());
    return Next::hold;
  }
  collected_.end_path();
  return stop();
}

Coordinator::Next Coordinator::stop() {
  tell_and_await(State::stopping, batch_of(Order::stop));
  return missing_ == 0 ? Next::done : Next::stop;
}

Coordinator::Next Coordinator::stopped() {
  return --missing_ == 0 ? Next::done : Next::as_before;
}

Coordinator::Next Coordinator::failed(int process, std::exception_ptr problem) {
  if (!problem_ || process < failed_process_) {
    problem_ = std::move(problem);
    failed_process_ = process;
  }
  return state_ == State::stopping ? Next::as_before : stop();
}

Result Coordinator::result() {
  if (problem_) std::rethrow_exception(problem_);
  return std::move(collected_.result());
}

} // namespace timeless::replay
