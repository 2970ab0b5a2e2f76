#include "trace/formats/goal/schedule_text.h"

#include "base/error.h"
#include "base/escaping.h"
#include "trace/formats/common/text_lines.h"

#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace timeless::trace::formats::goal {

namespace {

constexpr std::uint64_t most_ranks = std::uint64_t{1} << 20U;

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}

/// The parts of the file's lines: names, numbers and signs, without comments.
class Words {
public:
  Words(const std::filesystem::path& path, Reading& reading) : lines_(path), reading_(reading) {}

  bool next_line() {
    words_.clear();
    position_ = 0;
    std::string_view line;
    if (!lines_.next(line)) return false;
    reading_.add(line.size() + 1);
    split(line);
    return true;
  }

  bool done() const { return position_ == words_.size(); }
  std::string_view peek(std::size_t ahead = 0) const {
    return position_ + ahead < words_.size() ? words_[position_ + ahead] : std::string_view();
  }
  std::string_view take() {
    const std::string_view word = peek();
    if (!done()) ++position_;
    return word;
  }

  /// Takes the word if it comes next; returns true then.
  bool take(std::string_view word) {
    if (peek() != word || done()) return false;
    ++position_;
    return true;
  }
  void demand(std::string_view word) {
    if (!take(word)) refuse("no '" + std::string(word) + "'");
  }

  std::uint64_t number(std::uint64_t most) {
    const std::string_view word = take();
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc{} || end != word.data() + word.size() || value > most)
      refuse("no such number here: " + in_quotes(word));
    return value;
  }

  std::string_view label() {
    const std::string_view word = take();
    if (word.empty() || !letter(word.front())) refuse("no label: " + in_quotes(word));
    return word;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Failure::invalid_input, what, lines_.path().string() + ", line " + std::to_string(lines_.number()),
                "GOAL's lines are such as 'l1: send 8b to 1 tag 0', 'l2: calc 100' and 'l2 requires l1'");
  }

private:
  void split(std::string_view line) {
    std::size_t at = 0;
    while (at < line.size()) {
      if (in_comment_) {
        const std::size_t end = line.find("*/", at);
        if (end == std::string_view::npos) return;
        in_comment_ = false;
        at = end + 2;
        continue;
      }
      const std::string_view rest = line.substr(at);
      if (rest.starts_with("//")) return;
      if (rest.starts_with("/*")) {
        in_comment_ = true;
        at += 2;
        continue;
      }
      const std::size_t length = word_length(rest);
      if (rest.front() != ' ' && rest.front() != '\t' && rest.front() != '\r') words_.push_back(rest.substr(0, length));
      at += length;
    }
  }

  static std::size_t word_length(std::string_view text) {
    if (text.starts_with("-1")) return 2;
    std::size_t length = 1;
    if (digit(text.front()))
      while (length < text.size() && digit(text[length]))
        ++length;
    else if (letter(text.front()))
      while (length < text.size() && (letter(text[length]) || digit(text[length]) || text[length] == '_'))
        ++length;
    return length;
  }

  TextLines lines_;
  Reading& reading_;
  std::vector<std::string_view> words_;
  std::size_t position_ = 0;
  bool in_comment_ = false;
};

/// Reads the text, statement by statement; labels are known within their rank only.
class Reader {
public:
  Reader(const std::filesystem::path& path, Reading& reading) : words_(path, reading) {}

  Schedules read() {
    while (words_.next_line())
      while (!words_.done())
        part();
    if (schedule_ != nullptr) words_.refuse("the file ends within a rank");
    return all();
  }

private:
  void part() {
    if (schedule_ == nullptr && words_.take("num_ranks")) {
      ranks_ = words_.number(most_ranks);
    } else if (schedule_ == nullptr && words_.take("rank")) {
      begin();
    } else if (words_.take("}")) {
      if (schedule_ == nullptr) words_.refuse("a '}' outside of a rank");
      schedule_ = nullptr;
      labels_.clear();
    } else {
      statement();
      if (!words_.done()) words_.refuse("more than one statement: " + in_quotes(words_.peek()));
    }
  }

