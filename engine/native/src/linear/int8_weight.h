// A linear layer's weight of 8 bits as engine/linear/vnni_weight.py lays it out.
#pragma once

#include <cstdint>

#include "common/layout.h"

constexpr int64_t kChannels = 32;  // of a panel
constexpr int64_t kQuad = 4;       // inputs that one instruction takes of each channel

// Weights are kept as 128 more than they are, since VPDPBUSD multiplies unsigned bytes by signed ones. So each
// product is too large by 128 times the sum of the row.
constexpr uint32_t kWeightShift = 128;

extern "C" {

// A layer's constants.
struct VerbatimInt8Weight {
    const uint8_t* panels;  // [ceil(num_outputs / 32), ceil(num_inputs / 4), 32, 4]: weights plus 128
    const float* scales;    // [num_outputs]
    const float* bias;      // [num_outputs] or null
    int64_t num_inputs, num_outputs;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimInt8Weight, panels, scales, bias, num_inputs, num_outputs)
VERBATIM_CONSTANT(kChannels)
VERBATIM_CONSTANT(kQuad)
VERBATIM_CONSTANT(kWeightShift)
