#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ipfit {

/// What sort of thing went wrong; decides the exit code (docs/reference/exit-codes.md).
enum class ErrorKind {
  kInternal = 1,  ///< a bug of ipfit
  kUsage = 2,     ///< the command line
  kInput = 3,     ///< a person's file: fit file, extended XYZ, potential
  kStorage = 4,   ///< the disk: full, unreadable, damaged, locked by another process
  kNetwork = 5,   ///< a socket: port in use, nobody answers, wrong peer
  kRefused = 6,   ///< versions, builds or contents that do not belong together
  kFailed = 7,    ///< the fit itself: structures that cannot be evaluated, a system that cannot be solved
};

/// One mistake, as a person should read it: where it is, what was found and what was expected, and what to do.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string where;   ///< "si.xyz:1482:57", "fit.toml:12", "blocks.f64"; empty where there is no place
  std::string what;    ///< what was found and what was expected; one sentence, no full stop
  std::string remedy;  ///< what to do; may be empty

  /// "where: what; remedy", without the parts that are empty.
  std::string text() const {
    std::string out = where.empty() ? what : where + ": " + what;
    return remedy.empty() ? out : out + "; " + remedy;
  }
  bool operator==(const Error&) const = default;
};

/// A value, or the errors that kept it from being made (at least one; all that were found, in the order of the input).
/// For mistakes of people and failures of disks and peers. Bugs are assertions.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::vector<Error>{std::move(error)}) {}
  Result(std::vector<Error> errors) : state_(std::in_place_index<1>, std::move(errors)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  const std::vector<Error>& errors() const { return std::get<1>(state_); }
  const Error& error() const { return errors().front(); }

 private:
  std::variant<T, std::vector<Error>> state_;
};

/// The value of an operation that only succeeds or fails.
struct Done {};
using Status = Result<Done>;

}  // namespace ipfit
