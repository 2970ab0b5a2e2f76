#pragma once

#include "trace/model/action.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::trace::formats {

/// The requests of a rank that are under way, each with what a writer has to say when it completes.
template <typename Message>
class OpenRequests {
public:
  /// Begins a request; one without messages is none.
  void begin(RequestId request, std::vector<Message> messages) {
    if (!messages.empty()) messages_[request] = std::move(messages);
  }

  /// Calls `visit` for the messages of the requests that an action completes, in its order, and forgets them.
  template <typename Visit>
  void complete(const Action& action, const Visit& visit) {
    for (const RequestId request : action.requests) {
      const auto found = messages_.find(request);
      if (found == messages_.end()) continue;
      for (const Message& message : found->second)
        visit(message);
      messages_.erase(found);
    }
  }

  /// Forgets a request; how many messages it had.
  std::size_t forget(RequestId request) {
    const auto found = messages_.find(request);
    if (found == messages_.end()) return 0;
    const std::size_t messages = found->second.size();
    messages_.erase(found);
    return messages;
  }

  bool empty() const { return messages_.empty(); }

private:
  std::unordered_map<RequestId, std::vector<Message>> messages_;
};

} // namespace timeless::trace::formats
