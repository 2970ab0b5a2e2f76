#include "tools/render/report/page/text_layout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

namespace timeless::tools {

namespace {

constexpr double mark_radius = 5; // pixels, with its edge

/// About as wide as the widest of usual fonts writes it, in bold.
double width_in_letters(std::string_view words) {
  double width = 0;
  for (const char c : words) {
    const std::string_view one(&c, 1);
    width += std::string_view(" ,.:ijl").find(one) != std::string_view::npos ? 0.42
             : std::string_view("mwMW").find(one) != std::string_view::npos  ? 1.05
                                                                             : 0.74;
  }
  return width;
}

/// The places of words beside a mark, better ones first.
std::vector<PictureText> places_beside(const NamedMark& mark) {
  std::vector<PictureText> places;
  for (const double up : {-9.0, 0.0, 9.0, -16.0, 16.0}) {
    places.push_back({mark.words, mark.x, mark_radius + 2, mark.y + up, ""});
    places.push_back({mark.words, mark.x, -mark_radius - 2, mark.y + up, "end"});
  }
  for (const double up : {-13.0, 13.0, -18.0, 18.0})
    for (const double right : {0.0, -12.0, 12.0})
      places.push_back({mark.words, mark.x, right, mark.y + up, "middle"});
  return places;
}

/// The place of the words that covers nothing but, where it must, what is better not covered.
std::optional<PictureText> best_place(const TextLayout& layout, const TextLayout& avoided, const NamedMark& mark) {
  std::optional<PictureText> best;
  std::size_t least = 0;
  for (const PictureText& place : places_beside(mark)) {
    if (layout.covered(place) > 0) continue;
    const std::size_t covers = avoided.covered(place);
    if (best && covers >= least) continue;
    best = place;
    least = covers;
  }
  return best;
}

/// Places the words of all marks in an order; returns the first for which there is no room, or their number.
std::size_t place_in_order(TextLayout& layout, const TextLayout& avoided, std::span<const NamedMark> marks,
                           std::span<const std::size_t> order, std::vector<PictureText>& placed) {
  std::size_t without = order.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto place = best_place(layout, avoided, marks[order[i]]);
    if (place) {
      layout.add(*place);
      placed.push_back(*place);
    } else
      without = std::min(without, i);
  }
  return without;
}

} // namespace

TextLayout::Box TextLayout::box(const PictureText& text) const {
  const double width = width_in_letters(text.words) * range_.font_size;
  const double begin = text.dx - (text.anchor == "end" ? width : text.anchor == "middle" ? width / 2 : 0);
  Box found{.top = text.y - 0.55 * range_.font_size, .bottom = text.y + 0.55 * range_.font_size};
  for (std::size_t i = 0; i < 2; ++i) {
    found.left[i] = text.x / 100 * (i == 0 ? range_.least : range_.most) + begin;
    found.right[i] = found.left[i] + width;
  }
  return found;
}

bool TextLayout::apart(const Box& one, const Box& other) {
  const auto before = [](const Box& left, const Box& right) {
    return left.right[0] <= right.left[0] && left.right[1] <= right.left[1];
  };
  return one.bottom <= other.top || other.bottom <= one.top || before(one, other) || before(other, one);
}

void TextLayout::add_mark(double x, double y, double radius) {
  Box box{.top = y - radius, .bottom = y + radius};
  for (std::size_t i = 0; i < 2; ++i) {
    const double middle = x / 100 * (i == 0 ? range_.least : range_.most);
    box.left[i] = middle - radius;
    box.right[i] = middle + radius;
  }
  boxes_.push_back(box);
}

std::size_t TextLayout::covered(const PictureText& text) const {
  const Box box = this->box(text);
  const bool out = box.left[0] < range_.left / 100 * range_.least || box.left[1] < range_.left / 100 * range_.most ||
                   box.right[0] > range_.least || box.right[1] > range_.most;
  return (out ? 1U : 0U) +
         static_cast<std::size_t>(std::ranges::count_if(boxes_, [&](const Box& other) { return !apart(box, other); }));
}

std::vector<PictureText> place_names(TextLayout& layout, std::span<const NamedMark> marks,
                                     std::span<const PictureText> avoided) {
  for (const NamedMark& mark : marks)
    layout.add_mark(mark.x, mark.y, mark_radius);
  TextLayout better_free = layout;
  for (const PictureText& text : avoided)
    better_free.add(text);
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), 0);
  // Words that found no room come first at the next attempt.
  for (std::size_t attempt = 0;; ++attempt) {
    TextLayout tried = layout;
    std::vector<PictureText> placed;
    const std::size_t without = place_in_order(tried, better_free, marks, order, placed);
    if (without == order.size() || attempt == marks.size()) {
      layout = std::move(tried);
      return placed;
    }
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(without),
                order.begin() + static_cast<std::ptrdiff_t>(without) + 1);
  }
}

} // namespace timeless::tools
