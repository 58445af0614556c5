#include "worker/basis/basis.h"
#include "worker/basis/pair/pair_basis.h"

namespace ipfit {
namespace {

std::unique_ptr<Basis> make(const PairSpec& spec) {
  return std::make_unique<PairBasis>(spec);
}

}  // namespace

std::unique_ptr<Basis> make_basis(const BasisSpec& spec) {
  return std::visit([](const auto& kind) { return make(kind); }, spec);
}

}  // namespace ipfit
