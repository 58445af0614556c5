#include "manager/output/yace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <iterator>

#include "common/atoms/element.h"
#include "common/json.h"
#include "common/model/ace/coupling.h"
#include "common/model/ace/radial_names.h"

namespace ipfit {
namespace {

// The spacing of LAMMPS' tables. At this customary value their error is some 1e-11 of a function, 1e-8 of its slope.
constexpr const char* kSplineSpacing = "0.001";
constexpr double kUnusedLambda = 5.25;
constexpr double kUnusedWidth = 0.01;  // Å

/// A real number with as many digits as it takes to read the same double again, in a form that is a real number also by
/// the older rules of YAML, which ask for a point: 1.0e+5, not 1e5.
std::string real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find('.') == std::string::npos) {
    const std::size_t exponent = text.find('e');
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  return text;
}

std::string reals(std::span<const double> values) {
  std::string text;
  for (const double value : values) {
    text += (text.empty() ? "" : ", ") + real(value);
  }
  return text;
}

double transform_of(const AceBond& bond, std::size_t n, std::size_t k) {
  if (bond.transform.empty()) {
    return n == k ? 1.0 : 0.0;
  }
  return bond.transform[n * static_cast<std::size_t>(bond.size) + k];
}

const AceBond& bond_of(const AceSpec& spec, std::size_t centre, const AceLabel& label) {
  return spec.bonds[spec.bond_index(centre, label.element)];
}

/// What the products of two and more factors take of a bond: the largest n and l. The file has tables for no more.
struct Reach {
  std::size_t n = 0;
  std::size_t l = 0;
};

std::vector<Reach> reaches(const AceSpec& spec) {
  std::vector<Reach> all(spec.bonds.size());
  for (const AceMultiset& multiset : spec.multisets) {
    if (multiset.labels.size() == 1) {
      continue;
    }
    for (const AceLabel& label : multiset.labels) {
      Reach& reach = all[spec.bond_index(multiset.centre, label.element)];
      reach.n = std::max<std::size_t>(reach.n, label.n);
      reach.l = std::max<std::size_t>(reach.l, label.l);
    }
  }
  return all;
}

/// C_nlk = T_nk for every l.
std::string radcoefficients(const AceBond& bond, const Reach& reach) {
  std::vector<std::string> planes;
  for (std::size_t n = 0; n < reach.n; ++n) {
    std::vector<double> row;
    for (std::size_t k = 0; k < static_cast<std::size_t>(bond.size); ++k) {
      row.push_back(transform_of(bond, n, k));
    }
    const std::vector<std::string> rows(reach.l + 1, "[" + reals(row) + "]");
    planes.push_back(fmt::format("[{}]", fmt::join(rows, ", ")));
  }
  return fmt::format("[{}]", fmt::join(planes, ", "));
}

void write_bond(std::string& out, std::size_t i, std::size_t j, const AceBond& bond, const Reach& reach) {
  const bool has_lambda = bond.family != RadialFamily::kSBessel;
  const bool has_width = bond.family == RadialFamily::kChebExpCos;
  fmt::format_to(std::back_inserter(out),
                 "  [{}, {}]: {{radbasename: {}, radparameters: [{}], nradbasemax: {}, nradmax: {}, lmax: {}, "
                 "radcoefficients: {}, rcut: {}, dcut: {}, rcut_in: {}, dcut_in: {}, inner_cutoff_type: distance, "
                 "prehc: 0.0, lambdahc: 1.0}}\n",
                 i, j, radial_name(bond.family), real(has_lambda ? bond.lambda : kUnusedLambda), bond.size, reach.n,
                 reach.l, radcoefficients(bond, reach), real(bond.cutoff),
                 real(has_width ? bond.cutoff_width : kUnusedWidth), real(bond.inner_cutoff), real(bond.inner_width));
}

/// One entry: the factors, the m tuples one after the other, a coefficient for each tuple.
void write_function(std::string& out, std::size_t centre, const std::vector<AceLabel>& labels,
                    const std::vector<int>& ms, const std::vector<double>& values) {
  std::vector<int> elements, ns, ls;
  for (const AceLabel& label : labels) {
    elements.push_back(label.element);
    ns.push_back(label.n);
    ls.push_back(label.l);
  }
  fmt::format_to(std::back_inserter(out),
                 "    - {{mu0: {}, rank: {}, ndensity: 1, num_ms_combs: {}, mus: [{}], ns: [{}], ls: [{}], "
                 "ms_combs: [{}], ctildes: [{}]}}\n",
                 centre, labels.size(), values.size(), fmt::join(elements, ", "), fmt::join(ns, ", "),
                 fmt::join(ls, ", "), fmt::join(ms, ", "), reals(values));
}

/// Coefficients of the raw g_k around one centre, by element and k, collected from the products of one factor.
class RawPairs {
 public:
  RawPairs(const AceSpec& spec, std::size_t centre) : spec_(spec), centre_(centre) {
    for (std::size_t element = 0; element < spec.elements.size(); ++element) {
      raw_.emplace_back(static_cast<std::size_t>(spec.bonds[spec.bond_index(centre, element)].size), 0.0);
    }
  }
  void add(const AceLabel& label, double coefficient) {
    std::vector<double>& raw = raw_[label.element];
    for (std::size_t k = 0; k < raw.size(); ++k) {
      raw[k] += coefficient * transform_of(bond_of(spec_, centre_, label), label.n - std::size_t{1}, k);
    }
  }
  void write(std::string& out) const {
    for (std::size_t element = 0; element < raw_.size(); ++element) {
      for (std::size_t k = 0; k < raw_[element].size(); ++k) {
        if (raw_[element][k] != 0.0) {
          const AceLabel label{0, static_cast<std::uint8_t>(element), static_cast<std::uint8_t>(k + 1)};
          write_function(out, centre_, {label}, {0}, {raw_[element][k]});
        }
      }
    }
  }

