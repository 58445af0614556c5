#include "manager/cli/load_potential.h"

#include "common/file_system.h"

namespace ipfit {

Result<Model> load_potential(const std::string& file) {
  auto text = read_file(file);
  if (!text) {
    return text.errors();
  }
  auto model = read_model(*text, file);
  if (model && !model->fitted()) {
    return Error{ErrorKind::kInput, file, "has no coefficients", "give the potential.json of a finished fit"};
  }
  return model;
}

}  // namespace ipfit
