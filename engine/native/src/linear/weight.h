// The weight of a linear layer as layers take it.
#pragma once

#include <cstdint>

#include "common/layout.h"

extern "C" {

// panels: as verbatim_pack_linear or, for int8, verbatim_round_int8 writes them. scales: of int8 alone. scales, bias:
// padded to whole panels.
struct VerbatimWeight {
    const void* panels;
    const float *scales, *bias;
    int64_t num_inputs, num_outputs;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimWeight, panels, scales, bias, num_inputs, num_outputs)
