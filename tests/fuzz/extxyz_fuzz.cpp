#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "common/atoms/cell.h"
#include "common/atoms/dataset_summary.h"
#include "common/atoms/extxyz.h"
#include "common/atoms/extxyz_write.h"
#include "common/atoms/key_use.h"

// Any bytes as an extended-XYZ file: they are refused with a place and a remedy, or give structures that keep what
// common/atoms/extxyz.h promises and survive being written and read again. A survey of the keys never refuses what the
// reader accepts.

namespace {

using namespace ipfit;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void require_promises(const Structure& s) {
  require(s.size() >= 1);
  require(s.positions.size() == s.species.size());
  require(s.labels.forces.empty() || s.labels.forces.size() == s.species.size());
  for (std::size_t i = 0; i < s.species.size(); ++i) {
    require(s.species[i] >= 1 && s.species[i] <= 118);
    require(s.positions[i].allFinite());
  }
  for (const Vec3& force : s.labels.forces) {
    require(force.allFinite());
  }
  require(s.cell.allFinite());
  require(cell_spans(s.cell, s.pbc));
  require(!s.labels.energy || std::isfinite(*s.labels.energy));
  require(!s.labels.virial || s.fully_periodic());
  for (const double component : s.labels.virial.value_or(Voigt{})) {
    require(std::isfinite(component));
  }
  require(!s.config_type.empty());
}

std::string written(const Structure& s) {
  std::ostringstream out;
  write_extxyz(out, s);
  return out.str();
}

void require_round_trip(const Structure& s) {
  const std::string text = written(s);
  ExtxyzReader reader = ExtxyzReader::from_text(text, {});
  const Result<std::optional<Structure>> again = reader.next();
  require(again.ok() && again->has_value());
  require(written(**again) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ExtxyzReader reader = ExtxyzReader::from_text(text, {}, "fuzz");
  DatasetSummary summary;
  while (true) {
    const Result<std::optional<Structure>> structure = reader.next();
    if (!structure) {
      require(structure.error().where.starts_with("fuzz") && !structure.error().remedy.empty());
      return 0;
    }
    if (!*structure) {
      break;
    }
    require_promises(**structure);
    require_round_trip(**structure);
    summary.add(**structure);
  }
  KeySurvey survey;
  require(survey.add(LineSource::from_text(text, "fuzz")).ok());
  const Result<KeyUse> use = survey.choose({});
  require(use.ok() && use->structures == summary.all().structures);
  require(!use->text().empty() && !summary.text().empty());
  return 0;
}
