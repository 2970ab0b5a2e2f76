#include "gather/tree/stream.h"

#include "base/error.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace timeless::gather {

namespace {

/// Messages that a sender has under way, and that its receiver has asked for.
constexpr int window = 2;
/// A sender ends with as many empty messages as are asked for, so that nothing stays asked for, each with its own tag.
enum Tag : int { tag_chunk = 1, tag_end = 2 };
/// Chunks of a process's own that are read, wait or are sent.
constexpr std::size_t own_window = 2;
/// Every process says one word to its parent and one to each of its children: at the end, or before it to say that
/// something failed and all should stop.
constexpr char word_done = 0;
constexpr char word_stop = 1;
constexpr int tag_word = 0;

struct Child {
  int process = 0;
  int receiving = 0;       ///< receives under way
  std::uint64_t asked = 0; ///< receives ever
  int ends = 0;            ///< that have come
  /// How many messages it sends in all, once an end has told. Messages match receives in order.
  std::optional<std::uint64_t> messages = {};
  bool told = false;
  char heard = word_done;

  bool done() const { return ends == window && receiving == 0; }
  bool more() const { return receiving < window && (!messages || asked < *messages); }
};

/// Something under way in the MPI library.
struct Operation {
  enum class What { receive, send, tell, hear_child, hear_parent } what = What::receive;
  Chunk* chunk = nullptr;
  std::size_t child = 0;
  std::uint64_t ordinal = 0; ///< of a receive, among those from its child, from 1
};

/// One process's part in a stream: takes chunks from its children and from its own disk, and hands each to its parent
/// or, at the root, to the sink.
///
/// One thread runs it and makes all calls of MPI. The disks' queues run source and sink in threads of their own, each
/// of which has the one chunk that was submitted to it. A chunk is in one place at a time: free, being received, being
/// read (`reading_`), in `out_`, or being sent; so memory is bounded by stream_chunks(). One free chunk is kept from
/// the children while the process has data of its own and none of its chunks is in use, so children cannot keep it from
/// its own data.
///
/// Failures travel as a word: a process that fails tells its parent and its children to stop. What is under way still
/// completes, its content dropped, so every receive gets its message and nothing is left in MPI at the end.
class Stream {
public:
  Stream(const StreamPart& part, Machine& machine)
      : part_(part), machine_(machine),
        checksum_([&machine](std::string_view bytes) { return machine.checksum(bytes); }) {
    for (const int child : part.children)
      children_.push_back({.process = child});
    for (std::size_t i = 0; i < stream_chunks(part); ++i) {
      chunks_.push_back(std::make_unique<Chunk>(part.chunk_bytes));
      free_.push_back(chunks_.back().get());
    }
    if (part.source != nullptr) reader_ = machine.disk_queue();
    if (part.sink != nullptr) writer_ = machine.disk_queue();
    source_done_ = part.source == nullptr;
  }

  void run() {
    listen();
    while (true) {
      ask_children();
      read_own();
      send_up();
      if (over()) break;
      wait();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

private:
  void start(Operation operation, MPI_Request request) {
    operations_.push_back(operation);
    requests_.push_back(request);
  }

  void listen() {
    if (part_.parent) hear(*part_.parent, heard_, {.what = Operation::What::hear_parent});
    for (std::size_t number = 0; number < children_.size(); ++number)
      hear(children_[number].process, children_[number].heard, {.what = Operation::What::hear_child, .child = number});
  }

  void hear(int process, char& word, const Operation& operation) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&word, 1, MPI_CHAR, process, tag_word, part_.words, &request);
    start(operation, request);
  }

  void tell(int process, const char& word, bool& told) {
    if (std::exchange(told, true)) return;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&word, 1, MPI_CHAR, process, tag_word, part_.words, &request);
    start({.what = Operation::What::tell}, request);
  }

  Chunk* take_free() {
    Chunk* chunk = free_.back();
    free_.pop_back();
    return chunk;
  }