 private:
  const AceSpec& spec_;
  std::size_t centre_;
  std::vector<std::vector<double>> raw_;
};

/// The product of several factors with the coefficients of all its couplings summed; nothing where all are zero.
void write_product(std::string& out, const AceMultiset& multiset, const Coupling& coupling,
                   std::span<const double> coefficients) {
  std::vector<int> ms;
  std::vector<double> values;
  for (std::size_t orbit = 0; orbit < coupling.m.size(); ++orbit) {
    double sum = 0.0;
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
      sum += coefficients[k] * coupling.weights[k * coupling.m.size() + orbit];
    }
    if (sum != 0.0) {
      values.push_back(sum);
      ms.insert(ms.end(), coupling.m[orbit].begin(),
                coupling.m[orbit].begin() + static_cast<std::ptrdiff_t>(multiset.labels.size()));
    }
  }
  if (!values.empty()) {
    write_function(out, multiset.centre, multiset.labels, ms, values);
  }
}

void write_functions(std::string& out, const AceSpec& spec, std::span<const double> coefficients) {
  std::vector<RawPairs> pairs;
  std::vector<std::string> products(spec.elements.size());
  for (std::size_t centre = 0; centre < spec.elements.size(); ++centre) {
    pairs.emplace_back(spec, centre);
  }
  AceShape shape;
  Coupling coupling;  // of `shape`: multisets of the same shape stand together
  std::size_t column = 0;
  for (const AceMultiset& multiset : spec.multisets) {
    if (AceShape own = shape_of(multiset); own != shape) {
      shape = std::move(own);
      coupling = coupling_of(shape);
    }
    const auto count = static_cast<std::size_t>(coupling.count);
    const auto own = coefficients.subspan(column, count);
    column += count;
    if (multiset.labels.size() == 1) {
      for (std::size_t k = 0; k < count; ++k) {
        pairs[multiset.centre].add(multiset.labels.front(), own[k] * coupling.weights[k]);
      }
    } else {
      write_product(products[multiset.centre], multiset, coupling, own);
    }
  }
  assert(column == coefficients.size());
  out += "functions:\n";
  for (std::size_t centre = 0; centre < spec.elements.size(); ++centre) {
    std::string entries;
    pairs[centre].write(entries);
    entries += products[centre];
    fmt::format_to(std::back_inserter(out), "  {}:{}", centre, entries.empty() ? " []\n" : "\n" + entries);
  }
}

void write_provenance(std::string& out, const Provenance& provenance) {
  out +=
      "# Atomic cluster expansion, linear, in the form that LAMMPS pair_style pace reads; eV and angstrom (units "
      "metal)\n";
  out += "metadata:\n  format: \"ipfit yace 1\"\n";
  for (const auto& [name, text] : provenance) {
    fmt::format_to(std::back_inserter(out), "  {}: {}\n", Json(name).dump(),
                   Json(text).dump(-1, ' ', true, Json::error_handler_t::replace));
  }
}

}  // namespace

std::string write_yace(const AceSpec& spec, std::span<const double> coefficients,
                       const std::map<std::uint8_t, double>& one_body, const Provenance& provenance) {
  std::string out;
  write_provenance(out, provenance);
  std::vector<std::string_view> symbols;
  std::vector<double> energies;
  for (const std::uint8_t element : spec.elements) {
    symbols.push_back(element_symbol(element));
    const auto found = one_body.find(element);
    energies.push_back(found == one_body.end() ? 0.0 : found->second);
  }
  fmt::format_to(std::back_inserter(out), "elements: [{}]\nE0: [{}]\ndeltaSplineBins: {}\n", fmt::join(symbols, ", "),
                 reals(energies), kSplineSpacing);
  out += "embeddings:\n";
  for (std::size_t i = 0; i < spec.elements.size(); ++i) {
    fmt::format_to(std::back_inserter(out),
                   "  {}: {{ndensity: 1, FS_parameters: [1.0, 1.0], npoti: FinnisSinclairShiftedScaled, "
                   "rho_core_cutoff: 100000.0, drho_core_cutoff: 250.0}}\n",
                   i);
  }
  out += "bonds:\n";
  const std::vector<Reach> all = reaches(spec);
  for (std::size_t i = 0; i < spec.elements.size(); ++i) {
    for (std::size_t j = 0; j < spec.elements.size(); ++j) {
      const std::size_t bond = spec.bond_index(i, j);
      write_bond(out, i, j, spec.bonds[bond], all[bond]);
    }
  }
  write_functions(out, spec, coefficients);
  return out;
}

}  // namespace ipfit
