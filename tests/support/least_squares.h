#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "common/lsq/reduced.h"

namespace ipfit::test {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A least-squares problem with all its rows.
struct Rows {
  RowMajor A;
  Eigen::VectorXd y;

  Rows(Eigen::Index rows, Eigen::Index columns) : A(rows, columns), y(rows) {}
  Rows(RowMajor a, Eigen::VectorXd targets) : A(std::move(a)), y(std::move(targets)) {}
  Rows part(Eigen::Index first, Eigen::Index count) const {
    Rows out(count, A.cols());
    out.A = A.middleRows(first, count);
    out.y = y.segment(first, count);
    return out;
  }
  double size() const { return std::hypot(A.norm(), y.norm()); }
};

inline Rows random_rows(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Rows out(rows, columns);
  out.A = RowMajor::NullaryExpr(rows, columns, [&] { return uniform(generator); });
  out.y = Eigen::VectorXd::NullaryExpr(rows, [&] { return uniform(generator); });
  return out;
}

inline ReducedSystem reduced(const Rows& rows) {
  return reduce(std::span(rows.A.data(), static_cast<std::size_t>(rows.A.size())),
                std::span(rows.y.data(), static_cast<std::size_t>(rows.y.size())), rows.A.cols());
}

inline double residual(const Rows& rows, const Eigen::VectorXd& c) {
  return (rows.A * c - rows.y).norm();
}

inline double residual(const ReducedSystem& system, const Eigen::VectorXd& c) {
  return std::hypot((system.R * c - system.z).norm(), system.rho);
}

/// Reads rows of `rows` as reduce_rows wants them.
inline RowReader reader_of(const Rows& rows) {
  return [&rows](std::int64_t first, std::int64_t count, std::span<double> a, std::span<double> y) -> Status {
    Eigen::Map<RowMajor>(a.data(), count, rows.A.cols()) = rows.A.middleRows(first, count);
    Eigen::Map<Eigen::VectorXd>(y.data(), count) = rows.y.segment(first, count);
    return Done{};
  };
}

}  // namespace ipfit::test
