#pragma once

#include "trace/formats/common/export_job.h"
#include "trace/model/request_outcomes.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace timeless::trace::formats {

/// One rank of a run that is written in a format with fewer words. What all such formats need is here: messages as they
/// went in the end, in ranks of MPI_COMM_WORLD, computation with what it waited for its workers, and a report of what
/// had to be said otherwise. A writer says the rest in its own words.
class ExportedRank {
public:
  ExportedRank(ExportJob& job, Rank rank);
  virtual ~ExportedRank() = default;
  ExportedRank(const ExportedRank&) = delete;
  ExportedRank& operator=(const ExportedRank&) = delete;

  /// Reads the rank's actions and says them.
  void say_all();

protected:
  const Run& run() const { return job_.source.run(); }
  Rank rank() const { return rank_; }
  ExportReport& report() { return job_.report; }

  /// Returns the rank and the number of the action, for errors.
  std::string here() const;
  void lowered(const Action& action, std::string_view how);
  void lost(const Action& action);

  /// Throws Error(invalid_input) where the run has no such communicator.
  const Communicator& known_communicator(CommunicatorId id) const;

  /// Returns a peer in MPI_COMM_WORLD, of the remote group where there are two. Throws Error(invalid_input) where the
  /// communicator has none such, Error(missing_capability) where it is of another MPI_COMM_WORLD.
  Rank world(const Action& action, Rank peer) const;

  /// Returns how long a volume takes at the job's rate. What rounding takes from one the next one gets.
  std::uint64_t nanoseconds(std::uint64_t volume);

  /// Visits the messages that a collective becomes; false, and counted as lost, where nobody knows them.
  bool lower(const Action& action, const std::function<void(const LoweredStep&)>& visit);

private:
  virtual void say_computation(std::uint64_t volume) = 0;
  /// Writes a send to somebody that is not cancelled.
  virtual void say_send(const Action& action) = 0;
  /// Writes a receive that is not cancelled, from a rank and with a tag that are known.
  virtual void say_receive(const Action& action) = 0;
  virtual void say_exchange(const Action& action) = 0;
  virtual void say_completion(const Action& action) = 0;
  virtual void say_freed(RequestId request) = 0;
  virtual void say_collective(const Action& action) = 0;
  virtual void say_creation(const Action& action, CommunicatorId creating_communicator) = 0;
  virtual void say_window(const Action& action) = 0;
  virtual void say_end() {}

  void say(const Action& action, std::uint64_t volume);
  void carry_out(const Action& action, std::uint64_t volume);
  void compute(const Action& action, std::uint64_t volume);
  void message(const Action& action);
  void receive(Action action);
  void creation(const Action& action);

  ExportJob& job_;
  Rank rank_;
  RequestOutcomes request_outcomes_;
  std::uint64_t number_ = 0; ///< of the action
  std::uint64_t last_computation_ = 0;
  double carried_ = 0; ///< nanoseconds
};

} // namespace timeless::trace::formats
