#include "trace/formats/goal/schedule_binary.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace timeless::trace::formats::goal {

namespace {

// All numbers are as x86 has them, without padding: magic (8 bytes); the rest, from which places are counted: ranks
// (4), largest CPU (1), largest network interface (1), begin and end of each rank (8, 8). A rank: operations (4), those
// that depend on nothing (4), their numbers (4 each), the operations, the numbers of those that depend on them (4
// each).
constexpr std::uint64_t magic = 4223;
constexpr std::uint64_t magic_of_used_up = 2342;
constexpr std::uint64_t magic_bytes = 8;
constexpr std::uint64_t head_bytes = 6;
constexpr std::uint64_t place_bytes = 16;
constexpr std::uint64_t operation_bytes = 39;
constexpr std::uint64_t largest_size = std::uint64_t{1} << 60U;

/// Where the operations that depend on one stand in the rank's last table.
struct Followers {
  std::uint32_t count;
  std::uint32_t first;
  bool begun;
};

/// Reads one rank's tables. Each size is held against the bytes that are left before memory is taken for it.
class RankReader {
public:
  RankReader(const InputFile& file, std::uint64_t rank, std::string_view bytes)
      : where_(file.path().string() + ", rank " + std::to_string(rank)), numbers_(bytes) {}

  Schedule read() {
    if (numbers_.remaining() < 8) refuse("no room for its number of operations");
    const auto count = numbers_.fixed<std::uint32_t>();
    const auto roots = numbers_.fixed<std::uint32_t>();
    const std::uint64_t needed = 4 * std::uint64_t{roots} + operation_bytes * count;
    if (roots > count || numbers_.remaining() < needed) refuse("more operations than it has bytes for");
    numbers_.take(4 * std::size_t{roots});
    std::vector<std::uint32_t> expected;
    std::vector<Followers> followers;
    for (std::uint32_t number = 0; number < count; ++number)
      operation(expected, followers);
    dependencies(followers);
    check(expected);
    return std::move(schedule_);
  }

private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Failure::invalid_input, what, where_, "have txt2bin make the file again");
  }

  void operation(std::vector<std::uint32_t>& expected, std::vector<Followers>& followers) {
    Operation made;
    expected.push_back(numbers_.fixed<std::uint32_t>());
    const auto type = numbers_.byte();
    if (type < 1 || type > 3) refuse("no such type of operation: " + std::to_string(type));
    made.type = static_cast<OperationType>(type);
    made.peer = numbers_.fixed<std::uint32_t>();
    made.size = numbers_.fixed<std::uint64_t>();
    made.tag = numbers_.fixed<std::uint32_t>();
    made.cpu = numbers_.byte();
    made.nic = numbers_.byte();
    if (made.size > largest_size) refuse("a size of more than 2^60");
    for (const bool begun : {false, true}) {
      const auto how_many = numbers_.fixed<std::uint32_t>();
      followers.push_back({how_many, numbers_.fixed<std::uint32_t>(), begun});
    }
    schedule_.operations.push_back(made);
  }

  void dependencies(const std::vector<Followers>& followers) {
    std::vector<std::uint32_t> table(static_cast<std::size_t>(numbers_.remaining() / 4));
    for (std::uint32_t& entry : table)
      entry = numbers_.fixed<std::uint32_t>();
    // Each entry of the table is one dependency: no file can say more of them than it has bytes for.
    std::uint64_t said = 0;
    for (const Followers& some : followers)
      said += some.count;
    if (said > table.size()) refuse("more dependencies than it has bytes for");
    for (std::size_t i = 0; i < followers.size(); ++i) {
      const Followers& some = followers[i];
      if (some.count == 0) continue;
      if (std::uint64_t{some.first} + some.count > table.size()) refuse("a dependency that is not in its table");
      for (std::uint32_t k = 0; k < some.count; ++k) {
        const std::uint32_t later = table[some.first + k];
        if (later >= schedule_.operations.size()) refuse("a dependency of an operation that it does not have");
        schedule_.dependencies.push_back({later, static_cast<std::uint32_t>(i / 2), some.begun});
      }
    }
  }

  void check(std::vector<std::uint32_t>& expected) const {
    for (const Dependency& one : schedule_.dependencies)
      if (expected[one.later]-- == 0) refuse("more dependencies of an operation than it says");
    const auto missing = std::ranges::find_if(expected, [](std::uint32_t count) { return count != 0; });
    if (missing != expected.end())
      refuse("fewer dependencies than it says of operation " + std::to_string(missing - expected.begin()));
  }

  std::string where_;
  ByteReader numbers_;
  Schedule schedule_;
};

struct ByteRange {
  std::uint64_t begin;
  std::uint64_t end;
};

