#include "tools/cli/console.h"

#include "base/parsing.h"
#include "tools/cli/json_text.h"

#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace timeless::tools {

namespace {

double seconds_now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Keeps this thread from being ended by what it writes to a pipe that nobody reads.
class WithoutBrokenPipe {
public:
  WithoutBrokenPipe() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutBrokenPipe() {
    constexpr timespec at_once{};
    while (::sigtimedwait(&signal_, nullptr, &at_once) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutBrokenPipe(const WithoutBrokenPipe&) = delete;
  WithoutBrokenPipe& operator=(const WithoutBrokenPipe&) = delete;

private:
  sigset_t signal_{};
  sigset_t before_{};
};

/// Writes on stderr. What cannot be written there is lost: neither what a verb does nor its status depends on that.
void write_on_stderr(std::string_view text) noexcept {
  const WithoutBrokenPipe without_broken_pipe;
  std::fwrite(text.data(), 1, text.size(), stderr);
}

} // namespace

void print_error(const Error& error) {
  clear_progress();
  // Only an end of a line before an indented one is the project's own: nothing that is named begins a line.
  std::string_view rest = error.what();
  std::string text;
  for (std::size_t end = rest.find("\n  "); end != rest.npos; end = rest.find("\n  ")) {
    text += escaped(rest.substr(0, end)) + "\n  ";
    rest.remove_prefix(end + 3);
  }
  write_on_stderr(fmt::format("timeless: {}{}\n", text, escaped(rest)));
}

void print_warning(std::string_view text) {
  print_notice(fmt::format("warning: {}", text));
}

void print_notice(std::string_view text) {
  clear_progress();
  write_on_stderr(fmt::format("timeless: {}\n", escaped(text)));
}

void print_json(std::string_view verb, int version, const nlohmann::ordered_json& answer) {
  nlohmann::ordered_json whole;
  whole["schema"] = fmt::format("timeless.{}/{}", verb, version);
  whole.update(answer);
  fmt::print("{}\n", json_text(whole, 2));
}

namespace {

constexpr std::size_t most_columns = 120; // that are read with ease

/// Part of a text that stays on one line.
struct Piece {
  std::string text;
  bool word = true; ///< a blank stands before it
};

/// Adds a word, in pieces that end with its semicolons where it is longer than a line: tables of SimGrid's are.
void add_word(std::vector<Piece>& pieces, const std::string& word, std::size_t longest) {
  if (columns_of(word) <= longest || word.find(';') == word.npos) return pieces.push_back({.text = word});
  std::size_t begin = 0;
  while (begin < word.size()) {
    const std::size_t end = std::min(word.find(';', begin), word.size() - 1) + 1;
    pieces.push_back({.text = word.substr(begin, end - begin), .word = begin == 0});
    begin = end;
  }
}

/// Returns the words of a text, escaped; "%" stays with the number before it.
std::vector<Piece> pieces_of(std::string_view text, std::size_t longest) {
  std::vector<Piece> pieces;
  for (const std::string_view word : split(text, ' ')) {
    if (word.starts_with('%') && !pieces.empty())
      pieces.back().text += " " + escaped(word);
    else
      add_word(pieces, escaped(word), longest);
  }
  return pieces;
}

/// Returns a text behind what its first line begins with, on lines of at most so many columns.
std::string broken_lines(std::string line, std::string_view text, std::size_t widest) {
  std::string whole;
  const std::string indent(columns_of(line), ' ');
  bool begun = false;
  for (const Piece& piece : pieces_of(text, widest - std::min(widest, indent.size()))) {
    const std::string blank = begun && piece.word ? " " : "";
    if (begun && columns_of(line) + blank.size() + columns_of(piece.text) > widest) {
      whole += line + "\n";
      line = indent + piece.text;
    } else
      line += blank + piece.text;
    begun = true;
  }
  return whole + line + "\n";
}

/// Returns whether a terminal has too few columns for a text beside its label, or for a word that it has room for
/// below.
bool stands_below(std::size_t label, std::string_view text, std::size_t below) {
  constexpr std::size_t least = 20; // columns that can be read
  const std::size_t widest = text_columns();
  if (!output_columns() || label <= below) return false;
  if (label + least > widest) return true;
  return std::ranges::any_of(pieces_of(text, widest), [&](const Piece& piece) {
    return label + columns_of(piece.text) > widest && below + columns_of(piece.text) <= widest;
  });
}

} // namespace

std::size_t text_columns() {
  return std::min(output_columns().value_or(most_columns), most_columns);
}

std::string text_paragraph(std::string_view label, std::string_view text) {
  constexpr std::size_t below = 4;
  const std::string beside = escaped(label);
  if (!stands_below(columns_of(beside), text, below)) return broken_lines(beside, text, text_columns());
  const std::size_t begin = std::min(beside.find_first_not_of(' '), beside.size());
  const std::string words = beside.substr(begin, beside.find_last_not_of(' ') + 1 - begin);
  if (begin > below) // an arrow under the text above
    return broken_lines(std::string(below, ' ') + words + (words.empty() ? "" : " "), text, text_columns());
  return beside.substr(0, begin) + words + "\n" + broken_lines(std::string(below, ' '), text, text_columns());
}

namespace {

/// Returns true where a line can be written over.
bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

/// Returns the columns of the terminal; 80 where it does not say.
std::size_t stderr_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Returns the first word and as much of the end as fits: what is done, and the end of a file's name.
std::string without_middle(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  const std::string head = text.substr(0, text.find(' ')) + " ...";
  if (head.size() >= longest) return text.substr(0, longest);
  return head + text.substr(text.size() - (longest - head.size()));
}

} // namespace

namespace {

/// Returns " 40 %  8 s, 12 s left, 3.20 M actions/s"; less in a narrow terminal.
std::string progress_figures(double share, double seconds, const std::string& rate, std::size_t room) {
  constexpr std::size_t of_label_and_bar = 30;
  std::string text = fmt::format("{:3.0f} %  {:.0f} s", share * 100, seconds);
  const auto add = [&](const std::string& more) {
    if (text.size() + more.size() + of_label_and_bar <= room) text += more;
  };
  // What comes before the first actions would be taken for their pace.
  const bool known = share >= 0.05 || (share > 0 && seconds >= 10);
  if (known) add(fmt::format(", {:.0f} s left", seconds / share - seconds));
  if (!rate.empty()) add(", " + rate);
  return text;
}

} // namespace

std::string progress_line(const std::string& label, double share, double seconds, std::size_t width, double per_second,
                          std::string_view unit) {
  constexpr std::size_t longest_bar = 30;
  constexpr std::size_t shortest_bar = 5;
  // What reaches the last column may go on to the next line, where it would stay.
  const std::size_t room = width > 0 ? width - 1 : 0;
  const std::string rate = per_second > 0 ? fmt::format("{} {}/s", human_count(per_second), unit) : "";
  const std::string figures = progress_figures(share, seconds, rate, room);
  const std::size_t least = figures.size() + shortest_bar + 4; // spaces and brackets
  if (room < least + 12) return figures.substr(0, room);
  const std::string text = without_middle(label, room - least);
  const std::size_t length = std::min(longest_bar, room - least + shortest_bar - text.size());
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(length));
  return text + " [" + std::string(filled, '#') + std::string(length - filled, '.') + "] " + figures;
}

namespace {

/// Returns when a bar that begins now is shown first: after a second, less what bars before it have lasted.
double first_shown(double now) {
  static const double first = now;
  constexpr double least = 0.2; // what is over sooner would only flash
  return std::max(now + least, first + 1);
}

} // namespace

Progress::Progress(std::string_view label, std::uint64_t total, std::string_view unit)
    : label_(escaped(label)), unit_(unit), total_(std::max<std::uint64_t>(total, 1)), terminal_(stderr_is_terminal()),
      started_(seconds_now()), next_(first_shown(started_)) {}

namespace {

std::atomic<bool> bar_is_shown = false;

} // namespace

void clear_progress() noexcept {
  constexpr std::string_view erase = "\r\033[K";
  if (bar_is_shown.exchange(false)) [[maybe_unused]]
    const ssize_t written = ::write(STDERR_FILENO, erase.data(), erase.size());
}

Progress::~Progress() {
  clear_progress();
}

void Progress::update(std::uint64_t done, double worked) {
  if (!terminal_) return;
  const double now = seconds_now();
  if (done < last_) {
    started_ = now;
    ++replay_;
  }
  last_ = done;
  if (now < next_) return;
  next_ = now + 0.1;
  bar_is_shown = true;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double seconds = now - started_;
  const std::string label = replay_ > 1 ? fmt::format("{}, replay {}", label_, replay_) : label_;
  write_on_stderr("\r\033[K" +
                  progress_line(label, share, seconds, stderr_width(), worked / std::max(seconds, 1e-3), unit_));
}

} // namespace timeless::tools
