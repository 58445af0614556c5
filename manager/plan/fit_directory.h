#pragma once

#include <string>

namespace ipfit {

/// What is made for LAMMPS refers to itself by these names.
inline constexpr const char* kYaceName = "potential.yace";
inline constexpr const char* kLammpsInputName = "in.lammps";
inline constexpr const char* kLammpsStructureName = "structure.data";

/// The names of everything in a fit directory (docs/reference/results.md). A fit directory is self-contained.
struct FitDirectory {
  std::string path;

  std::string fit_file() const { return path + "/fit.toml"; }
  std::string dataset() const { return path + "/dataset.bin"; }
  /// While it is being written; the data set gets its name when it is whole.
  std::string partial_dataset() const { return path + "/dataset.bin.partial"; }
  std::string lock() const { return path + "/lock"; }
  std::string system() const { return path + "/system"; }
  std::string solution(const std::string& name) const { return path + "/solutions/" + name; }
  std::string lock_of(const std::string& name) const { return solution(name) + "/lock"; }
  /// What the solution was solved with: fit.toml, with the weights and the solver of this solution.
  std::string fit_file_of(const std::string& name) const { return solution(name) + "/fit.toml"; }
  std::string coefficients(const std::string& name) const { return solution(name) + "/coefficients.json"; }
  std::string potential(const std::string& name) const { return solution(name) + "/potential.json"; }
  /// For LAMMPS, where the basis is one that LAMMPS knows: the potential, an input file and a structure to try it with.
  std::string yace(const std::string& name) const { return solution(name) + "/" + kYaceName; }
  std::string lammps_input(const std::string& name) const { return solution(name) + "/" + kLammpsInputName; }
  std::string lammps_structure(const std::string& name) const { return solution(name) + "/" + kLammpsStructureName; }
  std::string predictions(const std::string& name) const { return solution(name) + "/predictions"; }
  /// Two atoms at many distances, for the report: the structures, and what the potential says about them.
  std::string dimer_structures(const std::string& name) const { return solution(name) + "/dimers.bin"; }
  std::string dimers(const std::string& name) const { return solution(name) + "/dimers"; }
  std::string errors_json(const std::string& name) const { return solution(name) + "/errors.json"; }
  std::string errors_text(const std::string& name) const { return solution(name) + "/errors.txt"; }
  std::string report_html(const std::string& name) const { return solution(name) + "/report.html"; }
  std::string report_text(const std::string& name) const { return solution(name) + "/report.txt"; }
  std::string log() const { return path + "/log"; }
};

}  // namespace ipfit
