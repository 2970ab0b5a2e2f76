#include "replay/distributed/shared_timeline.h"

#include "base/bytes.h"
#include "base/error.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::replay {

namespace {

using timeline::Event;
using timeline::EventLabels;
using timeline::Timeline;

/// What process 0 asks for, each time.
enum class Question : int { more, stop };
/// What an answer begins with; events follow.
enum class Answer : std::uint64_t { more, last, failed };

constexpr std::size_t bytes_at_once = std::size_t{1} << 20U;
/// MPI counts in int.
constexpr std::size_t most_bytes_of_message = std::size_t{1} << 28U;

void write(ByteWriter& words, const EventLabels& labels) {
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

EventLabels read_labels(ByteReader& words) {
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

void send(MPI_Comm processes, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  MPI_Send(&size, 1, MPI_UINT64_T, 0, 0, processes);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most_bytes_of_message)))
    MPI_Send(bytes.data(), static_cast<int>(std::min(bytes.size(), most_bytes_of_message)), MPI_BYTE, 0, 0, processes);
}

std::string receive(MPI_Comm processes, int from) {
  std::uint64_t size = 0;
  MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, processes, MPI_STATUS_IGNORE);
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < bytes.size(); done += most_bytes_of_message)
    MPI_Recv(bytes.data() + done, static_cast<int>(std::min(bytes.size() - done, most_bytes_of_message)), MPI_BYTE,
             from, 0, processes, MPI_STATUS_IGNORE);
  return bytes;
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
    while (words_.empty()) {
      if (ended_) return false;
      ask(Question::more);
      bytes_ = receive(processes_, process_);
      words_ = ByteReader(bytes_, ByteReader::From::process);
      const auto answer = static_cast<Answer>(words_.number());
      ended_ = answer != Answer::more;
      if (answer == Answer::failed)
        throw Error(Failure::runtime, "a process cannot tell what it observed of its ranks",
                    "process " + std::to_string(process_));
    }
    // As a whole: what sends it is this program, on a like machine.
    std::memcpy(static_cast<void*>(&event), words_.take(sizeof event).data(), sizeof event);
    received.clear();
    for (std::size_t left = event.received; left > 0; --left)
      received.push_back(words_.number());
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
  std::string bytes_;
  ByteReader words_{bytes_};
};

/// On the others: tells the events as process 0 asks for them.
class Leaving {
public:
  explicit Leaving(MPI_Comm processes) : processes_(processes) { begin(); }

  struct Stopped {};

  void add(const Event& event, std::span<const std::uint64_t> received) {
    events_.append(reinterpret_cast<const char*>(&event), sizeof event);
    for (const std::uint64_t message : received)
      put_fixed(events_, message);
    if (events_.size() >= bytes_at_once) tell(Answer::more);
  }

  /// Throws Stopped when process 0 wants no more.
  void tell(Answer answer) {
    int question = 0;
    MPI_Recv(&question, 1, MPI_INT, 0, 0, processes_, MPI_STATUS_IGNORE);
    if (static_cast<Question>(question) == Question::stop) throw Stopped();
    store_fixed(events_.data(), static_cast<std::uint64_t>(answer));
    send(processes_, events_);
    begin();
  }

  void fail() {
    begin();
    tell(Answer::failed);
  }

private:
  /// Makes room for what the answer is.
  void begin() { events_.assign(sizeof(std::uint64_t), '\0'); }

  MPI_Comm processes_;
  std::string events_;
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
    ByteWriter words;
    write(words, timeline.labels());
    send(processes, words.bytes());
    tell_events(processes, timeline);
    return 0;
  }
  std::vector<Timeline::Other> others;
  for (int other = 1; other < count; ++other) {
    const std::string bytes = receive(processes, other);
    ByteReader words(bytes, ByteReader::From::process);
    others.push_back({read_labels(words), std::make_unique<Arriving>(processes, other)});
  }
  return timeline.finish(result, std::move(others));
}

} // namespace timeless::replay
