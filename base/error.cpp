#include "base/error.h"

#include "base/escaping.h"

#include <utility>

namespace timeless {

namespace {

std::string sentence(const std::string& what, const std::string& where, const std::string& advice) {
  std::string text = what;
  if (!where.empty()) text += " (" + escaped(where) + ")";
  if (!advice.empty()) text += ": " + advice;
  // what() would end at a zero byte.
  for (std::size_t zero = text.find('\0'); zero != std::string::npos; zero = text.find('\0', zero))
    text.replace(zero, 1, "\\0");
  return text;
}

} // namespace

Error::Error(Failure failure, std::string what, std::string where, std::string advice)
    : std::runtime_error(sentence(what, where, advice)), failure_(failure), description_(std::move(what)),
      where_(std::move(where)), advice_(std::move(advice)) {}

} // namespace timeless
