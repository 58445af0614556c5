#pragma once

namespace ipfit {

/// Functions for the alternatives of a variant, as one object for std::visit.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace ipfit
