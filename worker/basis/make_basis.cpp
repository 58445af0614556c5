#include "worker/basis/ace/ace_basis.h"
#include "worker/basis/basis.h"
#include "worker/basis/pair/pair_basis.h"

namespace ipfit {
namespace {

std::unique_ptr<Basis> make(const PairSpec& spec, std::vector<double> coefficients) {
  return std::make_unique<PairBasis>(spec, std::move(coefficients));
}

std::unique_ptr<Basis> make(const AceSpec& spec, std::vector<double> coefficients) {
  return std::make_unique<AceBasis>(spec, std::move(coefficients));
}

}  // namespace

std::unique_ptr<Basis> make_basis(const BasisSpec& spec, std::vector<double> coefficients) {
  return std::visit([&](const auto& kind) { return make(kind, std::move(coefficients)); }, spec);
}

}  // namespace ipfit
