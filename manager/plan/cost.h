#pragma once

#include "common/model/basis_spec.h"
#include "manager/plan/dataset_index.h"

namespace ipfit {

/// How long the rows of a structure take on one ordinary core: a part for each site and a part for each of its
/// neighbours. Rough; the ratio between structures is better than the seconds.
struct EvaluationCost {
  double cutoff = 0.0;                 ///< Å
  double seconds_per_site = 0.0;       ///< s
  double seconds_per_neighbour = 0.0;  ///< s, for each neighbour of each site
};
EvaluationCost evaluation_cost(const BasisSpec& basis);

/// What a worker keeps of the couplings of an ACE basis; 0 for other kinds.
double coupling_bytes(const BasisSpec& basis);

/// Seconds for one structure, by the neighbours within the cutoff at its density.
double estimated_seconds(const StructureInfo& info, const EvaluationCost& cost);

}  // namespace ipfit
