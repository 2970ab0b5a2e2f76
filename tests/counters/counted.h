#pragma once

#include <cstdint>
#include <map>
#include <string>

/// What the program of count.cpp printed.
namespace timeless::test {

/// What a program that counts itself printed.
struct Counted {
  int status = -1;
  std::map<std::string, std::string> lines; ///< by key
  std::string all;

  std::uint64_t volume(const std::string& key) const;
  std::string text(const std::string& key) const;
};

/// Runs it with this choice of counter and these variables ("NAME=value NAME=value").
Counted count(const std::string& choice, const std::string& environment = "");
/// Runs the same under the icount tool with these options.
Counted count_under_icount(const std::string& choice, const std::string& options = "");

/// Runs any command.
Counted run_command(const std::string& command);
/// Runs any command under the icount tool.
Counted run_under_icount(const std::string& command, const std::string& options = "");

} // namespace timeless::test
