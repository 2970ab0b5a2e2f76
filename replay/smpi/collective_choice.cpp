#include "replay/smpi/collective_choice.h"

#include "replay/smpi/calls/elements.h"
#include "replay/smpi/calls/smpi_internals.h"

#include <xbt/config.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

namespace timeless::replay::smpi {

namespace {

namespace own = simgrid::smpi; // SMPI's own algorithms
using own::colls;
using trace::Bytes;

constexpr const char* collectives[] = {"gather",    "allgather", "barrier",   "reduce_scatter", "scatter", "allgatherv",
                                       "allreduce", "alltoall",  "alltoallv", "bcast",          "reduce"};

/// SMPI's global choices, as they were.
struct Choice {
  decltype(colls::bcast) bcast = colls::bcast;
  decltype(colls::reduce) reduce = colls::reduce;
  decltype(colls::allreduce) allreduce = colls::allreduce;
  decltype(colls::reduce_scatter) reduce_scatter = colls::reduce_scatter;
  decltype(colls::gather) gather = colls::gather;
  decltype(colls::scatter) scatter = colls::scatter;
  decltype(colls::allgather) allgather = colls::allgather;
  decltype(colls::allgatherv) allgatherv = colls::allgatherv;
  decltype(colls::alltoall) alltoall = colls::alltoall;
  decltype(colls::alltoallv) alltoallv = colls::alltoallv;
  std::map<std::string, std::string, std::less<>> names; ///< by collective
  std::set<std::string> beyond_ints;                     ///< collectives replaced for their size
  std::set<std::string> others;                          ///< what else was replaced, in words
};

Choice& choice() {
  static Choice made;
  return made;
}

std::string setting(const std::string& name) {
  return simgrid::config::get_value<std::string>(name.c_str());
}

/// Returns true for algorithms that were seen to keep their messages' sizes where only all parts together exceed an
/// int. The others multiply counts and sizes as ints.
bool counts_beyond_ints(std::string_view collective, std::string_view algorithm) {
  const auto among = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, collective) != names.end();
  };
  if (algorithm == "mpich") return among({"gather", "allgather", "allgatherv", "alltoall", "reduce_scatter"});
  if (algorithm == "ompi") return among({"gather", "alltoall", "reduce_scatter"});
  if (algorithm == "mvapich2") return among({"allgather"});
  return false;
}

bool chosen(std::string_view collective, std::string_view algorithm) {
  return choice().names.find(collective)->second == algorithm;
}

Bytes members(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return static_cast<Bytes>(size);
}

Bytes bytes(Bytes count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * static_cast<Bytes>(size);
}

Bytes bytes(int count, MPI_Datatype type) {
  return bytes(static_cast<Bytes>(std::max(count, 0)), type);
}

Bytes sum(const int* counts, MPI_Comm comm) {
  return std::accumulate(counts, counts + members(comm), Bytes{0},
                         [](Bytes all, int count) { return all + static_cast<Bytes>(count); });
}

Bytes largest(const int* counts, MPI_Comm comm) {
  return static_cast<Bytes>(*std::max_element(counts, counts + members(comm)));
}

/// Returns what to call for this many bytes in all, of which one message carries as many as `largest`. Beyond an int's,
/// SMPI takes it for a small message, whose sender need not wait.
template <typename Algorithm>
Algorithm for_size(const char* collective, Bytes all, Bytes largest, Algorithm wanted, Algorithm safe) {
  const std::string& name = choice().names.at(collective);
  if (all <= largest_count || name == "default") return wanted;
  if (largest <= largest_count && counts_beyond_ints(collective, name)) return wanted;
  choice().beyond_ints.insert(collective);
  return safe;
}

void note(const std::string& what) {
  choice().others.insert(what);
}

int bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const auto call = for_size("bcast", bytes(count, type), bytes(count, type), choice().bcast, own::bcast__default);
  return call(buffer, count, type, root, comm);
}

int reduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation, int root, MPI_Comm comm) {
  const auto call = for_size("reduce", bytes(count, type), bytes(count, type), choice().reduce, own::reduce__default);
  return call(sent, received, count, type, operation, root, comm);
}

int allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  const auto call =
      for_size("allreduce", bytes(count, type), bytes(count, type), choice().allreduce, own::allreduce__default);
  return call(sent, received, count, type, operation, comm);
}

int reduce_scatter(const void* sent, void* received, const int* counts, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm comm) {
  const auto call = for_size("reduce_scatter", bytes(sum(counts, comm), type), bytes(largest(counts, comm), type),
                             choice().reduce_scatter, own::reduce_scatter__default);
  return call(sent, received, counts, type, operation, comm);
}

/// Open MPI's synchronised gather sends each part in two messages with one tag, a small one and a large one, and posts
/// both receives before: the small message takes the receive of the large one, which then finds none.
bool gather_is_synchronised(Bytes part, Bytes ranks) {
  if (chosen("gather", "ompi_linear_sync")) return true;
  return chosen("gather", "ompi") && ranks < 8 && part >= (ranks < 4 ? Bytes{131072} : Bytes{262144});
}

int gather(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count,
           MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const Bytes part = sent == MPI_IN_PLACE ? bytes(receive_count, receive_type) : bytes(send_count, send_type);
  auto call = for_size("gather", part * members(comm), part * members(comm) / 2, choice().gather, own::gather__default);
  if (gather_is_synchronised(part, members(comm))) {
    note("Gather by Open MPI's synchronised algorithm is carried out by its linear one: SimGrid confuses its messages");
    call = own::gather__ompi_basic_linear;
  }
  return call(sent, send_count, send_type, received, receive_count, receive_type, root, comm);
}

