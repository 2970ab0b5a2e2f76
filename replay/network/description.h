#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Reading descriptions that people write by hand in JSON. Whatever is wrong with one is an Error(invalid_input) that
/// names the file, the place in it and what to write instead.
namespace timeless::replay {

/// An object of a description, with where it stands for messages.
class Description {
public:
  /// Reads a file of at most so many bytes whose one value is an object. A key that comes twice is an error.
  static Description read(const std::filesystem::path& file, std::size_t most_bytes = std::size_t{1} << 20U);

  /// Throws naming what the file is, where its "format" is not this one: another kind, or another version.
  void demand_format(std::string_view format) const;

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Throws naming a key that is none of these.
  void allow_only(std::span<const std::string_view> keys) const;
  void allow_only(std::initializer_list<std::string_view> keys) const {
    allow_only(std::span(keys.begin(), keys.size()));
  }

  double number(std::string_view key) const;        ///< finite, 0 or more
  double signed_number(std::string_view key) const; ///< finite
  double number_or(std::string_view key, double absent) const { return has(key) ? number(key) : absent; }
  double positive(std::string_view key) const; ///< above 0; its reciprocal is finite, too
  double rate(std::string_view key) const;     ///< units per second: 1e-6 to 1e18, so that times by it are numbers
  std::vector<double> rates(std::string_view key) const; ///< a list of such
  void demand_interval(std::string_view key) const;      ///< where it is there: two numbers or null, that rise
  std::uint64_t whole_number(std::string_view key) const;
  std::uint64_t counted(std::string_view key) const; ///< a whole number, 1 or more
  std::string word(std::string_view key) const;      ///< at most 200 printable characters
  std::string word_or(std::string_view key, std::string absent) const { return has(key) ? word(key) : absent; }
  Description object(std::string_view key) const;
  std::vector<Description> objects(std::string_view key) const; ///< a list of at least one and at most 4096
  struct Pair {
    std::uint64_t first = 0;
    double second = 0;
  };
  std::vector<Pair> pairs(std::string_view key) const;             ///< a list of [whole number, number] likewise
  std::vector<double> numbers(std::string_view key) const;         ///< a list likewise, each as number() has it
  std::vector<std::string> words(std::string_view key) const;      ///< likewise, each as word() has it
  bool flag(std::string_view key) const;                           ///< true or false
  bool is_word(std::string_view key, std::string_view word) const; ///< its value is exactly this
  std::vector<std::string> keys() const;

  [[noreturn]] void refuse(std::string_view key, const std::string& what, const std::string& advice) const;
  std::string place(std::string_view key = {}) const;

private:
  Description(nlohmann::json value, std::string file, std::string path)
      : value_(std::move(value)), file_(std::move(file)), path_(std::move(path)) {}
  const nlohmann::json* find(std::string_view key) const;
  const nlohmann::json& get(std::string_view key) const;
  const nlohmann::json& list(std::string_view key) const;
  void demand_rate(double rate, std::string_view key) const;
  double checked_number(const nlohmann::json& value, std::string_view key) const;
  std::string checked_word(const nlohmann::json& value, std::string_view key) const;

  nlohmann::json value_;
  std::string file_;
  std::string path_; ///< "between_nodes.segments[2]"; empty for the whole
};

} // namespace timeless::replay
