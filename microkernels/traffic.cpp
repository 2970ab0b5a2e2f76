#include "microkernels/kernel.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace timeless::microkernels {

namespace {

using Doubles = std::span<double>;

/// Fills in 0 to count - 1 in random order.
void shuffle(std::span<std::uint32_t> numbers, std::uint64_t seed) {
  std::iota(numbers.begin(), numbers.end(), 0U);
  Random random(seed);
  for (std::size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1], numbers[random.below(i)]);
}

void fill(Doubles values, std::uint64_t seed) {
  Random random(seed);
  for (double& value : values)
    value = 0.5 + random.fraction();
}

/// One array in order into another.
class Copy : public Work {
public:
  Copy(Arena& arena, std::size_t n) : from_(arena.take<double>(n)), to_(arena.take<double>(n)) { fill(from_, 1); }
  double sweep() override {
    for (std::size_t i = 0; i < from_.size(); ++i)
      to_[i] = from_[i];
    from_[0] += 1;
    return to_[to_.size() / 2];
  }

private:
  Doubles from_;
  Doubles to_;
};

/// Two arrays in order, and one written, as in STREAM's triad.
class Triad : public Work {
public:
  Triad(Arena& arena, std::size_t n) : a_(arena.take<double>(n)), b_(arena.take<double>(n)), c_(arena.take<double>(n)) {
    fill(b_, 1);
    fill(c_, 2);
  }
  double sweep() override {
    for (std::size_t i = 0; i < a_.size(); ++i)
      a_[i] = b_[i] + 3 * c_[i];
    return a_[a_.size() / 2];
  }

private:
  Doubles a_;
  Doubles b_;
  Doubles c_;
};

/// Reads in random order, each independent of the one before.
class Gather : public Work {
public:
  Gather(Arena& arena, std::size_t n) : from_(arena.take<double>(n)), order_(arena.take<std::uint32_t>(n)) {
    fill(from_, 1);
    shuffle(order_, 2);
  }
  double sweep() override {
    std::array<double, 4> sums{};
    for (std::size_t i = 0; i + 4 <= order_.size(); i += 4)
      for (std::size_t k = 0; k < 4; ++k)
        sums[k] += from_[order_[i + k]];
    return sums[0] + sums[1] + sums[2] + sums[3];
  }

private:
  Doubles from_;
  std::span<std::uint32_t> order_;
};

/// Reads and writes in random order.
class ScatterAdd : public Work {
public:
  ScatterAdd(Arena& arena, std::size_t n) : to_(arena.take<double>(n)), order_(arena.take<std::uint32_t>(n)) {
    fill(to_, 1);
    shuffle(order_, 2);
  }
  double sweep() override {
    for (const std::uint32_t place : order_)
      to_[place] += 1;
    return to_[0];
  }

private:
  Doubles to_;
  std::span<std::uint32_t> order_;
};

/// Each element says where the next is, a line each.
class Chase : public Work {
public:
  Chase(Arena& arena, std::size_t n) : lines_(arena.take<Line>(n)) {
    // One cycle through all (Sattolo).
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    Random random(3);
    for (std::size_t i = n; i > 1; --i)
      std::swap(order[i - 1], order[random.below(i - 1 > 0 ? i - 1 : 1)]);
    for (std::size_t i = 0; i < n; ++i)
      lines_[order[i]].next = order[(i + 1) % n];
  }
  double sweep() override {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      at = lines_[at].next;
    return static_cast<double>(at);
  }

private:
  struct Line {
    std::uint64_t next;
    std::array<std::uint64_t, 7> rest;
  };
  std::span<Line> lines_;
};

/// A matrix by rows, added up by columns.
class Columns : public Work {
public:
  Columns(Arena& arena, std::size_t n)
      : rows_(std::max<std::size_t>(n / width, 2)), matrix_(arena.take<double>(rows_ * width)) {
    fill(matrix_, 1);
  }
  double sweep() override {
    double sum = 0;
    for (std::size_t column = 0; column < width; ++column)
      for (std::size_t row = 0; row < rows_; ++row)
        sum += matrix_[row * width + column];
    return sum;
  }

private:
  static constexpr std::size_t width = 520;
  std::size_t rows_;
  Doubles matrix_;
};

