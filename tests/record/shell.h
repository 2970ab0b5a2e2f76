#pragma once

#include <filesystem>
#include <string>

/// Running commands as a person would, in a directory of their own.
namespace timeless::test {

/// What a command of a shell left behind.
struct Ran {
  int status = -1; ///< as a shell gives it
  std::string output;
  std::string errors;
};

/// A fresh directory, removed at the end. `timeless` is in the PATH of what runs there, and so are the test programs.
class Workplace {
public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Runs a shell command in the directory.
  Ran run(const std::string& command) const;
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;

private:
  std::filesystem::path path_;
};

} // namespace timeless::test
