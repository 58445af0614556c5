#include "common/atoms/text_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ipfit {
namespace {

constexpr std::size_t kChunkOfFile = std::size_t{1} << 20;

Error cannot_read(const std::string& name, int reason) {
  return {ErrorKind::kInput, name, fmt::format("cannot be read: {}", std::strerror(reason)),
          "check the name of the file and who may read it"};
}

}  // namespace

std::string place(const std::string& file, std::int64_t line, std::int64_t column) {
  return fmt::format("{}:{}:{}", file, line, column);
}

Error TextLine::error(std::string_view part, std::string what, std::string remedy) const {
  const auto column = part.data() - text.data() + 1;
  return {ErrorKind::kInput, place(*file, number, column), std::move(what), std::move(remedy)};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view take_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) {
    ++begin;
  }
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) {
    ++end;
  }
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::int64_t count_words(std::string_view text) {
  std::int64_t count = 0;
  while (!take_word(text).empty()) {
    ++count;
  }
  return count;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (text.size() > kMost ? "...'" : "'");
}

Result<LineSource> LineSource::open(const std::string& path) {
  LineSource source(path, {});
  source.file_.reset(std::fopen(path.c_str(), "rbe"));
  if (!source.file_) {
    return cannot_read(path, errno);
  }
  std::setvbuf(source.file_.get(), nullptr, _IONBF, 0);  // we read large pieces ourselves
  struct stat status {};
  if (fstat(fileno(source.file_.get()), &status) != 0) {
    return cannot_read(path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return cannot_read(path, EISDIR);
  }
  if (S_ISREG(status.st_mode)) {
    source.bytes_unread_ = static_cast<std::uint64_t>(status.st_size);
  }
  return source;
}

LineSource LineSource::from_text(std::string text, std::string name) {
  LineSource source(std::move(name), std::move(text));
  source.end_ = source.buffer_.size();
  return source;
}

std::uint64_t LineSource::bytes_left() const {
  return bytes_unread_ + (end_ - begin_);
}

Status LineSource::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() - end_ < kChunkOfFile) {
    buffer_.resize(std::max(2 * buffer_.size(), 2 * kChunkOfFile));
  }
  const std::size_t got = std::fread(buffer_.data() + end_, 1, kChunkOfFile, file_.get());
  end_ += got;
  bytes_unread_ -= std::min<std::uint64_t>(bytes_unread_, got);
  if (got < kChunkOfFile) {
    if (std::ferror(file_.get()) != 0) {
      return cannot_read(name_, errno);
    }
    file_.reset();
    bytes_unread_ = 0;
  }
  return Done{};
}

Result<std::optional<TextLine>> LineSource::next() {
  std::size_t searched = 0;
  while (true) {
    const std::size_t left = end_ - begin_;
    const char* start = buffer_.data() + begin_;
    const void* found = left == searched ? nullptr : std::memchr(start + searched, '\n', left - searched);
    if (found == nullptr && file_ && left <= kMaxLineBytes) {
      searched = left;
      if (Status status = refill(); !status) {
        return status.error();
      }
      continue;
    }
    if (found == nullptr && left == 0) {
      return std::optional<TextLine>();
    }
    const std::size_t length =
        found == nullptr ? left : static_cast<std::size_t>(static_cast<const char*>(found) - start);
    std::string_view text(start, length);
    TextLine line{text.ends_with('\r') ? text.substr(0, length - 1) : text, ++line_, &name_};
    if (length > kMaxLineBytes) {
      return line.error(text.substr(0, 0), fmt::format("the line is longer than {} bytes", kMaxLineBytes),
                        "check that this is an extended-XYZ file");
    }
    begin_ += found == nullptr ? length : length + 1;
    return std::optional<TextLine>(line);
  }
}

}  // namespace ipfit