/// Seven points of a grid, as heat equations and multigrid have them.
class Stencil : public Work {
public:
  Stencil(Arena& arena, std::size_t n) : side_(4) {
    while ((side_ + 1) * (side_ + 1) * (side_ + 1) <= n)
      ++side_;
    from_ = arena.take<double>(side_ * side_ * side_);
    to_ = arena.take<double>(side_ * side_ * side_);
    fill(from_, 1);
    fill(to_, 2);
  }
  double sweep() override {
    const std::size_t plane = side_ * side_;
    for (std::size_t k = 1; k + 1 < side_; ++k)
      for (std::size_t j = 1; j + 1 < side_; ++j) {
        const double* in = from_.data() + k * plane + j * side_;
        double* out = to_.data() + k * plane + j * side_;
        for (std::size_t i = 1; i + 1 < side_; ++i)
          out[i] = 0.4 * in[i] +
                   0.1 * (in[i - 1] + in[i + 1] + in[i - side_] + in[i + side_] + in[i - plane] + in[i + plane]);
      }
    std::swap(from_, to_);
    return from_[plane + side_ + 1];
  }

private:
  std::size_t side_;
  Doubles from_;
  Doubles to_;
};

/// A sparse matrix by rows of 16 elements, half of them near the diagonal, times a vector.
class Sparse : public Work {
public:
  Sparse(Arena& arena, std::size_t n)
      : rows_(std::max<std::size_t>(n / in_row, 8)), values_(arena.take<double>(rows_ * in_row)),
        columns_(arena.take<std::uint32_t>(rows_ * in_row)), x_(arena.take<double>(rows_)),
        y_(arena.take<double>(rows_)) {
    fill(values_, 1);
    fill(x_, 2);
    Random random(5);
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t k = 0; k < in_row; ++k)
        columns_[row * in_row + k] = static_cast<std::uint32_t>(k % 2 == 0 ? random.below(rows_) : (row + k) % rows_);
  }
  double sweep() override {
    for (std::size_t row = 0; row < rows_; ++row) {
      double sum = 0;
      for (std::size_t k = row * in_row; k < (row + 1) * in_row; ++k)
        sum += values_[k] * x_[columns_[k]];
      y_[row] = sum;
    }
    return y_[rows_ / 2];
  }

private:
  static constexpr std::size_t in_row = 16;
  std::size_t rows_;
  Doubles values_;
  std::span<std::uint32_t> columns_;
  Doubles x_;
  Doubles y_;
};

/// Keys counted, as a sort of integers begins.
class CountKeys : public Work {
public:
  CountKeys(Arena& arena, std::size_t n) : keys_(arena.take<std::uint32_t>(n)), counts_(arena.take<std::uint32_t>(n)) {
    Random random(6);
    for (std::uint32_t& key : keys_)
      key = static_cast<std::uint32_t>(random.below(n));
    std::ranges::fill(counts_, 0U);
  }
  double sweep() override {
    for (const std::uint32_t key : keys_)
      ++counts_[key];
    return counts_[0];
  }

private:
  std::span<std::uint32_t> keys_;
  std::span<std::uint32_t> counts_;
};

/// One pass of a Fourier transform: two elements far apart become their sum and difference, turned.
class Butterflies : public Work {
public:
  Butterflies(Arena& arena, std::size_t n) : values_(arena.take<double>(n / 2 * 4)) { fill(values_, 1); }
  double sweep() override {
    const std::size_t half = values_.size() / 2;
    double cosine = 1;
    double sine = 0;
    for (std::size_t i = 0; i < half; i += 2) {
      const double re = values_[i] - values_[i + half];
      const double im = values_[i + 1] - values_[i + 1 + half];
      values_[i] = 0.5 * (values_[i] + values_[i + half]);
      values_[i + 1] = 0.5 * (values_[i + 1] + values_[i + 1 + half]);
      values_[i + half] = re * cosine - im * sine;
      values_[i + 1 + half] = re * sine + im * cosine;
      if (i % 64 == 0) {
        cosine = 0.8;
        sine = 0.6;
      }
    }
    return values_[half / 2];
  }

private:
  Doubles values_;
};

