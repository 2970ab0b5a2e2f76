#include "trace/model/request_outcomes.h"

#include "base/error.h"

#include <algorithm>

namespace timeless::trace {

namespace {

constexpr const char* advice = "the trace contradicts itself: 'timeless check' lists what is wrong with it";

} // namespace

RequestOutcomes::RequestOutcomes(std::vector<RequestOutcome> request_outcomes)
    : by_action_(std::move(request_outcomes)) {
  std::ranges::sort(by_action_, {}, &RequestOutcome::action);
}

const RequestOutcome* RequestOutcomes::of(std::uint64_t action) const {
  const auto found = std::ranges::lower_bound(by_action_, action, {}, &RequestOutcome::action);
  return found != by_action_.end() && found->action == action ? &*found : nullptr;
}

RequestOutcomeReader::Role RequestOutcomeReader::role_of(const Action& action) {
  switch (traits(action.kind).requests) {
  case RequestUse::begins:
    return action.request == no_request ? Role::none : Role::begins;
  case RequestUse::completes:
    return Role::completes;
  case RequestUse::cancels:
    return Role::cancels;
  case RequestUse::frees:
    return Role::frees;
  case RequestUse::resolves:
    return Role::resolves;
  }
  return Role::none;
}

void RequestOutcomeReader::learn_roles(const ActionBlock& block) {
  if (block.dictionary_mark() != 0 && block.dictionary_mark() == mark_) return;
  mark_ = block.dictionary_mark();
  roles_.clear();
  for (const Action& action : block.dictionary())
    roles_.push_back(role_of(action));
  any_role_ = std::ranges::any_of(roles_, [](Role role) { return role != Role::none; });
}

void RequestOutcomeReader::read(const ActionBlock& block) {
  learn_roles(block);
  if (!any_role_) {
    number_ += block.size();
    return;
  }
  const auto dictionary = block.dictionary();
  for (const std::uint32_t entry : block.sequence()) {
    // Who replays a sequence that goes beyond its dictionary says so.
    if (entry < roles_.size() && roles_[entry] != Role::none) look(roles_[entry], dictionary[entry]);
    ++number_;
  }
}

void RequestOutcomeReader::look(Role role, const Action& action) {
  switch (role) {
  case Role::none:
    return;
  case Role::begins:
    return begin(action);
  case Role::completes:
    for (const RequestId request : action.requests)
      end(request);
    return;
  case Role::frees:
    return end(action.request);
  case Role::cancels:
    return cancel(action.request);
  case Role::resolves:
    return resolve(action);
  }
}

void RequestOutcomeReader::begin(const Action& action) {
  // Numbers are meant to be small; ones that are not must not cost memory.
  constexpr std::size_t most_dense = std::size_t{1} << 16U;
  const bool dense = action.request < most_dense;
  if (dense && action.request >= dense_.size()) dense_.resize(std::size_t{action.request} + 1);
  Begun& begun = dense ? dense_[action.request] : sparse_[action.request];
  begun = {.action = number_,
           .communicator = action.communicator,
           .kind = action.kind,
           .under_way = true,
           .unknown = lacks_source(action)};
}

void RequestOutcomeReader::end(RequestId request) {
  if (request < dense_.size())
    dense_[request].under_way = false;
  else
    sparse_.erase(request);
}

RequestOutcomeReader::Begun* RequestOutcomeReader::find_under_way(RequestId request) {
  if (request < dense_.size()) return dense_[request].under_way ? &dense_[request] : nullptr;
  const auto found = sparse_.find(request);
  return found == sparse_.end() ? nullptr : &found->second;
}

void RequestOutcomeReader::cancel(RequestId request) {
  Begun* const begun = find_under_way(request);
  if (begun == nullptr) fail(request, "is cancelled, but not active");
  const ActionFamily of = family(begun->kind);
  if (of == ActionFamily::collective || of == ActionFamily::communicator)
    fail(request, "is cancelled, but a collective's");
  if (of != ActionFamily::point_to_point && of != ActionFamily::generalized)
    fail(request, "is cancelled, but no message's");
  outcome_of(*begun).cancelled = true;
  begun->unknown = false;
}

void RequestOutcomeReader::resolve(const Action& action) {
  Begun* const begun = find_under_way(action.request);
  if (begun == nullptr || !begun->unknown) fail(action.request, "gets a source, but is no receive that lacks one");
  if (action.communicator != begun->communicator)
    fail(action.request, "gets a source in communicator " + std::to_string(action.communicator) +
                             ", but is a receive in " + std::to_string(begun->communicator));
  if (action.peer < 0) fail(action.request, "gets source " + std::to_string(action.peer) + ", which is no rank");
  if (action.tag == any_tag) fail(action.request, "gets a source, but no tag");
  RequestOutcome& request_outcome = outcome_of(*begun);
  request_outcome.resolved = true;
  request_outcome.communicator = action.communicator;
  request_outcome.peer = action.peer;
  request_outcome.tag = action.tag;
  request_outcome.bytes = action.bytes;
  begun->unknown = false;
}

RequestOutcome& RequestOutcomeReader::outcome_of(Begun& begun) {
  if (begun.found == none) {
    begun.found = found_.size();
    found_.push_back({.action = begun.action});
  }
  return found_[begun.found];
}

void RequestOutcomeReader::fail(RequestId request, const std::string& what) const {
  throw Error(Failure::invalid_input, "request " + std::to_string(request) + " " + what,
              "rank " + std::to_string(rank_) + ", action " + std::to_string(number_), advice);
}

RequestOutcomes outcomes_of(const Source& source, Rank rank) {
  RequestOutcomeReader reader(rank);
  const auto stream = source.open(rank);
  for (ActionBlock block; stream->next(block);)
    reader.read(block);
  return reader.finish();
}

} // namespace timeless::trace
