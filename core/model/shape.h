// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "model/config_reader.h"
#include "model/layout.h"

namespace kvcliff::model {

/// What one layer of the model contains, as the config says it; sizes come later.
struct LayerRole {
  enum class Attention { none, full, sliding, chunked } attention = Attention::full;
  bool state = false;
  std::int64_t kv_heads = 0;  ///< 0 = the model's
};

struct Roles {
  std::vector<LayerRole> layers;
  std::string from;           ///< the rule or key that decided
  std::int64_t window = 0, chunk = 0;
  int shared = 0;             ///< last layers that read an earlier layer's cache
  int no_op = 0;
};

/// Which layers attend, slide, keep a state or own nothing. Refuses (through the reader) what it does not know.
Roles read_roles(ConfigReader& r, const std::string& model_type, std::int64_t layers, std::vector<std::string>& warnings);

/// Size of the state of one layer; kind by the fields present. Nothing when the config has none of the known sets.
std::optional<LayerCache> read_state(ConfigReader& r, const std::string& model_type, const Options& options, std::vector<Factor>& derivation);

/// Everything the config says about the caches, in the model's own sizes (TP 1).
struct Shape {
  std::string model_type, kind;
  std::int64_t layers = 0, heads = 0;
  Roles roles;
  std::vector<LayerCache> caches;
  bool latent = false, sparse = false;
  Dimensions dimensions;
  std::string kv_dtype;
  std::vector<Factor> derivation;
  std::int64_t state_chunk = 0;  ///< tokens between two states that the model's kernels can keep; 0 = the file does not say
  std::vector<std::string> warnings;
};
Result<Shape> read_shape(const Json& config, const Options& options, std::string& part_path);

/// Sizes for the time model (see Dimensions).
Dimensions read_dimensions(ConfigReader& r, const Shape& shape, std::int64_t kv_heads, std::int64_t head_dim);

}  // namespace kvcliff::model
