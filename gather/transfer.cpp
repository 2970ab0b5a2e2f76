#include "gather/transfer.h"

#include "gather/packing.h"
#include "trace/archive/input_file.h"
#include "trace/archive/layout.h"
#include "trace/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace timeless::gather {

namespace {

enum Tag : int { tag_chunk = 1, tag_credit = 2 };
enum Kind : char { kind_data = 'd', kind_end = 'e', kind_nothing = 'n', kind_failed = 'f' };

constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;
/// Chunks on their way that the receiver has not yet stored.
constexpr int window = 4;

/// Over the chunks in their order: both sides cut alike.
std::uint64_t add_to_checksum(std::uint64_t sum, std::string_view chunk) {
  Packer pair;
  pair.put(sum);
  pair.put(trace::checksum(chunk));
  return trace::checksum(pair.bytes());
}

/// The sender's side: every data chunk is answered by one credit, "go on" or "stop".
class Outgoing {
public:
  Outgoing(MPI_Comm communicator, int receiver) : communicator_(communicator), receiver_(receiver) {}

  /// False when the receiver asks to stop.
  bool send_data(std::string chunk) {
    while (uncredited_ >= window)
      take_credit();
    if (stopped_) return false;
    sum_ = add_to_checksum(sum_, chunk);
    bytes_ += chunk.size();
    chunk.insert(chunk.begin(), kind_data);
    const std::size_t slot = next_++ % buffers_.size();
    MPI_Wait(&requests_[slot], MPI_STATUS_IGNORE);
    buffers_[slot] = std::move(chunk);
    MPI_Isend(buffers_[slot].data(), static_cast<int>(buffers_[slot].size()), MPI_CHAR, receiver_, tag_chunk,
              communicator_, &requests_[slot]);
    ++uncredited_;
    return true;
  }

  /// The last message.
  void finish(Kind kind) {
    Packer end;
    end.put(bytes_);
    end.put(sum_);
    const std::string message = std::string(1, kind) + end.bytes();
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_CHAR, receiver_, tag_chunk, communicator_);
    while (uncredited_ > 0)
      take_credit();
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

private:
  void take_credit() {
    char go_on = 0;
    MPI_Recv(&go_on, 1, MPI_CHAR, receiver_, tag_credit, communicator_, MPI_STATUS_IGNORE);
    --uncredited_;
    if (go_on == 0) stopped_ = true;
  }

  MPI_Comm communicator_;
  int receiver_;
  std::array<std::string, 2> buffers_;
  std::array<MPI_Request, 2> requests_ = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::size_t next_ = 0;
  int uncredited_ = 0;
  bool stopped_ = false;
  std::uint64_t bytes_ = 0;
  std::uint64_t sum_ = 0;
};

/// One sender's file as it grows.
class Incoming {
public:
  Incoming(int sender, const std::filesystem::path& directory) : sender_(sender), file_(directory, "received") {}
  Incoming(Incoming&&) = delete;
  ~Incoming() { close(); }

  void store(std::string_view chunk) {
    sum_ = add_to_checksum(sum_, chunk);
    bytes_ += chunk.size();
    open();
    while (!chunk.empty()) {
      const ssize_t written = ::write(descriptor_, chunk.data(), chunk.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(errno);
      chunk.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void end(std::string_view message) {
    open();
    Unpacker end(message);
    if (end.number() != bytes_ || end.number() != sum_)
      throw Error(Failure::runtime, "what process " + std::to_string(sender_) + " sent arrived damaged",
                  file_.path().string(), "gather again; the sources are untouched");
    if (close() != 0) fail(errno);
  }

  Received release() && { return {.sender = sender_, .file = std::move(file_), .bytes = bytes_}; }

private:
  void open() {
    if (descriptor_ >= 0) return;
    descriptor_ = ::open(file_.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
  }

  int close() {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    return descriptor < 0 ? 0 : ::close(descriptor);
  }

  [[noreturn]] void fail(int code) const {
    throw Error(Failure::runtime, std::string("cannot store what other nodes send: ") + std::strerror(code),
                file_.path().string(), "free some space there, or set TMPDIR to a larger place");
  }

  int sender_;
  TemporaryFile file_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  std::uint64_t sum_ = 0;
};

struct Message {
  int sender = 0;
  std::string bytes;

  char kind() const { return bytes.front(); }
  std::string_view content() const { return std::string_view(bytes).substr(1); }
};

Message next_message(MPI_Comm communicator) {
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, tag_chunk, communicator, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_CHAR, &count);
  Message message{.sender = status.MPI_SOURCE, .bytes = std::string(static_cast<std::size_t>(count), '\0')};
  MPI_Recv(message.bytes.data(), count, MPI_CHAR, message.sender, tag_chunk, communicator, MPI_STATUS_IGNORE);
  return message;
}

void answer(MPI_Comm communicator, int sender, bool go_on) {
  const char credit = go_on ? 1 : 0;
  MPI_Send(&credit, 1, MPI_CHAR, sender, tag_credit, communicator);
}

} // namespace

void send_file(MPI_Comm communicator, int receiver,
               const std::function<std::optional<std::filesystem::path>()>& prepare) {
  Outgoing out(communicator, receiver);
  try {
    const auto path = prepare();
    if (!path) {
      out.finish(kind_nothing);
      return;
    }
    const trace::InputFile file(*path);
    for (std::uint64_t offset = 0; offset < file.size(); offset += chunk_bytes)
      if (!out.send_data(file.read(offset, chunk_bytes))) break;
  } catch (...) {
    out.finish(kind_failed);
    throw;
  }
  out.finish(kind_end);
}

std::vector<Received> receive_files(MPI_Comm communicator, const std::vector<int>& senders,
                                    const std::filesystem::path& directory,
                                    const std::function<void(std::uint64_t)>& progress) {
  std::map<int, std::unique_ptr<Incoming>> incoming;
  for (const int sender : senders)
    incoming[sender] = std::make_unique<Incoming>(sender, directory);
  std::vector<Received> received;
  std::optional<Error> failure;
  bool go_on = true;
  const auto take = [&](const Message& message) {
    Incoming& file = *incoming.at(message.sender);
    if (message.kind() == kind_data) {
      file.store(message.content());
      progress(message.content().size());
    } else if (message.kind() == kind_end) {
      file.end(message.content());
      received.push_back(std::move(file).release());
    }
  };
  while (!incoming.empty()) {
    const Message message = next_message(communicator);
    if (message.kind() == kind_failed) go_on = false;
    try {
      if (go_on) take(message);
    } catch (const Error& error) {
      failure = error;
      go_on = false;
    }
    if (message.kind() == kind_data)
      answer(communicator, message.sender, go_on);
    else
      incoming.erase(message.sender);
  }
  if (failure) throw Error(*failure);
  return received;
}

} // namespace timeless::gather
