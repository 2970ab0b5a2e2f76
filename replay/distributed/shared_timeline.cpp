#include "replay/distributed/shared_timeline.h"

#include "base/error.h"
#include "replay/engine/bus/words.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay {

namespace {

using timeline::Event;
using timeline::EventLabels;
using timeline::Timeline;

/// What process 0 asks for, each time.
enum class Question : int { more, stop };
/// The first word of an answer; events follow.
enum class Answer : std::uint64_t { more, last, failed };

constexpr std::size_t words_at_once = std::size_t{1} << 17U; // 1 MiB
constexpr std::size_t event_words = (sizeof(Event) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);

void write(WordWriter& words, const EventLabels& labels) {
  words.put(std::uint64_t{labels.calls.size()});
  for (const std::string& call : labels.calls)
    words.put(call);
  words.put(std::uint64_t{labels.ranks.size()});
  for (const trace::Rank rank : labels.ranks)
    words.put(static_cast<std::uint64_t>(rank));
  words.put(std::uint64_t{labels.left_out ? 1U : 0U});
  for (const auto* messages : {&labels.sent, &labels.taken}) {
    words.put(std::uint64_t{messages->size()});
    for (const std::uint64_t message : *messages)
      words.put(message);
  }
}

EventLabels read_labels(WordReader& words) {
  EventLabels labels;
  for (std::uint64_t left = words.number(); left > 0; --left)
    labels.calls.push_back(words.text());
  for (std::uint64_t left = words.number(); left > 0; --left)
    labels.ranks.push_back(static_cast<trace::Rank>(words.number()));
  labels.left_out = words.number() != 0;
  for (auto* messages : {&labels.sent, &labels.taken})
    for (std::uint64_t left = words.number(); left > 0; --left)
      messages->push_back(words.number());
  return labels;
}

void send(MPI_Comm processes, const Batch& batch) {
  MPI_Send(batch.data(), static_cast<int>(batch.size()), MPI_UINT64_T, 0, 0, processes);
}

Batch receive(MPI_Comm processes, int from) {
  MPI_Status status;
  MPI_Probe(from, 0, processes, &status);
  int words = 0;
  MPI_Get_count(&status, MPI_UINT64_T, &words);
  Batch batch(static_cast<std::size_t>(words));
  MPI_Recv(batch.data(), words, MPI_UINT64_T, from, 0, processes, MPI_STATUS_IGNORE);
  return batch;
}

/// On process 0: another one's events, asked for part by part.
class Arriving : public timeline::EventStream {
public:
  Arriving(MPI_Comm processes, int process) : processes_(processes), process_(process) {}
  /// Who has more to tell need not.
  ~Arriving() override {
    if (!ended_) ask(Question::stop);
  }

  bool next(Event& event, std::vector<std::uint64_t>& received) override {
    while (place_ == batch_.size()) {
      if (ended_) return false;
      ask(Question::more);
      batch_ = receive(processes_, process_);
      place_ = 1;
      const auto answer = static_cast<Answer>(batch_.front());
      ended_ = answer != Answer::more;
      if (answer == Answer::failed)
        throw Error(Failure::runtime, "a process cannot tell what it observed of its ranks",
                    "process " + std::to_string(process_));
    }
    std::memcpy(static_cast<void*>(&event), batch_.data() + place_, sizeof event);
    place_ += event_words;
    const auto* first = batch_.data() + place_;
    received.assign(first, first + event.received);
    place_ += event.received;
    return true;
  }

private:
  void ask(Question question) const {
    const int word = static_cast<int>(question);
    MPI_Send(&word, 1, MPI_INT, process_, 0, processes_);
  }

  MPI_Comm processes_;
  int process_;
  bool ended_ = false;
  Batch batch_;
  std::size_t place_ = 0;
};

/// On the others: tells the events as process 0 asks for them.
class Leaving {
public:
  explicit Leaving(MPI_Comm processes) : processes_(processes) { begin(); }

  struct Stopped {};

  void add(const Event& event, std::span<const std::uint64_t> received) {
    const std::size_t place = batch_.size();
    batch_.resize(place + event_words);
    std::memcpy(batch_.data() + place, &event, sizeof event);
    batch_.insert(batch_.end(), received.begin(), received.end());
    if (batch_.size() >= words_at_once) tell(Answer::more);
  }

  /// Throws Stopped when process 0 wants no more.
  void tell(Answer answer) {
    int question = 0;
    MPI_Recv(&question, 1, MPI_INT, 0, 0, processes_, MPI_STATUS_IGNORE);
    if (static_cast<Question>(question) == Question::stop) throw Stopped();
    batch_.front() = static_cast<std::uint64_t>(answer);
    send(processes_, batch_);
    begin();
  }

  void fail() {
    begin();
    tell(Answer::failed);
  }

private:
  void begin() { batch_.assign(1, 0); }

  MPI_Comm processes_;
  Batch batch_;
};

void tell_events(MPI_Comm processes, Timeline& timeline) {
  Leaving leaving(processes);
  try {
    try {
      timeline.for_each(
          [&](const Event& event, std::span<const std::uint64_t> received) { leaving.add(event, received); });
      leaving.tell(Answer::last);
    } catch (const Error&) {
      leaving.fail();
      throw;
    }
  } catch (const Leaving::Stopped&) {
  }
}

} // namespace

std::uint64_t finish_timeline(MPI_Comm processes, Timeline& timeline, const Result& result) {
  int process = 0;
  int count = 0;
  MPI_Comm_rank(processes, &process);
  MPI_Comm_size(processes, &count);
  if (process > 0) {
    Batch batch;
    WordWriter words(batch);
    write(words, timeline.labels());
    send(processes, batch);
    tell_events(processes, timeline);
    return 0;
  }
  std::vector<Timeline::Other> others;
  for (int other = 1; other < count; ++other) {
    const Batch batch = receive(processes, other);
    WordReader words(batch);
    others.push_back({read_labels(words), std::make_unique<Arriving>(processes, other)});
  }
  return timeline.finish(result, std::move(others));
}

} // namespace timeless::replay
