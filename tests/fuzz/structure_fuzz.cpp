// Any bytes as records of structures: refused, or structures whose own records read the same.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "proto/structure_codec.h"

namespace {

std::vector<std::byte> records_of(const std::vector<ipfit::Structure>& structures) {
  std::vector<std::byte> records;
  for (const ipfit::Structure& structure : structures) {
    const auto record = ipfit::encode_structure(structure);
    records.insert(records.end(), record.begin(), record.end());
  }
  return records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto structures = ipfit::decode_structures(std::as_bytes(std::span(data, size)));
  if (!structures) {
    return 0;
  }
  const auto records = records_of(*structures);
  const auto again = ipfit::decode_structures(records);
  if (!again || again->size() != structures->size() || records_of(*again) != records) {
    std::abort();
  }
  return 0;
}
