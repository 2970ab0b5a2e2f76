#include "tools/calibrating/raw_file.h"

#include "base/error.h"
#include "base/files/text_file.h"
#include "tools/cli/console.h"

#include <optional>

namespace timeless::tools {

ping::Raw read_raw_file(const std::filesystem::path& file) {
  constexpr std::size_t most = std::size_t{1} << 30U;
  const std::optional<std::string> text = read_text(file, most);
  if (!text) throw Error(Failure::runtime, "cannot be read", file.string());
  if (text->size() > most)
    throw Error(Failure::invalid_input, "more than a gigabyte: no file of measurements", file.string());
  return ping::read_raw(*text, file.string(), [&] {
    print_warning("the last line of " + in_quotes(file.string()) + " was cut off and is left out");
  });
}

} // namespace timeless::tools