std::vector<ByteRange> ranges_of(const InputFile& file, std::uint32_t ranks) {
  const std::string where = file.path().string();
  const std::uint64_t table_bytes = place_bytes * ranks;
  if (ranks == 0 || file.size() < magic_bytes + head_bytes + table_bytes)
    throw Error(Failure::invalid_input, "the file is shorter than the table of its ranks", where);
  const std::string bytes = file.read(magic_bytes + head_bytes, table_bytes);
  ByteReader numbers(bytes);
  std::vector<ByteRange> ranges;
  std::uint64_t sum = 0;
  for (std::uint32_t rank = 0; rank < ranks && numbers.remaining() >= place_bytes; ++rank) {
    const auto begin = numbers.fixed<std::uint64_t>();
    const auto end = numbers.fixed<std::uint64_t>();
    if (begin > end || end > file.size() - magic_bytes)
      throw Error(Failure::invalid_input, "a rank that is not in the file", where + ", rank " + std::to_string(rank),
                  "the file is cut off");
    sum += end - begin;
    // What two ranks share could make a small file a large schedule.
    if (sum > file.size())
      throw Error(Failure::invalid_input, "ranks that lie over each other", where + ", rank " + std::to_string(rank));
    ranges.push_back({begin, end});
  }
  return ranges;
}

} // namespace

bool begins_binary(std::string_view bytes) {
  if (bytes.size() < magic_bytes) return false;
  const auto found = load_fixed<std::uint64_t>(bytes.data());
  return found == magic || found == magic_of_used_up;
}

Schedules read_binary(const std::filesystem::path& path, Reading& reading) {
  const InputFile file(path);
  const std::string head = file.read(0, magic_bytes + head_bytes);
  if (head.size() < magic_bytes + head_bytes)
    throw Error(Failure::invalid_input, "the file is shorter than its head", path.string());
  ByteReader numbers(head);
  const auto found = numbers.fixed<std::uint64_t>();
  if (found != magic)
    throw Error(Failure::invalid_input,
                found == magic_of_used_up ? "LogGOPSim has used this schedule up" : "no schedule of LogGOPSim",
                path.string(), "have txt2bin make the file again, and leave out --save-mem");
  Schedules schedules;
  const std::vector<ByteRange> ranges = ranges_of(file, numbers.fixed<std::uint32_t>());
  for (const ByteRange& range : ranges) {
    const std::string bytes = file.read(magic_bytes + range.begin, range.end - range.begin);
    schedules.push_back(RankReader(file, schedules.size(), bytes).read());
    reading.add(bytes.size());
  }
  return schedules;
}

BinaryWriter::BinaryWriter(const std::filesystem::path& path, std::uint32_t ranks, Existing existing)
    : file_(path, existing), ranks_(ranks), position_(head_bytes + place_bytes * ranks) {
  file_.write(std::string(magic_bytes + position_, '\0'));
}

void BinaryWriter::write(const Schedule& schedule) {
  const std::size_t count = schedule.operations.size();
  if (count >= anything || schedule.dependencies.size() >= anything)
    throw Error(Failure::missing_capability, "LogGOPSim counts operations in 32 bits: a rank has more",
                "rank " + std::to_string(table_.size() / place_bytes));
  std::vector<std::uint32_t> needs(count);
  std::vector<Dependency> by_earlier = schedule.dependencies;
  for (const Dependency& one : by_earlier)
    ++needs[one.later];
  std::ranges::stable_sort(by_earlier, {}, [](const Dependency& one) { return std::pair(one.earlier, one.begun); });
  std::string bytes;
  put_fixed(bytes, static_cast<std::uint32_t>(count));
  put_fixed(bytes, static_cast<std::uint32_t>(std::ranges::count(needs, 0U)));
  for (std::uint32_t number = 0; number < count; ++number)
    if (needs[number] == 0) put_fixed(bytes, number);
  std::size_t next = 0;
  for (std::uint32_t number = 0; number < count; ++number) {
    const Operation& one = schedule.operations[number];
    largest_cpu_ = std::max(largest_cpu_, one.cpu);
    largest_nic_ = std::max(largest_nic_, one.nic);
    put_fixed(bytes, needs[number]);
    put_fixed(bytes, static_cast<std::uint8_t>(one.type));
    put_fixed(bytes, one.peer);
    put_fixed(bytes, one.size);
    put_fixed(bytes, one.tag);
    put_fixed(bytes, one.cpu);
    put_fixed(bytes, one.nic);
    for (const bool begun : {false, true}) {
      const std::size_t first = next;
      while (next < by_earlier.size() && by_earlier[next].earlier == number && by_earlier[next].begun == begun)
        ++next;
      put_fixed(bytes, static_cast<std::uint32_t>(next - first));
      put_fixed(bytes, static_cast<std::uint32_t>(first));
    }
  }
  for (const Dependency& one : by_earlier)
    put_fixed(bytes, one.later);
  file_.write(bytes);
  put_fixed(table_, position_);
  position_ += bytes.size();
  put_fixed(table_, position_);
}

std::uint64_t BinaryWriter::finish() {
  std::string head;
  put_fixed(head, magic);
  put_fixed(head, ranks_);
  put_fixed(head, largest_cpu_);
  put_fixed(head, largest_nic_);
  file_.write_over(0, head + table_);
  return file_.finish();
}

} // namespace timeless::trace::formats::goal
