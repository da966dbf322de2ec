// Weights of integers with a scale for each group of inputs, rounded from others or as they are, laid out in panels; called
// by engine/linear/grouped_linear.py. The oracle of rounding is the same arithmetic in torch
// (engine/linear/grouped_weight.py).

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/byte_products.h"
#include "common/lanes.h"
#include "common/storage.h"
#include "linear/grouped_panels.h"
#include "linear/panels.h"
#include "linear/stored_weight.h"
#include "linear/weight.h"

namespace {

// What the number of the largest magnitude in a group becomes, one after another.
constexpr float kCandidates[] = {-8.0f, -7.75f, -7.5f, -7.25f, -7.0f, -6.75f, -8.25f, -8.5f, -8.75f};
constexpr int64_t kLargestGroup = 128;

// From -8 to 7.
Integers nearest_of_four_bits(Floats inputs, Floats inverse) {
    const Integers rounded = round_lanes(as_rounded(inputs * inverse)), least = Integers{} - 8, most = Integers{} + 7;
    const Integers not_less = rounded < least ? least : rounded;
    return not_less > most ? most : not_less;
}

// One group of each of a panel's outputs, or what became of it.
template <typename T>
using GroupOfPanel = T[kLargestGroup][kPanelOutputs];

// Rounds a group of as many outputs as there are lanes, beginning at `first`, by the scale of the smallest squared error
// among those that the candidates give. Sums are in the order of inputs.
void round_lanes_of_group(const GroupOfPanel<float>& inputs, int64_t size, int64_t first, GroupOfPanel<uint8_t>& values,
                          Float16* scales) {
    Floats least = load_lanes_of(inputs[0] + first), most = least;
    for (int64_t i = 1; i < size; ++i) {
        const Floats some = load_lanes_of(inputs[i] + first);
        least = some < least ? some : least;
        most = some > most ? some : most;
    }
    const Floats extreme = -least > most ? least : most, zeros{};
    Floats best_score = zeros, best_scale = zeros;
    for (const float candidate : kCandidates) {
        const Floats inverse = extreme == zeros ? zeros : everywhere(candidate) / extreme;
        Floats product = zeros, square = zeros;
        for (int64_t i = 0; i < size; ++i) {
            const Floats some = load_lanes_of(inputs[i] + first);
            const Floats rounded = __builtin_convertvector(nearest_of_four_bits(some, inverse), Floats);
            product = as_rounded(product + as_rounded(some * rounded));
            square += rounded * rounded;  // whole numbers
        }
        const Floats score = square > zeros ? as_rounded(product * product) / square : zeros;
        const Integers is_better = score > best_score;
        best_score = is_better ? score : best_score;
        best_scale = is_better ? product / square : best_scale;
    }
    Floats inverse;
    for (int64_t lane = 0; lane < kNumLanes; ++lane) {
        store(best_scale[lane], scales + first + lane);
        const float kept = load(scales[first + lane]);
        inverse[lane] = kept == 0.0f ? 0.0f : 1.0f / kept;
    }
    for (int64_t i = 0; i < size; ++i) {
        int8_t some[kNumLanes];
        store_low_bytes(nearest_of_four_bits(load_lanes_of(inputs[i] + first), inverse) + FourBits::kMiddle, some);
        std::memcpy(values[i] + first, some, sizeof some);
    }
}

// The integers of some outputs, num_inputs each, and numbers of their groups; mins may be null.
struct Groups {
    const uint8_t* values;
    const Float16 *scales, *mins;
};

// Four integers of a byte each, for operations that carry nothing from one to the next.
uint32_t load_quad(const uint8_t* values) {
    uint32_t quad;
    std::memcpy(&quad, values, sizeof quad);
    return quad;
}

void store_quad(uint32_t quad, uint8_t* place) { std::memcpy(place, &quad, sizeof quad); }

// num_outputs: at most those of a panel.
void pack_panel_of_groups(const Groups& groups, int64_t num_outputs, const GroupShape& shape, uint8_t* panel) {
    const int64_t size = shape.group_size;
    if (num_outputs < kPanelOutputs) std::memset(panel, 0, static_cast<size_t>(shape.panel_bytes()));
    for (int64_t group = 0; group < shape.num_groups(); ++group, panel += shape.group_bytes()) {
        for (int64_t output = 0; output < num_outputs; ++output) {
            const int64_t index = output * shape.num_groups() + group;
            std::memcpy(panel + output * sizeof(Float16), groups.scales + index, sizeof(Float16));
            if (shape.has_mins)
                std::memcpy(panel + shape.scale_bytes() + output * sizeof(Float16), groups.mins + index, sizeof(Float16));
            const uint8_t* values = groups.values + output * shape.num_inputs + group * size;
            uint8_t* place = panel + shape.head_bytes() + output * kQuadInputs;
            if (shape.num_bits == 4) {
                for (int64_t input = 0; input < size; input += 2 * kQuadInputs, place += kVectorBytes)
                    store_quad(load_quad(values + input) | load_quad(values + input + kQuadInputs) << 4, place);
            } else {
                for (int64_t input = 0; input < size; input += kQuadInputs, place += kVectorBytes)
                    store_quad(load_quad(values + input) ^ 0x80808080u, place);
            }
        }
    }
}

template <typename Weight>
void round_panel(const Weight* weight, int64_t row_stride, int64_t num_outputs, const GroupShape& shape, uint8_t* panel) {
    thread_local std::vector<uint8_t> values;
    thread_local std::vector<Float16> scales;
    values.resize(static_cast<size_t>(kPanelOutputs * shape.num_inputs));
    scales.resize(static_cast<size_t>(kPanelOutputs * shape.num_groups()));
    GroupOfPanel<float> inputs = {};
    GroupOfPanel<uint8_t> rounded;
    for (int64_t group = 0; group < shape.num_groups(); ++group) {
        const int64_t begin = group * shape.group_size;
        for (int64_t output = 0; output < num_outputs; ++output) {
            float wide[kLargestGroup];
            widen_numbers(weight + output * row_stride + begin, shape.group_size, wide);
            for (int64_t i = 0; i < shape.group_size; ++i) inputs[i][output] = wide[i];
        }
        Float16 of_group[kPanelOutputs];
        for (int64_t first = 0; first < kPanelOutputs; first += kNumLanes)
            round_lanes_of_group(inputs, shape.group_size, first, rounded, of_group);
        for (int64_t output = 0; output < num_outputs; ++output) {
            scales[output * shape.num_groups() + group] = of_group[output];
            for (int64_t i = 0; i < shape.group_size; ++i)
                values[output * shape.num_inputs + begin + i] = rounded[i][output];
        }
    }
    pack_panel_of_groups({values.data(), scales.data(), nullptr}, num_outputs, shape, panel);
}

}  // namespace