  void begin() {
    const std::uint64_t rank = words_.number(most_ranks);
    words_.demand("{");
    const auto [place, is_new] = found_.try_emplace(rank);
    if (!is_new) words_.refuse("rank " + std::to_string(rank) + " a second time");
    schedule_ = &place->second;
  }

  void statement() {
    if (schedule_ == nullptr) words_.refuse("neither a rank nor the number of ranks: " + in_quotes(words_.peek()));
    const bool bare = words_.peek(1) != ":" && words_.peek(1) != "requires" && words_.peek(1) != "irequires";
    if (bare) return operation();
    const std::string label(words_.label());
    if (words_.take(":")) {
      // Of two operations with one label it names the first, as in txt2bin.
      labels_.try_emplace(label, static_cast<std::uint32_t>(schedule_->operations.size()));
      return operation();
    }
    const bool begun = words_.take() == "irequires";
    const std::uint32_t later = number_of(label);
    schedule_->dependencies.push_back({later, number_of(std::string(words_.label())), begun});
  }

  std::uint32_t number_of(const std::string& label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) words_.refuse("no operation before has this label: " + in_quotes(label));
    return found->second;
  }

  void operation() {
    constexpr std::uint64_t most_size = std::uint64_t{1} << 60U;
    if (schedule_->operations.size() == anything) words_.refuse("too many operations");
    Operation made;
    const std::string_view what = words_.take();
    if (what == "calc") {
      made.size = words_.number(most_size);
    } else if (what == "send" || what == "recv") {
      const bool sends = what == "send";
      made.type = sends ? OperationType::send : OperationType::receive;
      made.size = words_.number(most_size);
      words_.demand("b");
      words_.demand(sends ? "to" : "from");
      made.peer = words_.peek() == "-1" && !sends ? wildcard() : number32();
      if (words_.take("tag")) made.tag = words_.peek() == "-1" && !sends ? wildcard() : number32();
    } else {
      words_.refuse("no operation: " + in_quotes(what));
    }
    if (words_.take("cpu")) made.cpu = number8();
    if (words_.take("nic")) made.nic = number8();
    schedule_->operations.push_back(made);
  }

  std::uint32_t wildcard() {
    words_.take();
    return anything;
  }
  std::uint32_t number32() { return static_cast<std::uint32_t>(words_.number(anything - 1)); }
  std::uint8_t number8() { return static_cast<std::uint8_t>(words_.number(std::numeric_limits<std::uint8_t>::max())); }

  Schedules all() {
    if (found_.empty()) words_.refuse("no rank");
    const std::uint64_t last = found_.rbegin()->first;
    const std::uint64_t size = ranks_ == 0 ? last + 1 : ranks_;
    if (size != found_.size() || last != size - 1)
      words_.refuse(std::to_string(size) + " ranks are announced, " + std::to_string(found_.size()) + " are there");
    Schedules schedules;
    for (auto& [rank, schedule] : found_)
      schedules.push_back(std::move(schedule));
    return schedules;
  }

  Words words_;
  std::uint64_t ranks_ = 0;
  std::map<std::uint64_t, Schedule> found_;
  Schedule* schedule_ = nullptr; ///< of the rank that is open
  std::unordered_map<std::string, std::uint32_t> labels_;
};

std::string label(std::uint32_t number) {
  return "l" + std::to_string(std::uint64_t{number} + 1);
}

} // namespace

Schedules read_text(const std::filesystem::path& path, Reading& reading) {
  return Reader(path, reading).read();
}

void write_operation(TextOutput& out, std::uint32_t number, const Operation& operation) {
  std::string line = label(number);
  const std::string size = std::to_string(operation.size);
  if (operation.type == OperationType::calculation) {
    line += ": calc " + size;
  } else {
    line += operation.type == OperationType::send ? ": send " + size + "b to " : ": recv " + size + "b from ";
    line += std::to_string(operation.peer) + " tag " + std::to_string(operation.tag);
  }
  if (operation.cpu != 0) line += " cpu " + std::to_string(operation.cpu);
  if (operation.nic != 0) line += " nic " + std::to_string(operation.nic);
  out.line(line);
}

void write_dependency(TextOutput& out, const Dependency& dependency) {
  out.line(label(dependency.later) + (dependency.begun ? " irequires " : " requires ") + label(dependency.earlier));
}

} // namespace timeless::trace::formats::goal
