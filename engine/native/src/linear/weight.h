// The weight of a linear layer as layers take it.
#pragma once

#include <cstdint>

#include "common/layout.h"

extern "C" {

// panels: as verbatim_pack_linear, for int8 verbatim_round_int8, or for groups verbatim_pack_groups writes them. scales: of int8 alone. scales, bias:
// padded to whole panels. order: of panels in groups, the input that each column is multiplied with; null if they are in order.
struct VerbatimWeight {
    const void* panels;
    const float *scales, *bias;
    int64_t num_inputs, num_outputs;
    int64_t group_size, num_bits, has_mins;  // of panels in groups (grouped_panels.h) alone
    const int32_t* order;                    // [num_inputs]
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimWeight, panels, scales, bias, num_inputs, num_outputs, group_size, num_bits, has_mins,
                order)
