#!/bin/sh
# docstrings_test.sh PYTHON DOCSTRINGS.PY: what it says of a tree with every fault, and of one without any.
set -eu
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/base/silent" "$tree/trace/good"
printf 'int main() {}\n' >"$tree/base/silent/one.cpp"
printf '# Short\n' >"$tree/base/README.md"
cat >"$tree/base/faults.h" <<'HEADER'
/// The sum of both.
int sum(int left, int right);
/// Bytes in it.
template <typename Map = std::map<int, int (*)(int)>>
[[nodiscard]] constexpr std::uint64_t bytes(const Map& map) {
  return map.size();
}
struct Point {
  /// Of both
  /// coordinates.
  bool operator==(const Point&) const = default;
  /// Whether it is.
  bool (*is)(int) = nullptr;
};
HEADER
said=$("$1" -B "$2" "$tree") && { echo "a tree with faults passes" >&2; exit 1; }
expected="base/README.md: says too little
base/faults.h:1: begins with no verb: The sum of both.
base/faults.h:3: begins with no verb: Bytes in it.
base/faults.h:9: begins with no verb: Of both coordinates.
base/faults.h:12: begins with no verb: Whether it is.
base/faults.h:8: a type without words above it: struct Point {
base/silent: has no README.md"
[ "$said" = "$expected" ] || { printf 'said:\n%s\n' "$said" >&2; exit 1; }

rm -r "$tree/base"
printf 'What the room holds, where to begin reading, and what does not belong here: enough of it.\n' >"$tree/trace/good/README.md"
cat >"$tree/trace/good/right.h" <<'HEADER'
/// A header may say something of itself.

int undocumented();
/// Returns the sum of both.
int sum(int left, int right); ///< not this
/// The members of a type are described, not called.
struct Sizes {
  std::size_t count = std::max(1, 2); ///< of them
  /// What is called.
  std::function<void(int)> visit = {};
  /// Names of all.
  std::vector<std::string> names{};
};
enum class Declared : unsigned char;
/// Holds one value.
template <typename Value>
class Holder {};
/// Numbers by name.
using Numbers = std::map<std::string, int (*)(int)>;
HEADER
"$1" -B "$2" "$tree"
