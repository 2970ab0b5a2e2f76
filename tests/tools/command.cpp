#include "tests/tools/command.h"

#include "tests/trace/samples.h"

#include <sys/wait.h>

#include <cstdlib>
#include <sstream>

namespace timeless::tools::test {

namespace {

std::string in_quotes(const std::string& word) {
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

} // namespace

Outcome timeless_command(const std::vector<std::string>& arguments, const std::string& output) {
  const trace::test::TemporaryDirectory directory;
  std::string line = in_quotes(TIMELESS_COMMAND);
  for (const std::string& argument : arguments)
    line += " " + in_quotes(argument);
  line += " >" + in_quotes(output.empty() ? std::string(directory / "out") : output) + " 2>" +
          in_quotes(directory / "err") + " </dev/null";
  const int status = std::system(line.c_str());
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = output.empty() ? trace::test::file_bytes(directory / "out") : "",
          .err = trace::test::file_bytes(directory / "err")};
}

std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

} // namespace timeless::tools::test
