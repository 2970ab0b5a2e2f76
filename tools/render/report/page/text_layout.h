#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Where texts of a picture stand so that none covers another, at every width that the picture may have.
namespace timeless::tools {

/// A text of a picture that is as wide as the page.
struct PictureText {
  std::string words;
  double x = 0;            ///< in per cent of the width
  double dx = 0;           ///< right of that, in pixels
  double y = 0;            ///< of the middle of its letters, in pixels
  std::string_view anchor; ///< which part of it stands there: "" its begin, "middle" or "end"

  bool operator==(const PictureText&) const = default;
};

/// What a picture holds already, at all widths of a range.
class TextLayout {
public:
  struct Range {
    double least = 0; ///< of the picture's widths, in pixels
    double most = 0;
    double left = 0;      ///< where texts may begin, in per cent of the width
    double font_size = 0; ///< in pixels
  };
  explicit TextLayout(const Range& range) : range_(range) {}

  /// Adds a mark, round a point in per cent of the width and in pixels.
  void add_mark(double x, double y, double radius);
  /// Returns how many of the texts and marks so far a text would cover; one that would stand out of the picture covers
  /// one more.
  std::size_t covered(const PictureText& text) const;
  void add(const PictureText& text) { boxes_.push_back(box(text)); }

private:
  /// Its left and right end at both ends of the range of widths.
  struct Box {
    std::array<double, 2> left{};
    std::array<double, 2> right{};
    double top = 0;
    double bottom = 0;
  };
  Box box(const PictureText& text) const;
  static bool apart(const Box& one, const Box& other);

  Range range_;
  std::vector<Box> boxes_;
};

/// What is to be named in a picture: a mark at a place in per cent of the width and in pixels, and its words.
struct NamedMark {
  double x = 0;
  double y = 0;
  std::string words;
};

/// Places the words of marks beside them, those of the first marks first; words for which there is no room are left
/// out. `avoided` are texts better not covered: they can stand elsewhere. Adds the marks and the words to the layout.
std::vector<PictureText> place_names(TextLayout& layout, std::span<const NamedMark> marks,
                                     std::span<const PictureText> avoided);

} // namespace timeless::tools
