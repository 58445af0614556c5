#include "common/atoms/stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ipfit {
namespace {

// Row and column of the components xx yy zz yz xz xy.
constexpr std::array<std::pair<int, int>, 6> kVoigtPlaces = {{{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}};

// xx yy zz xy yz xz -> xx yy zz yz xz xy
Voigt voigt_from_vasp(const Voigt& v) {
  return {v[0], v[1], v[2], v[4], v[5], v[3]};
}

}  // namespace

double in_ev_per_cubic_angstrom(StressUnit unit) {
  switch (unit) {
    case StressUnit::kEvPerCubicAngstrom:
      return 1.0;
    case StressUnit::kGpa:
      return 1.0 / kGpaPerEvPerCubicAngstrom;
    case StressUnit::kKbar:
      return 1.0 / kKbarPerEvPerCubicAngstrom;
    case StressUnit::kBar:
      break;
  }
  return 1e-3 / kKbarPerEvPerCubicAngstrom;
}

double virial_tolerance(const Mat3& a, const Mat3& b, double volume) {
  constexpr double kRelative = 1e-4;
  constexpr double kPressure = 1e-6;  // eV/Å³
  return kRelative * std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()) + kPressure * volume;
}

Result<Mat3> tensor_value(const TextLine& line, const KeyValue& pair, StressOrder order) {
  const Result<NumberArray> numbers = number_values(line, pair);
  if (!numbers) {
    return numbers.error();
  }
  const std::vector<double>& values = numbers->values;
  if (values.size() == 6 && numbers->rows == 0) {
    Voigt voigt{};
    std::copy(values.begin(), values.end(), voigt.begin());
    return matrix_of(order == StressOrder::kVasp ? voigt_from_vasp(voigt) : voigt);
  }
  if (values.size() != 9 || (numbers->rows != 0 && numbers->rows != 3)) {
    return line.error(pair.key_text, fmt::format("{} needs 9 numbers (or 6), {} given", pair.key, values.size()),
                      "write the rows xx xy xz yx yy yz zx zy zz, or xx yy zz yz xz xy");
  }
  Mat3 out;
  for (int i = 0; i < 9; ++i) {
    out(i / 3, i % 3) = values[static_cast<std::size_t>(i)];
  }
  return out;
}

double virial_per_stress(StressUnit unit, double volume) {
  return -volume * in_ev_per_cubic_angstrom(unit);
}

std::optional<Voigt> symmetric_components(const Mat3& virial, double volume) {
  if ((virial - virial.transpose()).cwiseAbs().maxCoeff() > virial_tolerance(virial, virial, volume)) {
    return std::nullopt;
  }
  Voigt out{};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto [row, column] = kVoigtPlaces[i];
    const double upper = virial(row, column);
    const double lower = virial(column, row);
    out[i] = upper == lower ? upper : 0.5 * upper + 0.5 * lower;
  }
  return out;
}

Mat3 matrix_of(const Voigt& virial) {
  Mat3 out;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto [row, column] = kVoigtPlaces[i];
    out(row, column) = virial[i];
    out(column, row) = virial[i];
  }
  return out;
}

double pressure(const Voigt& virial, double volume) {
  return (virial[0] + virial[1] + virial[2]) / (3.0 * volume);
}

}  // namespace ipfit
