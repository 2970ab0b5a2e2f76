#include "replay/timeline/writers.h"

#include <fmt/format.h>

#include <cctype>

namespace timeless::replay::timeline {

namespace {

/// "[time] rank action arguments duration", time being when the action ended.
/// (Casanova, Quinson, Suter, Stillwell: "Single-node off-line simulation of MPI applications": the timed trace.)
class TextWriter : public TimelineWriter {
public:
  TextWriter(NewFile& output, const Labels& labels) : output_(output) {
    for (std::string name : labels.calls) {
      for (char& letter : name)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      names_.push_back(std::move(name));
    }
  }

  void event(const Event& event, std::span<const std::uint64_t> /*received*/) override {
    line_.clear();
    const auto out = std::back_inserter(line_);
    fmt::format_to(out, "[{:.9f}] {} {}", event.end, event.rank, names_[event.call]);
    if (event.computes) fmt::format_to(out, " {}", event.volume);
    if (event.destination != trace::no_rank) fmt::format_to(out, " {} {}", event.destination, event.bytes);
    if (event.source != trace::no_rank)
      fmt::format_to(out, " {} {}", event.source,
                     event.destination == trace::no_rank ? event.bytes : event.receive_bytes);
    const bool to_one = event.destination != trace::no_rank || event.source != trace::no_rank;
    if (event.root != trace::no_rank) fmt::format_to(out, " {}", event.root);
    if (event.has_bytes && !to_one) fmt::format_to(out, " {}", event.bytes);
    if (event.requests > 0) fmt::format_to(out, " {}", event.requests);
    fmt::format_to(out, " {:.9f}\n", event.end - event.start);
    output_.write(line_);
  }

private:
  NewFile& output_;
  std::vector<std::string> names_;
  std::string line_;
};

} // namespace

std::unique_ptr<TimelineWriter> text_writer(NewFile& output, const Labels& labels) {
  return std::make_unique<TextWriter>(output, labels);
}

} // namespace timeless::replay::timeline
