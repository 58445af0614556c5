#pragma once

#include <Eigen/Core>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace ipfit::test {

/// The array of a .npy file (NumPy Enhancement Proposal 1): version 1.0, little-endian float64, C order, one or two
/// dimensions; one dimension is read as a column. Throws std::runtime_error on anything else.
inline Eigen::MatrixXd read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::size_t start =
      10 + (bytes.size() < 10 ? 0
                              : static_cast<std::size_t>(static_cast<unsigned char>(bytes[8])) +
                                    256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9])));
  const std::string header = bytes.substr(std::min<std::size_t>(bytes.size(), 10), start - 10);
  const std::size_t shape = header.find("'shape': (");
  if (!bytes.starts_with("\x93NUMPY\x01") || header.find("'<f8'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos || shape == std::string::npos) {
    throw std::runtime_error(path.string() + " is not a .npy file of float64 in C order");
  }
  Eigen::Index rows = 0;
  Eigen::Index columns = 1;
  const char* end = header.data() + header.size();
  const char* next = std::from_chars(header.data() + shape + std::strlen("'shape': ("), end, rows).ptr;
  while (next != end && (*next == ',' || *next == ' ')) {
    ++next;
  }
  std::from_chars(next, end, columns);
  if (bytes.size() != start + static_cast<std::size_t>(rows * columns) * sizeof(double)) {
    throw std::runtime_error(path.string() + " has another size than its header says");
  }
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> out(rows, columns);
  std::memcpy(out.data(), bytes.data() + start, bytes.size() - start);
  return out;
}

}  // namespace ipfit::test
