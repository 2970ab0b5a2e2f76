#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// Messages between forked processes, through sockets: what forked_processes has in place of an MPI library's.
namespace timeless::test {

/// What goes before a message's bytes.
struct Head {
  std::uint64_t context = 0;
  std::uint64_t number = 0; ///< of the sender's messages; an answer has the one it answers
  std::uint64_t bytes = 0;
  int tag = 0;
  enum class Kind : int { message, wants_answer, answer } kind = Kind::message;
};

/// A message that has come and was not received yet.
struct Message {
  Head head;
  int from = 0;
  std::string bytes;
};

/// What stands behind an MPI_Request.
struct Request {
  bool done = false;
  MPI_Status status = {};
  // Of a receive:
  std::uint64_t context = 0;
  int from = 0;
  int tag = 0;
  char* buffer = nullptr;
};

/// What stands behind an MPI_Comm.
struct Communicator {
  std::uint64_t context = 1;
  std::vector<int> members = {}; ///< by their rank, as numbers of processes
  int rank = 0;
  std::uint64_t made = 0;
};

/// The messages of one process. A send is done when its bytes wait for the socket, a synchronous one when it is
/// matched.
class Mail {
public:
  /// Connects process `own` by sockets, listed by the other process; -1 stands for itself.
  Mail(int own, std::vector<int> sockets);

  void send(const Communicator& communicator, int to, int tag, const void* from, std::size_t bytes,
            std::shared_ptr<Request> synchronous = nullptr);

  std::shared_ptr<Request> receive(const Communicator& communicator, int from, int tag, void* to);

  void wait(const Request& request);

  /// Sends or receives a text of any length, between processes here.
  void send_text(const Communicator& communicator, int to, const std::string& text);
  std::string receive_text(const Communicator& communicator, int from);

  /// Returns true when anything has moved.
  bool progress();

  void flush();

private:
  static constexpr int inner_tag = 1 << 20;

  struct Link {
    int socket = -1;
    std::string out;
    std::string in;
  };

  static bool fits(const Request& request, const Message& message);
  void post(int to, const Head& head, const void* from);
  void match(Request& request, const Message& message);
  void take(Message message);
  bool write_to(Link& link);
  bool read_from(int other);
  void pause() const;

  int own_;
  std::vector<Link> links_; ///< to each process
  std::uint64_t sent_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Request>> unanswered_;
  std::list<std::shared_ptr<Request>> asked_;
  std::list<Message> unmatched_;
};

} // namespace timeless::test