  /// A chunk is kept from the children for the process's own data.
  bool free_for_children() const {
    const std::size_t kept = source_done_ || own_chunks_ > 0 ? 0 : 1;
    return free_.size() > kept;
  }

  void ask_children() {
    int senders = 0;
    for (std::size_t number = 0; number < children_.size() && senders < part_.most_senders; ++number) {
      Child& child = children_[number];
      if (child.done()) continue;
      ++senders;
      while (child.more() && free_for_children())
        receive(child, number);
    }
  }

  void receive(Child& child, std::size_t number) {
    Chunk* chunk = take_free();
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(chunk->buffer(), static_cast<int>(chunk->capacity()), MPI_BYTE, child.process, MPI_ANY_TAG,
              part_.communicator, &request);
    ++child.receiving;
    ++child.asked;
    start({.what = Operation::What::receive, .chunk = chunk, .child = number, .ordinal = child.asked}, request);
  }

  void read_own() {
    if (source_done_ || reading_ != nullptr || own_chunks_ == own_window || free_.empty()) return;
    reading_ = take_free();
    reading_->clear();
    ++own_chunks_;
    reader_->submit([this, chunk = reading_] { source_has_more_ = part_.source->fill(*chunk); });
  }

  void own_read(const std::exception_ptr& problem) {
    Chunk* chunk = std::exchange(reading_, nullptr);
    if (problem || !source_has_more_ || stopping_) source_done_ = true;
    if (problem) fail(problem);
    if (problem || stopping_ || chunk->empty()) return release_own(chunk);
    chunk->seal(checksum_);
    own_.push_back(chunk);
    hand_on(chunk);
  }

  void release_own(Chunk* chunk) {
    --own_chunks_;
    free_.push_back(chunk);
  }

  void release(Chunk* chunk) {
    if (std::erase(own_, chunk) > 0) return release_own(chunk);
    free_.push_back(chunk);
  }

  /// Hands a chunk on: to the disk at the root, to the parent elsewhere.
  void hand_on(Chunk* chunk) {
    out_.push_back(chunk);
    if (part_.sink != nullptr) writer_->submit([this, chunk] { part_.sink->take(*chunk); });
  }

  void written(const std::exception_ptr& problem) {
    Chunk* chunk = out_.front();
    out_.pop_front();
    if (problem) fail(problem);
    if (!stopping_ && part_.progress) part_.progress(chunk->message().size());
    release(chunk);
  }

  void send(int tag, Chunk* chunk) {
    MPI_Request request = MPI_REQUEST_NULL;
    const std::string_view message = chunk == nullptr ? std::string_view() : chunk->message();
    MPI_Issend(message.data(), static_cast<int>(message.size()), MPI_BYTE, *part_.parent, tag, part_.communicator,
               &request);
    ++sending_;
    start({.what = Operation::What::send, .chunk = chunk}, request);
  }

  void send_up() {
    if (!part_.parent) return;
    for (; !out_.empty() && sending_ < window; out_.pop_front())
      send(tag_chunk, out_.front());
    if (ended_ || !drained() || sending_ > 0) return;
    ended_ = true;
    tell(*part_.parent, word_done, told_parent_);
    for (int i = 0; i < window; ++i)
      send(tag_end + i, nullptr);
  }

  /// Returns true when nothing is left to come or to be handed on.
  bool drained() const {
    return source_done_ && reading_ == nullptr && out_.empty() && std::ranges::all_of(children_, &Child::done);
  }

  bool over() const { return drained() && operations_.empty() && (!part_.parent || ended_); }

  void received(const Operation& operation, const MPI_Status& status) {
    Child& child = children_[operation.child];
    --child.receiving;
    if (status.MPI_TAG == tag_chunk) {
      take(child, operation.chunk, status);
    } else {
      release(operation.chunk);
      ++child.ends;
      child.messages = operation.ordinal + static_cast<std::uint64_t>(tag_end + window - 1 - status.MPI_TAG);
    }
    if (child.done()) tell(child.process, word_done, child.told);
  }

