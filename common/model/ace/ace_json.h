#pragma once

#include <string>
#include <vector>

#include "common/json.h"
#include "common/model/ace/ace_spec.h"
#include "common/result.h"

namespace ipfit {

/// An ACE basis as JSON (docs/reference/potential-file.md): elements, radial functions of each bond, and each multiset
/// as a line of text, "In(1,0) P(2,1)" with element, n and l of each factor. A checksum of the names of the columns
/// goes along: two versions of ipfit that order or count functions differently must not mistake each other's columns.
Json ace_to_json(const AceSpec& spec);

/// Reads what ace_to_json made; what is wrong goes into `errors`, and the result is then of no use. Untrusted input:
/// every index, order and size is checked, and the work that the basis asks for is limited.
AceSpec read_ace(const Json& json, const std::string& where, std::vector<Error>& errors);
}  // namespace ipfit
