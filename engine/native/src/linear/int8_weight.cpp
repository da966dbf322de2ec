// Weights rounded to 8 bits, by a scale for each output, and laid out in panels; called by engine/linear/rounded/native_channels.py.
//
// A weight is read as it is stored, some inputs of a panel's outputs at a time, so that no more than these are in memory as
// float32. The oracle is the same arithmetic in torch (engine/linear/channel_scales.py).

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/byte_products.h"
#include "common/lanes.h"
#include "common/storage.h"
#include "linear/int8_panels.h"
#include "linear/int8_rows.h"
#include "linear/panels.h"
#include "linear/stored_weight.h"

namespace {

constexpr int64_t kInputsAtOnce = 64;  // in panels, these of all outputs take 2 KB
static_assert(kInputsAtOnce % kNumLanes == 0 && kInputsAtOnce % kQuad == 0);

// weight, scales: of this panel's outputs, num_outputs of them, num_inputs each.
template <typename Weight>
void round_panel(const Weight* weight, int64_t row_stride, int64_t num_outputs, int64_t num_inputs, const float* scales,
                 int8_t* panel) {
    const int64_t num_there = std::min(num_outputs, kPanelOutputs), num_quads = int8_panel_bytes(num_inputs) / kQuadBytes - 1;
    if (num_there < kPanelOutputs) std::memset(panel, 0, static_cast<size_t>(int8_panel_bytes(num_inputs)));
    int32_t sums[kPanelOutputs] = {};
    int8_t* place = panel + kQuadBytes;
    for (int64_t first = 0; first < num_inputs; first += kInputsAtOnce, place += kInputsAtOnce * kPanelOutputs) {
        const int64_t num = std::min(kInputsAtOnce, num_inputs - first);
        const int64_t quads = std::min(kInputsAtOnce / kQuad, num_quads - first / kQuad);
        for (int64_t output = 0; output < num_there; ++output) {
            const Weight* const inputs = weight + output * row_stride + first;
            const Floats scale = everywhere(scales[output]);
            int8_t values[kInputsAtOnce] = {};
            Integers sum{};
            for (int64_t i = 0; i < num; i += kNumLanes) {
                const Integers rounded = round_lanes(load_first_lanes(inputs + i, num - i) / scale);
                sum += rounded;
                store_low_bytes(rounded, values + i);
            }
            for (int64_t lane = 0; lane < kNumLanes; ++lane) sums[output] += sum[lane];
            for (int64_t quad = 0; quad < quads; ++quad)
                std::memcpy(place + quad * kQuadBytes + output * kQuad, values + quad * kQuad, kQuad);
        }
    }
    for (int64_t output = 0; output < kPanelOutputs; ++output) {
        const int32_t sum = -128 * sums[output];
        std::memcpy(panel + output * static_cast<int64_t>(sizeof sum), &sum, sizeof sum);
    }
}

}  // namespace

extern "C" {

// Bytes that the panels of a weight take.
int64_t verbatim_int8_panels_size(int64_t num_outputs, int64_t num_inputs) {
    return num_panels(num_outputs) * int8_panel_bytes(num_inputs);
}

// weight: [num_outputs, num_inputs], its rows row_stride numbers apart. largest: [num_outputs], is written.
void verbatim_largest_magnitudes(const void* weight, int32_t type, int64_t row_stride, int64_t num_outputs,
                                 int64_t num_inputs, float* largest, int32_t num_threads) {
    with_type(weight, type, [=](const auto* rows) {
#pragma omp parallel for num_threads(num_threads)
        for (int64_t output = 0; output < num_outputs; ++output)
            largest[output] = largest_magnitude(rows + output * row_stride, num_inputs);
    });
}

// weight: as above. scales: [num_outputs], by which no number exceeds 127.
void verbatim_round_int8(const void* weight, int32_t type, int64_t row_stride, int64_t num_outputs, int64_t num_inputs,
                         const float* scales, int8_t* panels, int32_t num_threads) {
    with_type(weight, type, [=](const auto* rows) {
#pragma omp parallel for num_threads(num_threads)
        for (int64_t panel = 0; panel < num_panels(num_outputs); ++panel) {
            const int64_t first = panel * kPanelOutputs;
            round_panel(rows + first * row_stride, row_stride, num_outputs - first, num_inputs, scales + first,
                        panels + panel * int8_panel_bytes(num_inputs));
        }
    });
}

}  // extern "C"
