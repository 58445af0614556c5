#pragma once

#include <cstdint>
#include <optional>

#include "common/atoms/comment_line.h"
#include "common/atoms/text_line.h"
#include "common/result.h"

namespace ipfit {

/// The first two lines of a frame.
struct FrameHead {
  std::int64_t atoms = 0;           ///< as announced: above 0, not yet seen
  std::int64_t line = 0;            ///< of the atom count
  TextLine comment;                 ///< the second line, valid until the next line is read
  std::optional<CommentLine> keys;  ///< nothing where the second line is free text: a plain file
};

/// Reads on to the next frame; nothing at the end of the file, which may have blank lines. The source must stand at the
/// beginning of a frame. A second line is free text when it has no Properties; but a line that also has Lattice= is an
/// error, since its cell would be lost, and so is one that has either and cannot be taken apart.
Result<std::optional<FrameHead>> next_frame_head(LineSource& source);

/// What happens to a frame when the file ends after `found` of its atom lines.
Error file_ends_early(const LineSource& source, const FrameHead& head, std::int64_t found);

}  // namespace ipfit