int scatter(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count,
            MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const Bytes part = received == MPI_IN_PLACE ? bytes(send_count, send_type) : bytes(receive_count, receive_type);
  const auto call =
      for_size("scatter", part * members(comm), part * members(comm) / 2, choice().scatter, own::scatter__default);
  return call(sent, send_count, send_type, received, receive_count, receive_type, root, comm);
}

int allgather(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count,
              MPI_Datatype receive_type, MPI_Comm comm) {
  const Bytes part = bytes(receive_count, receive_type);
  const auto call = for_size("allgather", part * members(comm), part, choice().allgather, own::allgather__default);
  return call(sent, send_count, send_type, received, receive_count, receive_type, comm);
}

int allgatherv(const void* sent, int send_count, MPI_Datatype send_type, void* received, const int* receive_counts,
               const int* displacements, MPI_Datatype receive_type, MPI_Comm comm) {
  const auto call =
      for_size("allgatherv", bytes(sum(receive_counts, comm), receive_type),
               bytes(largest(receive_counts, comm), receive_type), choice().allgatherv, own::allgatherv__default);
  return call(sent, send_count, send_type, received, receive_counts, displacements, receive_type, comm);
}

/// For parts of these sizes Open MPI exchanges in pairs, as does SimGrid's default; SimGrid's can only where there is a
/// power of two of ranks.
bool alltoall_is_in_pairs(Bytes ranks, Bytes part) {
  if (!chosen("alltoall", "ompi") && !chosen("alltoall", "default")) return false;
  if (ranks < 8) return part >= 524288 && part < 1048576;
  if (ranks >= 64 && ranks < 256) return part >= 262144;
  if (ranks >= 256 && ranks < 512) return part >= 32768;
  return ranks >= 512 && ranks < 1024 && part >= 262144;
}

int alltoall(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count,
             MPI_Datatype receive_type, MPI_Comm comm) {
  const Bytes part = bytes(receive_count, receive_type);
  const Bytes ranks = members(comm);
  auto call = for_size("alltoall", part * ranks, part, choice().alltoall, own::alltoall__default);
  if (chosen("alltoall", "mpich") && ranks % 2 == 1 && part >= 32768) {
    note("Alltoall as MPICH's between an odd number of ranks goes round a ring: SimGrid chooses pairs, which it "
         "refuses");
    call = own::alltoall__ring;
  }
  if (alltoall_is_in_pairs(ranks, part) && !std::has_single_bit(ranks)) {
    note("Alltoall as Open MPI's in pairs, between ranks that are no power of two, goes round a ring: SimGrid refuses "
         "pairs");
    call = own::alltoall__ring;
  }
  return call(sent, send_count, send_type, received, receive_count, receive_type, comm);
}

/// Returns true where Open MPI exchanges in pairs among this many ranks; SimGrid's can only where there is a power of
/// two of them.
bool alltoallv_is_in_pairs(Bytes ranks) {
  return chosen("alltoallv", "ompi") && (ranks < 4 || (ranks >= 64 && ranks < 128) || (ranks >= 256 && ranks < 1024));
}

int alltoallv(const void* sent, const int* send_counts, const int* send_displacements, MPI_Datatype send_type,
              void* received, const int* receive_counts, const int* receive_displacements, MPI_Datatype receive_type,
              MPI_Comm comm) {
  auto call = choice().alltoallv;
  if (alltoallv_is_in_pairs(members(comm)) && !std::has_single_bit(members(comm))) {
    note("Alltoallv as Open MPI's in pairs, between ranks that are no power of two, is its linear one: SimGrid refuses "
         "pairs");
    call = own::alltoallv__ompi_basic_linear;
  }
  return call(sent, send_counts, send_displacements, send_type, received, receive_counts, receive_displacements,
              receive_type, comm);
}

} // namespace

bool collectives_chosen() {
  return !chosen_collectives().empty();
}

std::string chosen_collectives() {
  std::string all;
  const auto add = [&](const std::string& name) {
    if (simgrid::config::is_default(name.c_str())) return;
    all += (all.empty() ? "" : ", ") + name + ": " + setting(name);
  };
  add("smpi/coll-selector");
  for (const char* collective : collectives)
    add(std::string("smpi/") + collective);
  return all;
}

void replace_failing_collectives() {
  Choice& before = choice();
  for (const char* collective : collectives) {
    std::string name = setting(std::string("smpi/") + collective);
    if (name.empty()) name = setting("smpi/coll-selector");
    before.names[collective] = name.empty() ? "default" : name;
  }
  colls::alltoall = alltoall;
  if (!collectives_chosen()) return;
  colls::bcast = bcast;
  colls::reduce = reduce;
  colls::allreduce = allreduce;
  colls::reduce_scatter = reduce_scatter;
  colls::gather = gather;
  colls::scatter = scatter;
  colls::allgather = allgather;
  colls::allgatherv = allgatherv;
  colls::alltoallv = alltoallv;
}

std::vector<std::string> replaced_collectives() {
  std::vector<std::string> all(choice().others.begin(), choice().others.end());
  std::string names;
  for (const std::string& collective : choice().beyond_ints)
    names += (names.empty() ? "" : ", ") + collective;
  if (!names.empty())
    all.push_back("of more than 2 GiB in all, " + names + " go by SMPI's default algorithms: those chosen (" +
                  chosen_collectives() + ") count bytes in ints");
  return all;
}

} // namespace timeless::replay::smpi
