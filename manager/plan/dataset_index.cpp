#include "manager/plan/dataset_index.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Eigen/LU>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "common/checksum.h"
#include "common/file_system.h"
#include "common/lsq/targets.h"
#include "proto/structure_codec.h"

namespace ipfit {
namespace {

struct Mapping {
  std::span<const std::byte> bytes;
  ~Mapping() {
    if (!bytes.empty()) {
      ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
    }
  }
};

Error cannot_read(const std::string& path) {
  return {ErrorKind::kStorage, path, fmt::format("cannot be read: {}", std::strerror(errno)), ""};
}

// A sector that cannot be read is an error of a read, and through a map a signal that ends the process.
Status read_through(const std::string& path) {
  const auto file = File::open(path, File::Mode::kRead);
  const auto size = file ? file->size() : file.errors();
  if (!size) {
    return size.errors();
  }
  std::vector<std::byte> piece(kChunkBytes);
  for (std::uint64_t at = 0; at < *size; at += piece.size()) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(piece.size(), *size - at));
    if (Status read = file->read_at(at, part); !read) {
      return read;
    }
  }
  return Done{};
}

// Read-only and never written again once it has its name, so the map cannot meet a full disk.
Result<std::shared_ptr<Mapping>> map_file(const std::string& path) {
  if (Status readable = read_through(path); !readable) {
    return readable.errors();
  }
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return cannot_read(path);
  }
  auto mapping = std::make_shared<Mapping>();
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    const Error error = cannot_read(path);
    ::close(fd);
    return error;
  }
  if (info.st_size > 0) {
    void* start = ::mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (start == MAP_FAILED) {
      const Error error = cannot_read(path);
      ::close(fd);
      return error;
    }
    mapping->bytes = {static_cast<const std::byte*>(start), static_cast<std::size_t>(info.st_size)};
  }
  ::close(fd);
  return mapping;
}

// Walks the records one by one, so that the structures are never all in memory at once.
template <class Visit>
Status for_each_record(const std::string& path, std::span<const std::byte> bytes, Visit visit) {
  for (std::size_t offset = 0; offset < bytes.size();) {
    const auto size = record_size(bytes.subspan(offset));
    if (!size) {
      return Error{ErrorKind::kInput, fmt::format("{} byte {}", path, offset), size.error().what, size.error().remedy};
    }
    auto record = decode_structures(bytes.subspan(offset, *size));
    if (!record) {
      return Error{ErrorKind::kInput, fmt::format("{} byte {}", path, offset), record.error().what,
                   record.error().remedy};
    }
    visit(offset, *size, std::move(record->front()));
    offset += *size;
  }
  return Done{};
}

Result<std::vector<Structure>> read_structures(const std::string& path, const std::string& hash) {
  auto mapping = map_file(path);
  if (!mapping) {
    return mapping.errors();
  }
  if (!hash.empty() && fingerprint((*mapping)->bytes) != hash) {
    return Error{ErrorKind::kStorage, path,
                 "is not the data set whose structures were evaluated: it was damaged or replaced",
                 "run the fit again with its data, which makes the file anew"};
  }
  std::vector<Structure> structures;
  const Status walked = for_each_record(path, (*mapping)->bytes, [&](std::size_t, std::size_t, Structure&& structure) {
    structures.push_back(std::move(structure));
  });
  if (!walked) {
    return walked.errors();
  }
  return structures;
}

}  // namespace

std::span<const std::byte> Dataset::records(std::size_t first, std::size_t count) const {
  if (count == 0) {
    return {};
  }
  const StructureInfo& last = structures[first + count - 1];
  const std::uint64_t begin = structures[first].offset;
  return bytes.subspan(begin, last.offset + last.bytes - begin);
}

Result<Dataset> open_dataset(const std::string& path) {
  auto mapping = map_file(path);
  if (!mapping) {
    return mapping.errors();
  }
  Dataset dataset;
  dataset.bytes = (*mapping)->bytes;
  dataset.mapping = *mapping;
  StructureIndex index;
  bool in_order = true;
  const Status walked =
      for_each_record(path, dataset.bytes, [&](std::size_t, std::size_t size, const Structure& structure) {
        StructureInfo info = index.next(structure, size);
        in_order = in_order && (dataset.structures.empty() || dataset.structures.back().set <= info.set);
        dataset.train_count += info.set == DataSet::kTrain ? 1U : 0U;
        dataset.structures.push_back(std::move(info));
      });
  if (!walked) {
    return walked.errors();
  }
  if (!in_order) {
    return Error{ErrorKind::kInput, path, "structures must stand in this order: training, validation, test", ""};
  }
  dataset.hash = fingerprint(dataset.bytes);
  return dataset;
}

Result<std::vector<Structure>> read_dataset(const std::string& path) {
  return read_structures(path, "");
}

Result<std::vector<Structure>> read_dataset(const std::string& path, const std::string& hash) {
  return read_structures(path, hash);
}

StructureInfo StructureIndex::next(const Structure& structure, std::uint64_t record_bytes) {
  const auto number = static_cast<std::uint32_t>(groups_.size());
  const auto group = groups_.try_emplace({structure.set, structure.config_type}, number).first;
  StructureInfo info;
  info.offset = offset_;
  info.bytes = record_bytes;
  info.atoms = structure.size();
  info.mask = mask_of(structure);
  info.set = structure.set;
  info.volume = structure.fully_periodic() ? std::abs(structure.cell.determinant()) : 0.0;
  info.member = set_member(structure, info.mask, group->second);
  info.source = structure.source;
  offset_ += record_bytes;
  return info;
}

RowLayout row_layout(std::span<const StructureInfo> structures) {
  RowLayout first_row{0};
  first_row.reserve(structures.size() + 1);
  for (const StructureInfo& info : structures) {
    first_row.push_back(first_row.back() + row_count(info.atoms, info.mask));
  }
  return first_row;
}

std::string describe(const Source& source) {
  return fmt::format("{} frame {} (line {})", source.file, source.frame, source.line);
}

}  // namespace ipfit
