#include "common/atoms/extxyz_write.h"

#include <array>
#include <charconv>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "common/atoms/element.h"
#include "common/atoms/label_keys.h"
#include "common/atoms/stress.h"

namespace ipfit {
namespace {

void append(std::string& out, double value) {
  std::array<char, 32> digits{};  // the longest shortest form has 24 characters
  const auto [end, problem] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end);
}

void append(std::string& out, const Vec3& vector) {
  for (int i = 0; i < 3; ++i) {
    out += ' ';
    append(out, vector[i]);
  }
}

void append_matrix(std::string& out, std::string_view key, const Mat3& matrix) {
  out.append(key).append("=\"");
  for (int i = 0; i < 9; ++i) {
    if (i > 0) {
      out += ' ';
    }
    append(out, matrix(i / 3, i % 3));
  }
  out += '"';
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  out += '"';
}

std::string_view name_or(const std::string& name, std::string_view usual) {
  return name.empty() ? usual : std::string_view(name);
}

void append_comment_line(std::string& out, const Structure& structure, const LabelKeys& keys,
                         const Labels* deviations) {
  if (!structure.cell.isZero(0.0)) {
    append_matrix(out, "Lattice", structure.cell);
    out += ' ';
  }
  out += "Properties=species:S:1:pos:R:3";
  if (!structure.labels.forces.empty()) {
    out.append(":").append(name_or(keys.forces, "forces")).append(":R:3");
  }
  if (deviations != nullptr && !deviations->forces.empty()) {
    out.append(":forces_std:R:3");
  }
  out.append(" ").append(group_key(keys)).append("=");
  append_quoted(out, structure.config_type);
  if (structure.labels.energy) {
    out.append(" ").append(name_or(keys.energy, "energy")).append("=");
    append(out, *structure.labels.energy);
  }
  if (deviations != nullptr && deviations->energy) {
    out.append(" energy_std=");
    append(out, *deviations->energy);
  }
  const Labels& labels = structure.labels;
  if (const std::optional<Voigt>& virial = labels.virial ? labels.virial : labels.ignored_virial) {
    out += ' ';
    append_matrix(out, name_or(keys.virial, "virial"), matrix_of(*virial));
  }
  out += " pbc=\"";
  for (std::size_t i = 0; i < 3; ++i) {
    out.append(i > 0 ? " " : "").append(structure.pbc[i] ? "T" : "F");
  }
  out += "\"\n";
}

}  // namespace

void write_extxyz(std::ostream& out, const Structure& structure, const LabelKeys& keys, const Labels* deviations) {
  std::string text = std::to_string(structure.size()) + '\n';
  append_comment_line(text, structure, keys, deviations);
  for (std::size_t i = 0; i < structure.species.size(); ++i) {
    text += element_symbol(structure.species[i]);
    append(text, structure.positions[i]);
    if (!structure.labels.forces.empty()) {
      append(text, structure.labels.forces[i]);
    }
    if (deviations != nullptr && !deviations->forces.empty()) {
      append(text, deviations->forces[i]);
    }
    text += '\n';
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace ipfit
