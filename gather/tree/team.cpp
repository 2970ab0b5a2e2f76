#include "gather/tree/team.h"

#include "base/bytes.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

namespace timeless::gather {

namespace {

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// How many bytes each text has, and where it starts when they stand one after the other.
struct Layout {
  std::vector<int> counts;
  std::vector<int> starts;
  std::size_t total = 0;

  explicit Layout(std::vector<int> sizes) : counts(std::move(sizes)) {
    for (const int count : counts) {
      if (total > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw Error(Failure::runtime, "too much to exchange between the nodes at once", "",
                    "gather on fewer nodes, or in parts");
      starts.push_back(static_cast<int>(total));
      total += static_cast<std::size_t>(count);
    }
  }

  std::vector<std::string> split(const std::string& all) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < counts.size(); ++i)
      texts.push_back(all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(counts[i])));
    return texts;
  }
};

std::vector<std::string> all_texts(MPI_Comm communicator, std::string_view text) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  const int mine = static_cast<int>(text.size());
  std::vector<int> counts(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, communicator);
  const Layout layout(std::move(counts));
  std::string all(layout.total, '\0');
  MPI_Allgatherv(text.data(), mine, MPI_CHAR, all.data(), layout.counts.data(), layout.starts.data(), MPI_CHAR,
                 communicator);
  return layout.split(all);
}

/// Returns the processes of this one's node.
MPI_Comm node_of(MPI_Comm everybody, const std::string& node_name) {
  MPI_Comm node = MPI_COMM_NULL;
  if (node_name.empty()) {
    MPI_Comm_split_type(everybody, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  } else {
    const auto names = all_texts(everybody, node_name);
    MPI_Comm_split(everybody, static_cast<int>(std::ranges::find(names, node_name) - names.begin()), 0, &node);
  }
  return node;
}

/// Returns the lowest rank of each node; null on the others.
MPI_Comm firsts_of_nodes(MPI_Comm everybody, const std::string& node_name) {
  MPI_Comm node = node_of(everybody, node_name);
  int place = 0;
  MPI_Comm_rank(node, &place);
  MPI_Comm_free(&node);
  MPI_Comm firsts = MPI_COMM_NULL;
  MPI_Comm_split(everybody, place == 0 ? 0 : MPI_UNDEFINED, 0, &firsts);
  return firsts;
}

std::string with_host(const std::string& where, const std::string& host) {
  if (where.empty()) return host;
  return where.starts_with(host + ":") ? where : host + ":" + where;
}

std::string encode(const Error& error, const std::string& where) {
  ByteWriter packed;
  packed.put(static_cast<std::uint64_t>(error.failure()));
  packed.put(error.description());
  packed.put(where);
  packed.put(error.advice());
  return packed.bytes();
}

Error decode_error(std::string_view bytes) {
  ByteReader packed(bytes, ByteReader::From::process);
  const auto failure = static_cast<Failure>(packed.number());
  const std::string what = packed.text();
  const std::string where = packed.text();
  const std::string advice = packed.text();
  return {failure, what, where, advice};
}

} // namespace

Team::Team(std::string host, MPI_Comm members, bool owned) : team_(members), owned_(owned), host_(std::move(host)) {
  if (!member()) return;
  MPI_Comm_rank(team_, &number_);
  MPI_Comm_size(team_, &size_);
  MPI_Comm_dup(team_, &words_);
}

Team::Team(MPI_Comm everybody, const std::string& node_name)
    : Team(node_name.empty() ? host_name() : node_name, firsts_of_nodes(everybody, node_name), true) {}

Team Team::of_nodes(MPI_Comm nodes) {
  return {host_name(), nodes, false};
}

Team::~Team() {
  if (!member()) return;
  MPI_Comm_free(&words_);
  if (owned_) MPI_Comm_free(&team_);
}

std::vector<std::string> Team::collect(std::string_view text) const {
  const int mine = static_cast<int>(text.size());
  std::vector<int> counts(static_cast<std::size_t>(number_ == 0 ? size_ : 0));
  MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, team_);
  const Layout layout(std::move(counts));
  std::string all(layout.total, '\0');
  MPI_Gatherv(text.data(), mine, MPI_CHAR, all.data(), layout.counts.data(), layout.starts.data(), MPI_CHAR, 0, team_);
  return layout.split(all);
}

std::string Team::distribute(const std::vector<std::string>& texts) const {
  std::vector<int> sizes;
  std::string all;
  for (const std::string& text : texts) {
    sizes.push_back(static_cast<int>(text.size()));
    all += text;
  }
  const Layout layout(std::move(sizes));
  int mine = 0;
  MPI_Scatter(layout.counts.data(), 1, MPI_INT, &mine, 1, MPI_INT, 0, team_);
  std::string text(static_cast<std::size_t>(mine), '\0');
  MPI_Scatterv(all.data(), layout.counts.data(), layout.starts.data(), MPI_CHAR, text.data(), mine, MPI_CHAR, 0, team_);
  return text;
}

std::string Team::from(int member, std::string text) const {
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, member, team_);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, member, team_);
  return text;
}

std::uint64_t Team::sum(std::uint64_t number) const {
  std::uint64_t all = 0;
  MPI_Reduce(&number, &all, 1, MPI_UINT64_T, MPI_SUM, 0, team_);
  return all;
}

int Team::from_first(int number) const {
  MPI_Bcast(&number, 1, MPI_INT, 0, team_);
  return number;
}

void Team::together(const std::function<void()>& work, bool names_hosts) const {
  std::optional<Error> failure;
  try {
    work();
  } catch (const Error& error) {
    failure = error;
  } catch (const std::exception& problem) {
    failure = Error(Failure::runtime, problem.what());
  }
  const int mine = failure ? number_ : size_;
  int lowest = size_;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, team_);
  if (lowest == size_) return;
  if (size_ == 1) throw Error(*failure);
  std::string message;
  if (number_ == lowest)
    message = encode(*failure, names_hosts ? failure->where() : with_host(failure->where(), host_));
  throw decode_error(from(lowest, std::move(message)));
}

} // namespace timeless::gather