  void take(const Child& child, Chunk* chunk, const MPI_Status& status) {
    if (stopping_) return release(chunk);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    try {
      chunk->open(static_cast<std::size_t>(bytes), checksum_);
    } catch (const Error& error) {
      release(chunk);
      return fail(std::make_exception_ptr(Error(error.failure(), error.description(),
                                                "from process " + std::to_string(child.process), error.advice())));
    }
    hand_on(chunk);
  }

  void fail(const std::exception_ptr& problem) {
    if (!failure_) failure_ = problem;
    report();
  }

  /// Tells those above that something failed here, or below.
  void report() {
    if (stopping_) return;
    if (part_.parent) tell(*part_.parent, word_stop, told_parent_);
    stop();
  }

  void stop() {
    stopping_ = true;
    if (reading_ == nullptr) source_done_ = true;
    for (Child& child : children_)
      tell(child.process, word_stop, child.told);
    if (part_.sink != nullptr) return;
    for (Chunk* chunk : std::exchange(out_, {}))
      release(chunk);
  }

  void complete(Operation operation, const MPI_Status& status) {
    switch (operation.what) {
    case Operation::What::receive:
      return received(operation, status);
    case Operation::What::send:
      --sending_;
      if (operation.chunk != nullptr) release(operation.chunk);
      return;
    case Operation::What::tell:
      return;
    case Operation::What::hear_child:
      if (children_[operation.child].heard == word_stop) report();
      return;
    case Operation::What::hear_parent:
      if (heard_ == word_stop && !stopping_) stop();
      return;
    }
  }

  void wait() {
    std::vector<const DiskQueue*> queues;
    for (const auto* queue : {&reader_, &writer_})
      if (*queue) queues.push_back(queue->get());
    auto completed = machine_.wait(requests_, queues);
    // From the last on, so that taking one out leaves the places of those before.
    std::ranges::sort(completed, std::ranges::greater(), [](const auto& each) { return each.first; });
    for (const auto& [number, status] : completed) {
      const Operation operation = operations_[static_cast<std::size_t>(number)];
      operations_.erase(operations_.begin() + number);
      requests_.erase(requests_.begin() + number);
      complete(operation, status);
    }
    if (reader_)
      while (const auto outcome = reader_->take_finished())
        own_read(*outcome);
    if (writer_)
      while (const auto outcome = writer_->take_finished())
        written(*outcome);
  }

  const StreamPart& part_;
  Machine& machine_;
  Chunk::Checksum checksum_;
  std::vector<Child> children_;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Chunk*> free_;
  std::deque<Chunk*> out_;  ///< to be sent, or being written
  std::vector<Chunk*> own_; ///< of those the ones that were read here
  Chunk* reading_ = nullptr;
  std::size_t own_chunks_ = 0; ///< being read, to be sent or being sent
  bool source_has_more_ = true;
  bool source_done_ = false;

  std::vector<Operation> operations_;
  std::vector<MPI_Request> requests_; ///< of the operations
  int sending_ = 0;
  char heard_ = word_done;

  bool ended_ = false;
  bool told_parent_ = false;
  bool stopping_ = false;
  std::exception_ptr failure_;

  // Last, so that what they still do has all it needs.
  std::unique_ptr<DiskQueue> reader_;
  std::unique_ptr<DiskQueue> writer_;
};

} // namespace

std::size_t stream_chunks(const StreamPart& part) {
  constexpr std::size_t on_their_way_out = 2;
  const std::size_t own = part.source == nullptr ? 0 : own_window;
  const std::size_t senders = std::min(part.children.size(), static_cast<std::size_t>(part.most_senders));
  return on_their_way_out + own + std::size_t{window} * senders;
}

void stream(const StreamPart& part, Machine& machine) {
  Stream(part, machine).run();
}

} // namespace timeless::gather
