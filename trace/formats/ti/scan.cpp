#include "base/error.h"
#include "base/escaping.h"
#include "trace/formats/common/reading.h"
#include "trace/formats/common/text_lines.h"
#include "trace/formats/common/undescribed_run.h"
#include "trace/formats/ti/rank_parser.h"
#include "trace/formats/ti/text.h"

#include <limits>
#include <optional>
#include <utility>

namespace timeless::trace::formats::ti {

namespace {

/// Finds out what must be known of a text before its actions are read.
class Scanner {
public:
  Scanner(std::filesystem::path path, const ImportProgress& progress) : reading_(progress) {
    text_.path = std::move(path);
    find_files();
    reading_.expect(text_.files, 2);
  }

  Text scan() {
    find_ranks();
    text_.run = undescribed_run(static_cast<Rank>(text_.rank_lines.size()), text_.path, "SimGrid text",
                                VolumeUnit::instructions, "SimGrid's text");
    parse_all();
    return std::move(text_);
  }

private:
  [[noreturn]] void refuse(const std::string& what, const std::filesystem::path& where) const {
    throw Error(Failure::invalid_input, what, where.string(),
                "name SimGrid's list of the ranks' files, or one file with the lines of all ranks");
  }

  void find_files() {
    std::error_code ignored;
    if (std::filesystem::is_directory(text_.path, ignored)) refuse("a directory", text_.path);
    TextLines lines(text_.path);
    std::string_view line;
    std::vector<std::string_view> parts;
    while (lines.next(line)) {
      if (!split_action(line, parts)) continue;
      if (text_.files.empty() && parts.size() > 1 && rank_word(parts[0]) && word(parts[1])) {
        text_.files.push_back(text_.path);
        text_.shared = true;
        return;
      }
      if (text_.files.size() == most_ranks) refuse("more than a million files", text_.path);
      text_.files.push_back(found(std::string(line.substr(line.find_first_not_of(" \t")))));
    }
    if (text_.files.empty()) refuse("no action, and no file's name", text_.path);
    text_.shared = text_.files.size() == 1;
  }

  std::filesystem::path found(std::string name) const {
    name.erase(name.find_last_not_of(" \t") + 1);
    const std::filesystem::path beside = text_.path.parent_path() / name;
    std::error_code ignored;
    // The last: where the list and the files were moved together.
    const std::filesystem::path moved = text_.path.parent_path() / beside.parent_path().filename() / beside.filename();
    for (const std::filesystem::path& candidate : {beside, std::filesystem::path(name), moved})
      if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
    refuse("neither an action nor a file: " + in_quotes(std::string_view(name)), text_.path);
  }

  /// Finds who has lines where, and in what dialect.
  void find_ranks() {
    std::vector<std::string_view> parts;
    std::map<Rank, RankLines> rank_lines;
    std::map<Rank, std::uint64_t> lines_of_others;
    for (std::size_t file = 0; file < text_.files.size(); ++file) {
      TextLines lines(text_.files[file]);
      std::string_view line;
      if (!text_.shared) rank_lines[static_cast<Rank>(file)] = {file, 0, std::numeric_limits<std::uint64_t>::max()};
      while (lines.next(line)) {
        reading_.add(line.size() + 1);
        if (!split_action(line, parts)) continue;
        const auto rank = rank_word(parts[0]);
        if (!rank)
          throw Error(Failure::invalid_input, "no rank at the beginning: " + in_quotes(parts[0]),
                      lines.path().string() + ", line " + std::to_string(lines.number()));
        if (const auto action = parts.size() > 1 ? word(parts[1]) : std::nullopt)
          text_.dialect.look(*action, parts.size() - 2);
        if (!text_.shared) continue;
        const auto [known, is_new] = rank_lines.try_emplace(*rank, RankLines{file, lines.offset(), 0});
        known->second.end = lines.offset() + 1;
        if (is_new && rank_lines.size() > most_ranks) refuse("more than a million ranks", lines.path());
      }
    }
    if (rank_lines.empty()) refuse("no action", text_.files.front());
    Rank expected = 0;
    for (const auto& [rank, lines] : rank_lines) {
      if (rank != expected++)
        refuse("rank " + std::to_string(expected - 1) + " has no line, but rank " + std::to_string(rank) + " has",
               text_.files.front());
      text_.rank_lines.push_back(lines);
    }
  }

  /// Counts actions, finds what is wrong with them, and notes the sizes of messages where they must be looked up.
  void parse_all() {
    std::vector<RankParser> parsers;
    std::vector<std::int64_t> left_over(static_cast<std::size_t>(text_.run.size));
    for (Rank rank = 0; rank < text_.run.size; ++rank) {
      parsers.emplace_back(text_, rank);
      parsers.back().left_over = &left_over;
      if (text_.dialect.unsized)
        parsers.back().sent = [this, rank](Rank to, Tag tag, Bytes bytes) {
          Sizes& sizes = text_.sizes[{rank, to, tag}];
          if (sizes.empty() || sizes.back().first != bytes) sizes.emplace_back(bytes, 0);
          ++sizes.back().second;
        };
    }
    ActionBlock block;
    bool computes = false;
    const auto count = [&](std::size_t rank) {
      text_.run.ranks[rank].actions += block.size();
      computes = computes || !block.volumes().empty();
      block.clear();
    };
    std::vector<std::string_view> parts;
    for (std::size_t file = 0; file < text_.files.size(); ++file) {
      TextLines lines(text_.files[file]);
      std::string_view line;
      while (lines.next(line)) {
        reading_.add(line.size() + 1);
        if (!split_action(line, parts)) continue;
        const auto rank = static_cast<std::size_t>(rank_word(parts[0]).value_or(no_rank));
        if (!text_.shared && rank != file) {
          ++text_.run.ranks[file].unrecorded_calls["line of another rank"];
          continue;
        }
        if (rank >= parsers.size()) continue; // the file has grown
        parsers[rank].parse(lines, parts, block);
        count(rank);
      }
    }
    for (std::size_t rank = 0; rank < parsers.size(); ++rank) {
      parsers[rank].end(block);
      count(rank);
      // Receives from nobody and from anybody look the same in SimGrid's traces: do messages need them?
      if (left_over[rank] > 0 && !parsers[rank].unnamed_source.empty())
        throw Error(Failure::invalid_input,
                    "a receive from any rank, which no replay but that of the program itself can place",
                    parsers[rank].unnamed_source);
      conclude(parsers[rank], text_.run.ranks[rank]);
    }
    if (!computes) text_.run.counter.unit = VolumeUnit::none;
  }

  static void conclude(const RankParser& parser, RankRecord& record) {
    record.ending = parser.finalized ? Ending::finalized : Ending::unknown;
    if (!parser.finalized) record.ending_reason = "its text has no finalize";
    for (const auto& [name, times] : parser.unknown)
      record.unrecorded_calls[name] += times;
    if (parser.never_waited_for > 0)
      record.notes.push_back("requests that the text never waits for are waited for at the end");
  }

  static constexpr std::size_t most_ranks = std::size_t{1} << 20;
  Text text_;
  Reading reading_;
};

} // namespace

Text scan(const std::filesystem::path& path, const ImportProgress& progress) {
  return Scanner(path, progress).scan();
}

} // namespace timeless::trace::formats::ti