/// Random numbers looked for in a sorted list by halving.
class Search : public Work {
public:
  Search(Arena& arena, std::size_t n) : sorted_(arena.take<double>(n)), random_(7) {
    for (std::size_t i = 0; i < n; ++i)
      sorted_[i] = static_cast<double>(i) / static_cast<double>(n);
  }
  double sweep() override {
    std::size_t found = 0;
    for (std::size_t i = 0; i < searches; ++i)
      found += static_cast<std::size_t>(std::ranges::lower_bound(sorted_, random_.fraction()) - sorted_.begin());
    return static_cast<double>(found);
  }

private:
  static constexpr std::size_t searches = 20000;
  Doubles sorted_;
  Random random_;
};

/// Columns packed into a message.
class Pack : public Work {
public:
  Pack(Arena& arena, std::size_t n)
      : rows_(std::max<std::size_t>(n / width, 2)), matrix_(arena.take<double>(rows_ * width)),
        packed_(arena.take<double>(rows_ * of_row)) {
    fill(matrix_, 1);
  }
  double sweep() override {
    std::size_t out = 0;
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t column = 0; column < of_row; ++column)
        packed_[out++] = matrix_[row * width + column];
    return packed_[0];
  }

private:
  static constexpr std::size_t width = 64;
  static constexpr std::size_t of_row = 5;
  std::size_t rows_;
  Doubles matrix_;
  Doubles packed_;
};

/// Memory that the system has to give first, each time at another place.
class NewPages : public Work {
public:
  NewPages(Arena& /*arena*/, std::size_t n)
      : count_(n / of_page * of_page), memory_(mmap(nullptr, places * bytes(), PROT_READ | PROT_WRITE,
                                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~NewPages() override {
    if (memory_ != MAP_FAILED) munmap(memory_, places * bytes());
  }
  double sweep() override {
    if (memory_ == MAP_FAILED) return 0;
    const Doubles values(static_cast<double*>(memory_) + place_ * count_, count_);
    madvise(values.data(), bytes(), MADV_DONTNEED);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(i);
    place_ = (place_ + 1) % places;
    return values.back();
  }

private:
  static constexpr std::size_t places = 16;
  static constexpr std::size_t of_page = 512;
  std::size_t bytes() const { return count_ * sizeof(double); }

  std::size_t count_; ///< whole pages
  void* memory_;
  std::size_t place_ = 0;
};

constexpr std::size_t kilo = 1000;
constexpr std::size_t mega = 1000 * kilo;
constexpr std::size_t sweep_elements = 1500 * kilo;

constexpr std::array<Kernel, 13> table = {{
    {"copy", 16, 12 * kilo, 60 * mega, sweep_elements, make<Copy>, true, true},
    {"triad", 24, 12 * kilo, 60 * mega, sweep_elements, make<Triad>, true},
    {"gather", 12, 12 * kilo, 60 * mega, sweep_elements, make<Gather>, true, true},
    {"scatter_add", 12, 12 * kilo, 60 * mega, sweep_elements, make<ScatterAdd>},
    {"chase", 64, 12 * kilo, 60 * mega, sweep_elements / 4, make<Chase>, true, true},
    {"columns", 8, 12 * kilo, 60 * mega, sweep_elements, make<Columns>},
    {"stencil", 16, 12 * kilo, 60 * mega, sweep_elements, make<Stencil>},
    {"sparse", 13, 12 * kilo, 60 * mega, sweep_elements, make<Sparse>},
    {"count_keys", 8, 12 * kilo, 60 * mega, sweep_elements, make<CountKeys>},
    {"butterflies", 16, 12 * kilo, 60 * mega, sweep_elements, make<Butterflies>},
    {"search", 8, 12 * kilo, 60 * mega, 1, make<Search>},
    {"pack", 8, 100 * kilo, 60 * mega, sweep_elements * 4, make<Pack>},
    {"new_pages", 8, 1500 * kilo, 6 * mega, 1, make<NewPages>},
}};

} // namespace

std::span<const Kernel> fetching_kernels() {
  return table;
}

} // namespace timeless::microkernels
