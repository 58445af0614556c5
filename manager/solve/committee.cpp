#include "manager/solve/committee.h"

#include <cmath>
#include <numbers>
#include <random>

namespace ipfit {
namespace {

// std::normal_distribution differs between standard libraries, so the transform is our own: Box and Muller, Ann. Math.
// Stat. 29, 610 (1958). mt19937_64 itself is fixed by the standard.
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) : generator_(seed) {}

  double next() {
    if (spare_there_) {
      spare_there_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    const double angle = 2.0 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    spare_there_ = true;
    return radius * std::cos(angle);
  }

 private:
  // (0, 1]: 53 bits, never 0
  double uniform() { return std::ldexp(static_cast<double>((generator_() >> 11) + 1), -53); }

  std::mt19937_64 generator_;
  double spare_ = 0.0;
  bool spare_there_ = false;
};

}  // namespace

Eigen::MatrixXd draw_committee(const Eigen::VectorXd& mean, const Eigen::MatrixXd& factor, std::int64_t members,
                               std::uint64_t seed) {
  NormalNumbers normal(seed);
  Eigen::MatrixXd xi(factor.cols(), members);
  for (Eigen::Index member = 0; member < members; ++member) {
    for (Eigen::Index k = 0; k < factor.cols(); ++k) {
      xi(k, member) = normal.next();
    }
  }
  return (factor * xi).colwise() + mean;
}

}  // namespace ipfit
