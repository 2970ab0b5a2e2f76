#include "replay/distributed/reports.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <ranges>
#include <span>
#include <utility>

namespace timeless::replay {

namespace {

void put(ByteWriter& words, const ChannelKey& key) {
  words.put(static_cast<std::uint32_t>(key.source), static_cast<std::uint32_t>(key.destination));
  words.put(key.communicator, static_cast<std::uint32_t>(key.tag));
}

ChannelKey read_key(ByteReader& words) {
  const std::uint64_t ends = words.number();
  const std::uint64_t name = words.number();
  return {.source = static_cast<trace::Rank>(high_half(ends)),
          .destination = static_cast<trace::Rank>(low_half(ends)),
          .communicator = high_half(name),
          .tag = static_cast<trace::Tag>(low_half(name))};
}

void put(ByteWriter& words, const RankStatus& status) {
  words.put(static_cast<std::uint32_t>(status.rank), status.for_instance ? 1U : 0U);
  words.put(static_cast<std::uint32_t>(status.thread), static_cast<std::uint32_t>(status.for_thread));
  words.put(status.action);
  words.put(status.call);
  put(words, status.channel);
  words.put(std::uint64_t{status.instance.communicator});
  words.put(status.instance.ordinal);
  words.put(status.instance.call);
  words.put(status.sends ? 1U : 0U, status.only_member ? 1U : 0U);
  words.put(status.sends.value_or(0));
  words.put(std::uint64_t{static_cast<std::uint32_t>(status.member)});
}

RankStatus read_status(ByteReader& words) {
  RankStatus status;
  const std::uint64_t head = words.number();
  status.rank = static_cast<trace::Rank>(high_half(head));
  status.for_instance = low_half(head) != 0;
  const std::uint64_t threads = words.number();
  status.thread = static_cast<trace::Rank>(high_half(threads));
  status.for_thread = static_cast<trace::Rank>(low_half(threads));
  status.action = words.number();
  status.call = words.text();
  status.channel = read_key(words);
  status.instance.communicator = low_half(words.number());
  status.instance.ordinal = words.number();
  status.instance.call = words.text();
  const std::uint64_t flags = words.number();
  const double sends = words.real();
  if (high_half(flags) != 0) status.sends = sends;
  status.only_member = low_half(flags) != 0;
  status.member = static_cast<trace::Rank>(low_half(words.number()));
  return status;
}

void put(ByteWriter& words, const LeftoverMessages& left) {
  put(words, ChannelKey{left.source, left.destination, left.communicator, left.tag});
  words.put(left.count);
  words.put(std::uint64_t{left.bytes});
}

LeftoverMessages read_leftover(ByteReader& words) {
  const ChannelKey key = read_key(words);
  LeftoverMessages left{.source = key.source,
                        .destination = key.destination,
                        .communicator = key.communicator,
                        .tag = key.tag,
                        .count = words.number()};
  left.bytes = words.number();
  return left;
}

/// Writes what matters of a caller at the end: who it is and what it calls, as far as that must fit what others call.
void put(ByteWriter& words, const Ending::OpenCollective& instance) {
  const CollectiveCall& call = instance.caller.call;
  words.put(instance.ordinal);
  words.put(call.communicator, static_cast<std::uint32_t>(call.root));
  words.put(static_cast<std::uint32_t>(call.shape.kind),
            (call.nonblocking ? 1U : 0U) | (call.idle ? 2U : 0U) | (call.scheduled ? 4U : 0U));
  words.put(call.shape.bytes);
  words.put(static_cast<std::uint32_t>(instance.caller.rank), call.algorithm);
  words.put(instance.caller.action);
}

Ending::OpenCollective read_instance(ByteReader& words) {
  Ending::OpenCollective instance;
  CollectiveCall& call = instance.caller.call;
  instance.ordinal = words.number();
  const std::uint64_t whose = words.number();
  call.communicator = high_half(whose);
  call.root = static_cast<trace::Rank>(low_half(whose));
  const std::uint64_t kind = words.number();
  call.shape.kind = static_cast<trace::ActionKind>(high_half(kind));
  const std::uint32_t flags = low_half(kind);
  call.nonblocking = (flags & 1U) != 0;
  call.idle = (flags & 2U) != 0;
  call.scheduled = (flags & 4U) != 0;
  call.shape.bytes = words.real();
  const std::uint64_t rank_and_algorithm = words.number();
  instance.caller.rank = static_cast<trace::Rank>(high_half(rank_and_algorithm));
  call.algorithm = low_half(rank_and_algorithm);
  instance.caller.action = words.number();
  return instance;
}

void put(ByteWriter& words, const CollectiveMismatch& mismatch) {
  words.put(std::uint64_t{mismatch.communicator});
  words.put(mismatch.ordinal);
  words.put(static_cast<std::uint32_t>(mismatch.first_rank), static_cast<std::uint32_t>(mismatch.second_rank));
  words.put(mismatch.first_action);
  words.put(mismatch.second_action);
  words.put(mismatch.first_call);
  words.put(mismatch.second_call);
}

CollectiveMismatch read_mismatch(ByteReader& words) {
  CollectiveMismatch mismatch;
  mismatch.communicator = low_half(words.number());
  mismatch.ordinal = words.number();
  const std::uint64_t ranks = words.number();
  mismatch.first_rank = static_cast<trace::Rank>(high_half(ranks));
  mismatch.second_rank = static_cast<trace::Rank>(low_half(ranks));
  mismatch.first_action = words.number();
  mismatch.second_action = words.number();
  mismatch.first_call = words.text();
  mismatch.second_call = words.text();
  return mismatch;
}

template <typename Read>
auto read_all(ByteReader& words, Read read) {
  std::vector<decltype(read(words))> values;
  for (std::uint64_t left = words.number(); left > 0; --left)
    values.push_back(read(words));
  return values;
}

void put(ByteWriter& words, const Ending::MemberCalls& calls) {
  words.put(calls.communicator, calls.member);
  words.put(calls.calls);
}

Ending::MemberCalls read_calls(ByteReader& words) {
  const std::uint64_t whose = words.number();
  return {high_half(whose), low_half(whose), words.number()};
}

void put(ByteWriter& words, const std::string& text) {
  words.put(std::string_view(text));
}

/// Values that are nothing but real numbers.
template <typename Reals>
using Numbers = std::array<double, sizeof(Reals) / sizeof(double)>;

void put(ByteWriter& words, const RankTimes& times) {
  words.put(std::span<const double>(std::bit_cast<Numbers<RankTimes>>(times)));
}

void put(ByteWriter& words, const Sensitivity& sensitivity) {
  words.put(std::span<const double>(std::bit_cast<Numbers<Sensitivity>>(sensitivity)));
}

template <typename Reals>
Reals read_reals(ByteReader& words) {
  Numbers<Reals> numbers;
  words.reals(numbers);
  return std::bit_cast<Reals>(numbers);
}

constexpr std::size_t times_of_rank = sizeof(RankTimes) / sizeof(double);
using TimesOfRank = std::array<double, times_of_rank>;

void put(ByteWriter& words, const AttributedTimes& part);

template <typename Values>
void put_all(ByteWriter& words, const Values& values) {
  words.put(std::uint64_t{values.size()});
  for (const auto& value : values)
    put(words, value);
}

void put(ByteWriter& words, const AttributedTimes& part) {
  words.put(static_cast<std::uint32_t>(part.rank), part.subject);
  words.put(part.count);
  put_all(words, part.lanes);
}

AttributedTimes read_part(ByteReader& words) {
  AttributedTimes part;
  const std::uint64_t whose = words.number();
  part.rank = static_cast<trace::Rank>(high_half(whose));
  part.subject = low_half(whose);
  part.count = words.number();
  part.lanes = read_all(words, read_reals<RankTimes>);
  return part;
}

/// Subjects by the names that `all` gives them.
void rename(std::vector<AttributedTimes>& parts, const std::vector<std::string>& names,
            const std::vector<std::string>& all) {
  std::vector<std::uint32_t> place;
  for (const std::string& name : names)
    place.push_back(static_cast<std::uint32_t>(std::ranges::find(all, name) - all.begin()));
  for (AttributedTimes& part : parts)
    if (part.subject < place.size()) part.subject = place[part.subject];
}

/// Processes know the calls that their own ranks make.
void join(Attribution& all, Attribution more) {
  if (all.by == AttributeBy::calls) {
    std::vector<std::string> calls;
    // The first stands for computation.
    const auto rest = [](const std::vector<std::string>& names) { return std::ranges::drop_view(names, 1); };
    std::ranges::set_union(rest(all.calls), rest(more.calls), std::back_inserter(calls));
    calls.insert(calls.begin(), all.calls.front());
    rename(all.parts, all.calls, calls);
    rename(more.parts, more.calls, calls);
    all.calls = std::move(calls);
  }
  std::ranges::move(more.parts, std::back_inserter(all.parts));
  std::ranges::stable_sort(all.parts, {}, &AttributedTimes::rank);
}

} // namespace

void write(ByteWriter& words, const Ending& ending) {
  put_all(words, ending.status);
  put_all(words, ending.deserted);
  put_all(words, ending.leftovers);
  put_all(words, ending.calls);
  put_all(words, ending.open_collectives);
}

Ending read_ending(ByteReader& words) {
  Ending ending;
  ending.status = read_all(words, read_status);
  ending.deserted = read_all(words, read_status);
  ending.leftovers = read_all(words, read_leftover);
  ending.calls = read_all(words, read_calls);
  ending.open_collectives = read_all(words, read_instance);
  return ending;
}

void write(ByteWriter& words, const CutStanding& standing) {
  words.put(standing.any ? 1U : 0U, standing.all ? 1U : 0U);
  words.put(std::uint64_t{standing.finished});
  words.put(standing.obstacle);
  words.put(std::uint64_t{standing.latest.size()});
  words.put(std::span<const double>(standing.latest));
}

CutStanding read_standing(ByteReader& words) {
  CutStanding standing;
  const std::uint64_t cut = words.number();
  standing.any = high_half(cut) != 0;
  standing.all = low_half(cut) != 0;
  standing.finished = words.number() != 0;
  standing.obstacle = words.text();
  standing.latest.resize(words.number());
  words.reals(standing.latest);
  return standing;
}

void write(ByteWriter& words, const CutComparison& comparison) {
  words.put(std::uint64_t{comparison.countable});
  for (const std::vector<bool>* const all : {&comparison.same, &comparison.met}) {
    words.put(std::uint64_t{all->size()});
    for (const bool one : *all)
      words.put(std::uint64_t{one});
  }
}

CutComparison read_comparison(ByteReader& words) {
  CutComparison comparison{.same = {}, .met = {}, .countable = words.number() != 0};
  for (std::vector<bool>* const all : {&comparison.same, &comparison.met})
    for (std::uint64_t left = words.number(); left > 0; --left)
      all->push_back(words.number() != 0);
  return comparison;
}

void write(ByteWriter& words, const Findings& findings) {
  put_all(words, findings.notes);
  words.put(findings.open_requests);
  words.put(std::uint64_t{findings.incast.has_value()});
  const Incast incast = findings.incast.value_or(Incast());
  words.put(static_cast<std::uint64_t>(incast.rank));
  words.put(incast.seconds);
  words.put(std::uint64_t{findings.order_matters});
  for (const auto& [calls, ranks] : findings.not_modelled) {
    words.put(calls);
    words.put(ranks);
  }
}

Findings read_findings(ByteReader& words) {
  Findings findings;
  const auto notes = read_all(words, [](ByteReader& from) { return from.text(); });
  findings.notes.insert(notes.begin(), notes.end());
  findings.open_requests = words.number();
  const bool incast = words.number() != 0;
  const auto rank = static_cast<trace::Rank>(words.number());
  const double seconds = words.real();
  if (incast) findings.incast = {rank, seconds};
  findings.order_matters = words.number() != 0;
  for (auto& [calls, ranks] : findings.not_modelled) {
    calls = words.number();
    ranks = words.number();
  }
  return findings;
}

void write_rank(ByteWriter& words, const Result& result, std::size_t place, trace::Rank rank) {
  words.put(std::uint64_t{static_cast<std::uint32_t>(rank)});
  for (const LaneResult& lane : result.lanes) {
    if (lane.deadlock) continue;
    put(words, lane.ranks[place]);
    if (!lane.rank_sensitivities.empty()) put(words, lane.rank_sensitivities[place]);
  }
}

void read_rank(ByteReader& words, Result& all) {
  const auto rank = static_cast<std::size_t>(words.number());
  for (LaneResult& lane : all.lanes) {
    if (lane.deadlock) continue;
    lane.ranks.at(rank) = read_reals<RankTimes>(words);
    if (!lane.rank_sensitivities.empty()) lane.rank_sensitivities.at(rank) = read_reals<Sensitivity>(words);
  }
}

void write(ByteWriter& words, const Attribution& attribution) {
  put_all(words, attribution.calls);
  put_all(words, attribution.parts);
}

void read_attribution(ByteReader& words, Attribution& all) {
  Attribution more{.by = all.by, .calls = read_all(words, [](ByteReader& from) { return from.text(); }), .parts = {}};
  more.parts = read_all(words, read_part);
  join(all, std::move(more));
}

void write_ideal(ByteWriter& words, const Result& result) {
  for (const LaneResult& lane : result.lanes)
    if (lane.ideal_makespan) words.put(*lane.ideal_makespan);
}

void read_ideal(ByteReader& words, Result& all) {
  for (LaneResult& lane : all.lanes)
    if (lane.ideal_makespan) lane.ideal_makespan = std::max(*lane.ideal_makespan, words.real());
}

void write(ByteWriter& words, const PathPiece& piece) {
  words.put(static_cast<std::uint32_t>(piece.process), piece.place);
  words.put(std::uint64_t{piece.nodes.size()});
  for (const PathNode& node : piece.nodes) {
    words.put(node.at.time);
    words.put(node.at.first);
    words.put(node.at.second);
    words.put(node.at.computation);
    words.put(node.action);
    words.put(static_cast<std::uint32_t>(node.rank), static_cast<std::uint32_t>(node.kind));
    words.put(node.collective ? 1U : 0U, node.forgot ? 1U : 0U);
  }
}

PathPiece read_path_piece(ByteReader& words) {
  PathPiece piece;
  const std::uint64_t there = words.number();
  piece.process = static_cast<int>(high_half(there));
  piece.place = low_half(there);
  for (std::uint64_t left = words.number(); left > 0; --left) {
    PathNode& node = piece.nodes.emplace_back();
    node.at.time = words.real();
    node.at.first = words.real();
    node.at.second = words.real();
    node.at.computation = words.real();
    node.action = words.number();
    const std::uint64_t rank_and_kind = words.number();
    node.rank = static_cast<trace::Rank>(high_half(rank_and_kind));
    node.kind = static_cast<PathNode::Kind>(low_half(rank_and_kind));
    const std::uint64_t flags = words.number();
    node.collective = high_half(flags) != 0;
    node.forgot = low_half(flags) != 0;
  }
  return piece;
}

void write(ByteWriter& words, const std::exception_ptr& problem) {
  std::vector<CollectiveMismatch> mismatches;
  Error known(Failure::runtime, "an unknown problem");
  try {
    std::rethrow_exception(problem);
  } catch (const ReplayProblem& error) {
    mismatches = error.diagnosis().mismatches;
    known = error;
  } catch (const Error& error) {
    known = error;
  } catch (const std::bad_alloc&) {
    known = Error(Failure::runtime, "not enough memory");
  } catch (const std::exception& error) {
    known = Error(Failure::runtime, error.what());
  }
  words.put(static_cast<std::uint64_t>(known.failure()));
  words.put(known.description());
  words.put(known.where());
  words.put(known.advice());
  put_all(words, mismatches);
}

std::exception_ptr read_problem(ByteReader& words) {
  const auto failure = static_cast<Failure>(words.number());
  const std::string description = words.text();
  const std::string where = words.text();
  const std::string advice = words.text();
  Diagnosis diagnosis;
  diagnosis.mismatches = read_all(words, read_mismatch);
  if (!diagnosis.mismatches.empty()) return std::make_exception_ptr(ReplayProblem(std::move(diagnosis)));
  return std::make_exception_ptr(Error(failure, description, where, advice));
}

} // namespace timeless::replay
