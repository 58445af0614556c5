#include "proto/structure_codec.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/array.h>
#include <kj/exception.h>

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "proto/ipfit.capnp.h"
#include "proto/message.h"
#include "proto/printable.h"

namespace ipfit {
namespace {

constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kWord = sizeof(capnp::word);
constexpr std::uint8_t kLastElement = 118;

// Vectors of Vec3 and matrices are read and written as plain runs of doubles.
static_assert(sizeof(Vec3) == 3 * sizeof(double));

/// Leaves decode_structures(); becomes its error.
struct Malformed {
  std::string what;
};

unsigned list_size(std::size_t size) {
  // Cap'n Proto's own limit, far beyond kMaxPayloadBytes; whoever plans tasks refuses such structures before.
  return static_cast<unsigned>(size);
}

void put(std::span<const double> values, capnp::List<double>::Builder out) {
  for (unsigned i = 0; i < out.size(); ++i) {
    out.set(i, values[i]);
  }
}

std::span<const double> flat(const std::vector<Vec3>& vectors) {
  return {vectors.empty() ? nullptr : vectors.front().data(), 3 * vectors.size()};
}

void put(const Structure& structure, wire::Structure::Builder out) {
  out.setSpecies(capnp::Data::Reader(structure.species.data(), structure.species.size()));
  put(flat(structure.positions), out.initPositions(list_size(3 * structure.positions.size())));
  const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> cell = structure.cell;
  put({cell.data(), 9}, out.initCell(9));
  out.setPeriodicA(structure.pbc[0]);
  out.setPeriodicB(structure.pbc[1]);
  out.setPeriodicC(structure.pbc[2]);
  const Labels& labels = structure.labels;
  out.setHasEnergy(labels.energy.has_value());
  out.setEnergy(labels.energy.value_or(0.0));
  out.setHasForces(!labels.forces.empty());
  if (!labels.forces.empty()) {
    put(flat(labels.forces), out.initForces(list_size(3 * labels.forces.size())));
  }
  out.setHasVirial(labels.virial.has_value());
  if (labels.virial) {
    put(*labels.virial, out.initVirial(6));
  }
  out.setConfigType(capnp::Text::Reader(structure.config_type.c_str(), structure.config_type.size()));
  out.setFile(capnp::Text::Reader(structure.source.file.c_str(), structure.source.file.size()));
  out.setFrame(structure.source.frame);
  out.setLine(structure.source.line);
  out.setTest(structure.set == DataSet::kTest);
  out.setValidation(structure.set == DataSet::kValidation);
  const OwnWeights& weights = structure.weights;
  out.setHasEnergyWeight(weights.energy.has_value());
  out.setHasVirialWeight(weights.virial.has_value());
  out.setEnergyWeight(weights.energy.value_or(0.0));
  out.setVirialWeight(weights.virial.value_or(0.0));
  put(weights.forces, out.initForcesWeights(list_size(weights.forces.size())));
}

/// Words that the message of this structure needs at most, so that one segment always suffices.
std::size_t words_needed(const Structure& structure) {
  const std::size_t numbers =
      3 * structure.positions.size() + 3 * structure.labels.forces.size() + structure.weights.forces.size() + 9 + 6;
  const std::size_t bytes =
      structure.species.size() + structure.config_type.size() + structure.source.file.size() + 5 * kWord;
  return 32 + numbers + bytes / kWord;
}

// ---- reading; every field once, see proto/convert.cpp ------------------------------------------------------------

void read(capnp::List<double>::Reader in, std::size_t expected, const char* field, double* out) {
  if (in.size() != expected) {
    throw Malformed{std::string(field) + " has " + std::to_string(in.size()) + " numbers, expected " +
                    std::to_string(expected)};
  }
  for (unsigned i = 0; i < in.size(); ++i) {
    out[i] = in[i];
    if (!std::isfinite(out[i])) {
      throw Malformed{"number " + std::to_string(i + 1) + " of " + field + " is not finite"};
    }
  }
}

std::vector<Vec3> read_vectors(capnp::List<double>::Reader in, std::size_t atoms, const char* field) {
  // The list is checked before memory is taken for it: `atoms` is at most the bytes of the record.
  std::vector<Vec3> vectors(in.size() == 3 * atoms ? atoms : 0);
  read(in, 3 * atoms, field, vectors.empty() ? nullptr : vectors.front().data());
  return vectors;
}

std::vector<std::uint8_t> read_species(capnp::Data::Reader in) {
  std::vector<std::uint8_t> species(in.begin(), in.end());
  if (species.empty()) {
    throw Malformed{"there are no atoms"};
  }
  for (std::size_t i = 0; i < species.size(); ++i) {
    if (species[i] == 0 || species[i] > kLastElement) {
      throw Malformed{"atom " + std::to_string(i + 1) + " has atomic number " + std::to_string(species[i]) +
                      ", expected 1 to 118"};
    }
  }
  return species;
}

Labels read_labels(wire::Structure::Reader in, std::size_t atoms) {
  Labels labels;
  if (in.getHasEnergy()) {
    labels.energy = in.getEnergy();
    if (!std::isfinite(*labels.energy)) {
      throw Malformed{"the energy is not finite"};
    }
  }
  if (in.getHasForces()) {
    labels.forces = read_vectors(in.getForces(), atoms, "forces");
  }
  if (in.getHasVirial()) {
    labels.virial.emplace();
    read(in.getVirial(), 6, "virial", labels.virial->data());
  }
  return labels;
}

double checked_weight(double weight) {
  if (!(weight >= 0.0) || !std::isfinite(weight)) {
    throw Malformed{"a weight is negative or not finite"};
  }
  return weight;
}

OwnWeights read_weights(wire::Structure::Reader in, std::size_t atoms) {
  OwnWeights weights;
  if (in.getHasEnergyWeight()) {
    weights.energy = checked_weight(in.getEnergyWeight());
  }
  if (in.getHasVirialWeight()) {
    weights.virial = checked_weight(in.getVirialWeight());
  }
  const auto forces = in.getForcesWeights();
  if (forces.size() > 1 && forces.size() != atoms) {
    throw Malformed{"weights of forces for " + std::to_string(forces.size()) + " atoms, expected " +
                    std::to_string(atoms)};
  }
  for (const double weight : forces) {
    weights.forces.push_back(checked_weight(weight));
  }
  return weights;
}

DataSet read_set(wire::Structure::Reader in) {
  const bool test = in.getTest();
  const bool validation = in.getValidation();
  if (test && validation) {
    throw Malformed{"it is of the test set and of the validation set"};
  }
  return test ? DataSet::kTest : validation ? DataSet::kValidation : DataSet::kTrain;
}

std::string text(capnp::Text::Reader in) {
  return {in.begin(), in.size()};
}

Structure read(wire::Structure::Reader in) {
  Structure structure;
  structure.species = read_species(in.getSpecies());
  structure.positions = read_vectors(in.getPositions(), structure.species.size(), "positions");
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> cell;
  read(in.getCell(), 9, "cell", cell.data());
  structure.cell = cell;
  structure.pbc = {in.getPeriodicA(), in.getPeriodicB(), in.getPeriodicC()};
  structure.labels = read_labels(in, structure.species.size());
  structure.config_type = text(in.getConfigType());
  structure.source = {text(in.getFile()), in.getFrame(), in.getLine()};
  structure.set = read_set(in);
  structure.weights = read_weights(in, structure.species.size());
  return structure;
}

Structure read_record(std::span<const std::byte> message, kj::Array<capnp::word>& aligned) {
  const std::size_t count = message.size() / kWord;
  const auto* words = reinterpret_cast<const capnp::word*>(message.data());
  if (reinterpret_cast<std::uintptr_t>(words) % kWord != 0) {
    if (aligned.size() < count) {
      aligned = kj::heapArray<capnp::word>(count);
    }
    std::memcpy(static_cast<void*>(aligned.begin()), message.data(), message.size());
    words = aligned.begin();
  }
  std::uint32_t table[2];
  std::memcpy(table, words, sizeof(table));
  if (table[0] != 0 || table[1] != count - 1) {
    throw Malformed{"it is not a message of exactly one segment"};
  }
  try {
    capnp::FlatArrayMessageReader reader({words, count}, {count, 4});
    return read(reader.getRoot<wire::Structure>());
  } catch (const kj::Exception& problem) {
    throw Malformed{printable(problem.getDescription().cStr())};
  }
}

Error bad_record(std::size_t record, std::size_t offset, const std::string& what) {
  return {ErrorKind::kInput, "structure record " + std::to_string(record) + " at byte " + std::to_string(offset), what,
          ""};
}

}  // namespace

std::vector<std::byte> encode_structure(const Structure& structure) {
  capnp::MallocMessageBuilder builder(static_cast<unsigned>(words_needed(structure)));
  put(structure, builder.initRoot<wire::Structure>());
  const auto segments = builder.getSegmentsForOutput();
  KJ_ASSERT(segments.size() == 1, "words_needed() is too small");
  const auto words = segments[0];
  const std::uint32_t header[4] = {static_cast<std::uint32_t>((words.size() + 1) * kWord), 0, 0,
                                   static_cast<std::uint32_t>(words.size())};
  std::vector<std::byte> record(sizeof(header) + words.size() * kWord);
  std::memcpy(record.data(), header, sizeof(header));
  std::memcpy(record.data() + sizeof(header), words.begin(), words.size() * kWord);
  return record;
}

Result<std::size_t> record_size(std::span<const std::byte> bytes) {
  std::uint32_t header[2];
  if (bytes.size() < sizeof(header)) {
    return Error{ErrorKind::kInput, "structure record", "cut off after " + std::to_string(bytes.size()) + " bytes", ""};
  }
  std::memcpy(header, bytes.data(), sizeof(header));
  const std::size_t length = header[0];
  if (header[1] != 0 || length < 2 * kWord || length % kWord != 0 || length > kMaxPayloadBytes - kHeaderBytes) {
    return Error{ErrorKind::kInput, "structure record",
                 "damaged header: length " + std::to_string(length) + ", must be a multiple of 8 between 16 and 64 MiB",
                 ""};
  }
  if (length > bytes.size() - kHeaderBytes) {
    return Error{
        ErrorKind::kInput, "structure record",
        "has " + std::to_string(length) + " bytes, only " + std::to_string(bytes.size() - kHeaderBytes) + " are left",
        ""};
  }
  return kHeaderBytes + length;
}

Result<std::vector<Structure>> decode_structures(std::span<const std::byte> bytes) {
  std::vector<Structure> structures;
  kj::Array<capnp::word> aligned;
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    const std::size_t number = structures.size() + 1;
    const auto size = record_size(bytes.subspan(offset));
    if (!size) {
      return bad_record(number, offset, size.error().what);
    }
    try {
      structures.push_back(read_record(bytes.subspan(offset + kHeaderBytes, *size - kHeaderBytes), aligned));
    } catch (const Malformed& problem) {
      return bad_record(number, offset, problem.what);
    }
    offset += *size;
  }
  return structures;
}

}  // namespace ipfit
