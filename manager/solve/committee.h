#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace ipfit {

/// `members` coefficient sets drawn from N(mean, F F^T), as columns: mean + F xi, with xi standard normal. The same
/// seed gives the same members on every machine (up to the last bits of its log and cos), and the first of many are
/// those of few.
Eigen::MatrixXd draw_committee(const Eigen::VectorXd& mean, const Eigen::MatrixXd& factor, std::int64_t members,
                               std::uint64_t seed);

}  // namespace ipfit
