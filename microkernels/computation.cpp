#include "microkernels/kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace timeless::microkernels {

namespace {

using Values = std::span<double>;

void draw(Values values, std::uint64_t seed) {
  Random random(seed);
  for (double& value : values)
    value = 0.5 + random.fraction();
}

/// Each addition needs the one before.
class Sum : public Work {
public:
  Sum(Arena& arena, std::size_t n) : values_(arena.take<double>(n)) { draw(values_, 1); }
  double sweep() override {
    double sum = 0;
    for (const double value : values_)
      sum += value;
    return sum;
  }

private:
  Values values_;
};

/// Eight independent sums of products: multiplications and additions that overlap.
class Dot : public Work {
public:
  Dot(Arena& arena, std::size_t n) : left_(arena.take<double>(n)), right_(arena.take<double>(n)) {
    draw(left_, 1);
    draw(right_, 2);
  }
  double sweep() override {
    std::array<double, 8> sums{};
    for (std::size_t i = 0; i + 8 <= left_.size(); i += 8)
      for (std::size_t k = 0; k < 8; ++k)
        sums[k] += left_[i + k] * right_[i + k];
    return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
  }

private:
  Values left_;
  Values right_;
};

/// A first-order recurrence, as substitutions have it.
class Recurrence : public Work {
public:
  Recurrence(Arena& arena, std::size_t n) : values_(arena.take<double>(n)) { draw(values_, 1); }
  double sweep() override {
    double last = 0;
    for (double& value : values_) {
      last = 0.5 * last + value;
      value = 0.25 * last + 0.5;
    }
    return last;
  }

private:
  Values values_;
};

/// Matrices of 24 x 24, one product after the other.
class Product : public Work {
public:
  Product(Arena& arena, std::size_t n)
      : count_(std::max<std::size_t>(n / (3 * size * size), 1)), all_(arena.take<double>(3 * size * size * count_)) {
    draw(all_, 1);
  }
  double sweep() override {
    for (std::size_t which = 0; which < count_; ++which) {
      const double* a = all_.data() + 3 * size * size * which;
      const double* b = a + size * size;
      double* c = all_.data() + 3 * size * size * which + 2 * size * size;
      for (std::size_t i = 0; i < size; ++i) {
        std::array<double, size> row{};
        for (std::size_t k = 0; k < size; ++k)
          for (std::size_t j = 0; j < size; ++j)
            row[j] += a[i * size + k] * b[k * size + j];
        for (std::size_t j = 0; j < size; ++j)
          c[i * size + j] = row[j];
      }
    }
    return all_[2 * size * size];
  }

private:
  static constexpr std::size_t size = 24;
  std::size_t count_;
  Values all_;
};

/// Blocks of 5 x 5 eliminated, as solvers of flow have them at each point.
class Blocks : public Work {
public:
  Blocks(Arena& arena, std::size_t n)
      : count_(std::max<std::size_t>(n / of_block, 2)), all_(arena.take<double>(count_ * of_block)) {
    draw(all_, 1);
  }
  double sweep() override {
    double last = 0;
    for (std::size_t which = 0; which < count_; ++which) {
      double* block = all_.data() + which * of_block;
      std::array<double, of_block> m{};
      for (std::size_t i = 0; i < of_block; ++i)
        m[i] = block[i];
      for (std::size_t p = 0; p < size; ++p) {
        const double pivot = 1 / (m[p * size + p] + 4);
        for (std::size_t i = p + 1; i < size; ++i) {
          const double factor = m[i * size + p] * pivot;
          for (std::size_t j = p; j < size; ++j)
            m[i * size + j] -= factor * m[p * size + j];
          m[size * size + i] -= factor * m[size * size + p];
        }
      }
      for (std::size_t i = 0; i < size; ++i)
        block[size * size + i] = 0.5 * m[size * size + i] + 0.25;
      last += m[of_block - 1];
    }
    return last;
  }

private:
  static constexpr std::size_t size = 5;
  static constexpr std::size_t of_block = size * size + size;
  std::size_t count_;
  Values all_;
};

/// Independent divisions.
class Divide : public Work {
public:
  Divide(Arena& arena, std::size_t n) : from_(arena.take<double>(n)), to_(arena.take<double>(n)) { draw(from_, 1); }
  double sweep() override {
    for (std::size_t i = 0; i < from_.size(); ++i)
      to_[i] = 1 / (from_[i] + 1);
    return to_[0];
  }

private:
  Values from_;
  Values to_;
};

/// Each division needs the one before.
class DivideChain : public Work {
public:
  DivideChain(Arena& arena, std::size_t n) : values_(arena.take<double>(n)) { draw(values_, 1); }
  double sweep() override {
    double last = 1;
    for (const double value : values_)
      last = value / (last + 1);
    return last;
  }

private:
  Values values_;
};

/// Distances and what falls off with them, within a radius: pairs of particles.
class Pairs : public Work {
public:
  Pairs(Arena& arena, std::size_t n)
      : x_(arena.take<double>(n)), y_(arena.take<double>(n)), z_(arena.take<double>(n)), force_(arena.take<double>(n)) {
    draw(x_, 1);
    draw(y_, 2);
    draw(z_, 3);
    draw(force_, 4);
  }
  double sweep() override {
    double energy = 0;
    for (std::size_t i = 0; i + neighbours < x_.size(); i += 4)
      for (std::size_t k = i + 1; k <= i + neighbours; ++k) {
        const double dx = x_[i] - x_[k];
        const double dy = y_[i] - y_[k];
        const double dz = z_[i] - z_[k];
        const double squared = dx * dx + dy * dy + dz * dz;
        if (squared > 0.4) continue;
        const double inverse = 1 / (squared + 0.1);
        const double sixth = inverse * inverse * inverse;
        energy += sixth * (sixth - 1);
        force_[k] += 1e-9 * sixth;
      }
    return energy;
  }

private:
  static constexpr std::size_t neighbours = 16;
  Values x_;
  Values y_;
  Values z_;
  Values force_;
};

/// The random numbers of the NAS benchmarks: products of 46 bits in floating-point numbers of 53.
class RandomNumbers : public Work {
public:
  RandomNumbers(Arena& arena, std::size_t n) : values_(arena.take<double>(n)) {}
  double sweep() override {
    constexpr double down = 0x1p-23;
    constexpr double up = 0x1p23;
    constexpr double a = 1220703125;
    const double a1 = static_cast<double>(static_cast<std::int32_t>(down * a));
    const double a2 = a - up * a1;
    double x = state_;
    for (double& value : values_) {
      const double x1 = static_cast<double>(static_cast<std::int32_t>(down * x));
      const double x2 = x - up * x1;
      const double t1 = a1 * x2 + a2 * x1;
      const double t2 = static_cast<double>(static_cast<std::int32_t>(down * t1));
      const double t3 = up * (t1 - up * t2) + a2 * x2;
      const double t4 = static_cast<double>(static_cast<std::int32_t>(0x1p-46 * t3));
      x = t3 - 0x1p46 * t4;
      value = 0x1p-46 * x;
    }
    state_ = x;
    return x;
  }

private:
  Values values_;
  double state_ = 271828183;
};

/// Which way is a matter of chance.
class Branches : public Work {
public:
  Branches(Arena& arena, std::size_t n) : keys_(arena.take<std::uint32_t>(n)), out_(arena.take<std::uint32_t>(n)) {
    Random random(1);
    for (std::uint32_t& key : keys_)
      key = static_cast<std::uint32_t>(random.next() >> 40U);
  }
  double sweep() override {
    std::size_t kept = 0;
    double sum = 0;
    for (const std::uint32_t key : keys_)
      if ((key & 1U) != 0) {
        out_[kept++] = key;
        sum += static_cast<double>(key) * 0.5;
      }
    return sum + static_cast<double>(kept);
  }

private:
  std::span<std::uint32_t> keys_;
  std::span<std::uint32_t> out_;
};

/// Integers mixed, each by itself.
class Hash : public Work {
public:
  Hash(Arena& arena, std::size_t n) : values_(arena.take<std::uint64_t>(n)) {
    Random random(1);
    for (std::uint64_t& value : values_)
      value = random.next();
  }
  double sweep() override {
    std::uint64_t all = 0;
    for (const std::uint64_t each : values_) {
      std::uint64_t value = each;
      value = (value ^ (value >> 33U)) * 0xff51afd7ed558ccdULL;
      value = (value ^ (value >> 33U)) * 0xc4ceb9fe1a85ec53ULL;
      all += value ^ (value >> 33U);
    }
    return static_cast<double>(all);
  }

private:
  std::span<std::uint64_t> values_;
};

/// Square roots, logarithms and exponentials.
class Transcendental : public Work {
public:
  Transcendental(Arena& arena, std::size_t n) : values_(arena.take<double>(n)) { draw(values_, 1); }
  double sweep() override {
    double sum = 0;
    for (const double value : values_)
      sum += std::sqrt(-std::log(value * 0.5)) + std::exp(-value);
    return sum;
  }

private:
  Values values_;
};

/// Short loops and calls, as programs have them around their computation.
class Bookkeeping : public Work {
public:
  Bookkeeping(Arena& arena, std::size_t n) : begins_(arena.take<std::uint32_t>(n)), values_(arena.take<double>(4 * n)) {
    Random random(9);
    for (std::uint32_t& begin : begins_)
      begin = static_cast<std::uint32_t>(random.below(4 * n - 8));
    draw(values_, 2);
  }
  double sweep() override {
    double all = 0;
    for (std::size_t i = 0; i < begins_.size(); ++i) {
      const std::size_t length = 2 + (i & 3U);
      double most = 0;
      for (std::size_t k = begins_[i]; k < begins_[i] + length; ++k)
        most = std::max(most, values_[k]);
      all += most;
    }
    return all;
  }

private:
  std::span<std::uint32_t> begins_;
  Values values_;
};

constexpr std::size_t kilobytes = 1000;
constexpr std::size_t megabytes = 1000 * kilobytes;
constexpr std::size_t visited = 1500 * kilobytes;

constexpr std::array<Kernel, 13> rows = {{
    {"sum", 8, 12 * kilobytes, 60 * megabytes, visited, make<Sum>},
    {"dot", 16, 12 * kilobytes, 60 * megabytes, visited, make<Dot>},
    {"recurrence", 8, 12 * kilobytes, 6 * megabytes, visited, make<Recurrence>},
    {"product", 8, 12 * kilobytes, 6 * megabytes, visited, make<Product>},
    {"blocks", 8, 12 * kilobytes, 60 * megabytes, visited, make<Blocks>},
    {"divide", 16, 12 * kilobytes, 400 * kilobytes, visited, make<Divide>},
    {"divide_chain", 8, 12 * kilobytes, 12 * kilobytes, visited, make<DivideChain>},
    {"pairs", 32, 1500 * kilobytes, 6 * megabytes, visited, make<Pairs>},
    {"random_numbers", 8, 12 * kilobytes, 400 * kilobytes, visited, make<RandomNumbers>},
    {"branches", 8, 1500 * kilobytes, 6 * megabytes, visited, make<Branches>},
    {"hash", 8, 12 * kilobytes, 6 * megabytes, visited, make<Hash>},
    {"transcendental", 8, 12 * kilobytes, 100 * kilobytes, visited / 4, make<Transcendental>},
    {"bookkeeping", 36, 400 * kilobytes, 24 * megabytes, visited, make<Bookkeeping>},
}};

} // namespace

std::span<const Kernel> computing_kernels() {
  return rows;
}

} // namespace timeless::microkernels
