#include "trace/formats/ti/ti.h"

#include "base/error.h"
#include "trace/formats/ti/rank_parser.h"
#include "trace/formats/ti/text.h"

#include <utility>

namespace timeless::trace::formats {

namespace ti {
namespace {

/// One rank's lines as actions, of a file that may hold those of others, too.
class TiStream : public RankStream {
public:
  TiStream(const Text& text, Rank rank)
      : rank_lines_(text.rank_lines[static_cast<std::size_t>(rank)]), rank_(rank), parser_(text, rank),
        lines_(text.files[rank_lines_.file], rank_lines_.offset) {}

  bool next(ActionBlock& block) override {
    constexpr std::size_t actions = 4096;
    block.clear();
    std::string_view line;
    while (!done_ && block.size() < actions) {
      if (!lines_.next(line) || lines_.offset() >= rank_lines_.end) {
        parser_.end(block);
        done_ = true;
      } else if (split_action(line, parts_) && rank_word(parts_[0]) == rank_) {
        parser_.parse(lines_, parts_, block);
      }
    }
    return !block.empty();
  }

private:
  RankLines rank_lines_;
  Rank rank_;
  RankParser parser_;
  TextLines lines_;
  std::vector<std::string_view> parts_;
  bool done_ = false;
};

/// Text that was scanned for what it says of the run; each stream reads its rank's lines anew.
class TiRun : public ImportedRun {
public:
  explicit TiRun(Text text) : text_(std::move(text)) {}

  const Run& run() const override { return text_.run; }

  std::unique_ptr<RankStream> open(Rank rank) const override {
    if (text_.run.find(rank) == nullptr)
      throw Error(Failure::invalid_input, "no such rank", "rank " + std::to_string(rank));
    return std::make_unique<TiStream>(text_, rank);
  }

  std::vector<std::filesystem::path> files() const override {
    std::vector<std::filesystem::path> all = text_.files;
    if (all.front() != text_.path) all.insert(all.begin(), text_.path);
    return all;
  }

  bool receives_name_buffers() const override { return true; }

private:
  Text text_;
};

} // namespace
} // namespace ti

bool looks_like_ti(std::string_view beginning) {
  std::vector<std::string_view> parts;
  while (!beginning.empty()) {
    const std::string_view line = beginning.substr(0, beginning.find('\n'));
    beginning.remove_prefix(std::min(line.size() + 1, beginning.size()));
    if (ti::split_action(line, parts)) return parts.size() > 1 && ti::rank_word(parts[0]) && ti::word(parts[1]);
  }
  return false;
}

std::unique_ptr<ImportedRun> open_ti(const std::filesystem::path& path, const ImportOptions& options) {
  return std::make_unique<ti::TiRun>(ti::scan(path, options.progress));
}

} // namespace timeless::trace::formats