extern "C" {

// Bytes that the panels of a weight take.
int64_t verbatim_grouped_panels_size(int64_t num_outputs, int64_t num_inputs, int64_t group_size, int64_t num_bits,
                                     int32_t has_mins) {
    return num_panels(num_outputs) * GroupShape(num_inputs, group_size, num_bits, has_mins != 0).panel_bytes();
}

// form: the sizes of the weight and of its groups; its addresses are not used. values: [num_outputs, num_inputs], of 4 bits
// 0 to 15, of 8 bits signed. scales, mins: float16 [num_outputs, num_inputs / group_size]; mins: null unless has_mins.
void verbatim_pack_groups(const VerbatimWeight* form, const uint8_t* values, const void* scales, const void* mins,
                          uint8_t* panels, int32_t num_threads) {
    const GroupShape shape(*form);
    const int64_t num_outputs = form->num_outputs, num_inputs = form->num_inputs;
    const auto of_output = [&](const void* numbers, int64_t output) {
        return numbers ? static_cast<const Float16*>(numbers) + output * shape.num_groups() : nullptr;
    };
#pragma omp parallel for num_threads(num_threads)
    for (int64_t panel = 0; panel < num_panels(num_outputs); ++panel) {
        const int64_t first = panel * kPanelOutputs;
        const Groups groups{values + first * num_inputs, of_output(scales, first), of_output(mins, first)};
        pack_panel_of_groups(groups, std::min(num_outputs - first, kPanelOutputs), shape, panels + panel * shape.panel_bytes());
    }
}

// Rounds a weight to 4 bits without mins. weight: [num_outputs, num_inputs] of a type as in stored_weight.h, its rows
// row_stride numbers apart.
void verbatim_round_groups(const void* weight, int32_t type, int64_t row_stride, int64_t num_outputs, int64_t num_inputs,
                           int64_t group_size, uint8_t* panels, int32_t num_threads) {
    const GroupShape shape(num_inputs, group_size, FourBits::kBits, false);
    with_type(weight, type, [&](const auto* rows) {
#pragma omp parallel for num_threads(num_threads)
        for (int64_t panel = 0; panel < num_panels(num_outputs); ++panel) {
            const int64_t first = panel * kPanelOutputs;
            round_panel(rows + first * row_stride, row_stride, std::min(num_outputs - first, kPanelOutputs), shape,
                        panels + panel * shape.panel_bytes());
        }
    });
}

}  // extern "C"
