#include "tools/calibrating/raw_file.h"

#include "base/error.h"
#include "base/files/text_file.h"
#include "replay/network/file_kind.h"
#include "tools/cli/console.h"

#include <fmt/format.h>
#include <optional>

namespace timeless::tools {

ping::Raw read_raw_file(const std::filesystem::path& file) {
  constexpr std::size_t most = std::size_t{1} << 30U;
  const std::optional<std::string> text = read_text(file, most);
  if (!text) throw Error(Failure::invalid_input, "cannot read the file", file.string(), "name a readable file");
  if (text->size() > most)
    throw Error(Failure::invalid_input, "more than a gigabyte: no file of measurements", file.string());
  const auto kind = text->starts_with(ping::format_line) ? std::nullopt : replay::file_kind(*text);
  if (kind && kind->what != "a file of measurements of a network")
    throw Error(Failure::invalid_input, "this is " + kind->what + ", no measurements of a network", file.string(),
                kind->advice);
  return ping::read_raw(*text, file.string(), [&] {
    print_warning("the last line of " + in_quotes(file.string()) + " was cut off and is left out");
  });
}

namespace {

/// Adds what may be done with the measurements to errors of a kind.
void add_advice(const std::function<void()>& work, Failure kind, const std::string& advice) {
  try {
    work();
  } catch (const Error& error) {
    if (error.failure() != kind) throw;
    throw Error(error.failure(), error.description(), error.where(),
                error.advice() + (error.advice().empty() ? "" : "; ") + advice);
  }
}

} // namespace

void fit_measured(const std::filesystem::path& raw, const std::function<void()>& fit) {
  add_advice(fit, Failure::invalid_input,
             fmt::format("what was measured is in {}, which --force replaces", raw.string()));
}

void write_results(const std::filesystem::path& raw, const std::function<void()>& write) {
  add_advice(write, Failure::runtime, fmt::format("what was measured is in {}, which --from fits", raw.string()));
}

} // namespace timeless::tools
