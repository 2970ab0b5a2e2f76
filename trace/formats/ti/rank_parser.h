#pragma once

#include "base/free_numbers.h"
#include "trace/formats/ti/text.h"
#include "trace/formats/ti/values.h"
#include "trace/model/action_block.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless::trace::formats::ti {

/// Turns one rank's lines into actions.
///
/// Keeps the requests that are open: the format does not number them, and a wait names its message, or means the
/// newest. The text must outlive it. One for each rank; not thread-safe.
class RankParser {
public:
  RankParser(const Text& text, Rank rank) : text_(text), rank_(rank), size_(text.run.size) {}

  /// Appends what a line says to `block`.
  void parse(const TextLines& lines, std::span<const std::string_view> parts, ActionBlock& block);
  /// Ends the rank behind its last line.
  void end(ActionBlock& block);

  bool finalized = false;
  std::uint64_t never_waited_for = 0;
  std::map<std::string, std::uint64_t> unknown; ///< lines of actions that cannot be read, by name
  /// Told of each send: destination, tag, bytes.
  std::function<void(Rank, Tag, Bytes)> sent = {};
  /// Where set, counts by destination the messages sent, less those that receives with a named source take.
  std::vector<std::int64_t>* left_over = nullptr;
  std::string unnamed_source; ///< where the first receive without a source stands

private:
  struct Open {
    RequestId id;
    Rank source;
    Rank destination;
    Tag tag;
  };

  struct Message {
    Rank peer;
    Tag tag = 0;
    std::optional<Bytes> bytes;
  };

  void carry_out(Word action, const Values& values);
  void compute(std::uint64_t volume);
  Message message(const Values& values) const;
  void count(Rank destination, int messages);
  void note_source(Rank source, const Values& values);
  void send(const Values& values, bool nonblocking);
  void receive(const Values& values, bool nonblocking);
  /// Returns a receive's own size, or that of the send it gets.
  Bytes size_of(const Message& read);
  RequestId open(Rank source, Rank destination, Tag tag);
  void wait(const Values& values);
  void wait_all(ActionKind kind);
  void complete(ActionKind kind, std::span<const RequestId> ids);
  void finalize();
  void exchange(const Values& values);
  Rank root(const Values& values, std::size_t index) const { return values.has(index) ? values.peer(index, size_) : 0; }
  void counts(const Values& values, std::size_t first, std::uint64_t element, std::vector<Bytes>& list) const;
  /// Returns whether a reduction counts as one of an operation that does not commute.
  static std::uint16_t order_of(ActionKind kind);
  void reduction(ActionKind kind, const Values& values, Rank root, std::size_t type);
  void collective(Word action, const Values& values);
  void gather_or_scatter(Word action, const Values& values);
  void gather_or_scatter_parts(Word action, const Values& values);
  void all_to_all_parts(const Values& values);
  void reduce_scatter(const Values& values);
  /// Reads the parts of an allgather, whose types stand behind the counts unless displacements stand there alone.
  void all_gather_parts(const Values& values);

  const Text& text_;
  Rank rank_;
  Rank size_;
  ActionBlock* block_ = nullptr;
  std::uint64_t default_ = 1; ///< bytes of the datatype where none is named
  std::vector<Open> open_;    ///< in the order they were begun
  FreeNumbers request_ids_;
  std::map<Channel, std::pair<std::size_t, std::uint64_t>> received_; ///< how far the sizes are used up
  std::vector<RequestId> ids_;
  std::vector<Bytes> out_;
  std::vector<Bytes> in_;
};

} // namespace timeless::trace::formats::ti
