#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace timeless {
class ByteReader;
}

namespace timeless::trace {

/// A symbol or a body, so many times in a row.
struct FoldedItem {
  static constexpr std::uint32_t body_bit = 1U << 31U;

  std::uint64_t count = 1;
  std::uint32_t value = 0; ///< a symbol, below body_bit; or a body's number and body_bit

  bool is_body() const { return (value & body_bit) != 0; }
  std::uint32_t body() const { return value & ~body_bit; }
  bool operator==(const FoldedItem&) const = default;
};

/// A sequence of symbols as nested loops: a list of items, the root, and numbered bodies, each a list of two items or
/// more that name symbols and bodies of lower numbers. A body may be used in several places, so that what comes again
/// elsewhere is stored once.
class FoldedSequence {
public:
  static constexpr std::uint32_t max_depth = 64; ///< bodies within bodies

  /// Returns the number of symbols once unfolded.
  std::uint64_t size() const { return size_; }
  /// Returns the number of items it takes, of the root and of all bodies.
  std::size_t items() const { return root_.size() + items_.size(); }
  /// Returns how deep bodies stand within bodies; 0 when there are none.
  std::uint32_t depth() const { return depth_; }

  std::span<const FoldedItem> root() const { return root_; }
  std::size_t bodies() const { return bodies_.size(); }
  std::span<const FoldedItem> body(std::uint32_t number) const {
    return std::span(items_).subspan(bodies_[number].begin, bodies_[number].length);
  }
  /// Returns the number of symbols of a body once unfolded.
  std::uint64_t body_size(std::uint32_t number) const { return bodies_[number].size; }

  /// An item of the root, and the position of its first symbol.
  struct Start {
    std::size_t item = 0;
    std::uint64_t position = 0;
  };
  /// Returns a little before this position, which is in the sequence.
  Start start_before(std::uint64_t position) const;

  /// Makes it the empty sequence; keeps memory.
  void clear();
  /// Adds a body of items and returns its number. Throws Error(invalid_input) when it is too deep or its size does not
  /// fit 64 bits.
  std::uint32_t add_body(std::span<const FoldedItem> items);
  /// Replaces the root. Throws as above.
  void set_root(std::span<const FoldedItem> items);

  /// Appends its bytes (docs/archive-format.md, "Folded sequence"): least when symbols are numbered by first
  /// appearance.
  void encode(std::string& bytes) const;
  /// Reads one, every symbol of which is below `symbols` and which has no more than `most_size` symbols. Throws
  /// Error(invalid_input). Takes memory in proportion to the bytes read, whatever they say.
  static FoldedSequence decode(ByteReader& reader, std::uint32_t symbols, std::uint64_t most_size);

  bool operator==(const FoldedSequence&) const = default;

private:
  struct Body {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    std::uint32_t depth = 0; ///< with itself
    std::uint64_t size = 0;
    bool operator==(const Body&) const = default;
  };
  Body measure(std::span<const FoldedItem> items) const;
  void note_starts();

  std::vector<FoldedItem> items_; ///< of the bodies
  std::vector<Body> bodies_;
  std::vector<FoldedItem> root_;
  std::vector<std::uint64_t> starts_; ///< positions of some items of the root, equally far apart
  std::uint64_t size_ = 0;
  std::uint32_t depth_ = 0;
};

/// Writes sequences as FoldedSequence::encode does, and keeps its working memory from one to the next.
class FoldedSequenceEncoder {
public:
  void encode(const FoldedSequence& sequence, std::string& bytes);

private:
  /// Items yet to be written.
  struct List {
    std::span<const FoldedItem> rest;
    std::uint32_t body = 0; ///< whose they are
  };

  void open(std::span<const FoldedItem> items, std::uint32_t body, std::string& bytes);
  void put_body(const FoldedSequence& sequence, const FoldedItem& item, std::string& bytes);
  void put_symbol(const FoldedItem& item, std::string& bytes);

  std::vector<std::uint32_t> body_numbers_;
  std::vector<std::uint32_t> symbol_numbers_;
  std::vector<List> lists_;
  std::uint32_t known_ = 0;
  std::uint32_t next_symbol_ = 0;
};

} // namespace timeless::trace
