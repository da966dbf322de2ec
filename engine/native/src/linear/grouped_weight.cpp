// Weights of integers with a scale for each group of inputs, rounded from others or as they are, laid out in panels; called
// by engine/linear/rounded/grouped_panels.py. The oracle of rounding is the same arithmetic in torch
// (engine/linear/group_rounding.py).

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

// What the number of the largest magnitude in a group becomes, one after another; with mins, the steps of its range.
constexpr float kCandidates[] = {-8.0f, -7.75f, -7.5f, -7.25f, -7.0f, -6.75f, -8.25f, -8.5f, -8.75f};
constexpr float kRanges[] = {15.0f, 14.5f, 14.0f, 15.5f, 16.0f};
constexpr int64_t kLargestGroup = 128;
constexpr int32_t kLargestValue = 15;

// From `least` to `most`.
Integers nearest(Floats numbers, int32_t least, int32_t most) {
    const Integers rounded = round_lanes(numbers), lowest = Integers{} + least, highest = Integers{} + most;
    const Integers not_less = rounded < lowest ? lowest : rounded;
    return not_less > highest ? highest : not_less;
}

Integers nearest_around_middle(Floats inputs, Floats inverse) {
    return nearest(as_rounded(inputs * inverse), -FourBits::kMiddle, kLargestValue - FourBits::kMiddle);
}

// One group of each of a panel's outputs, or what became of it.
template <typename T>
using GroupOfPanel = T[kLargestGroup][kPanelOutputs];

struct Range {
    Floats least, most;
};

// That of a group, for as many outputs as there are lanes, beginning at `first`.
Range range_of_group(const GroupOfPanel<float>& inputs, int64_t size, int64_t first) {
    Floats least = load_lanes_of(inputs[0] + first), most = least;
    for (int64_t i = 1; i < size; ++i) {
        const Floats some = load_lanes_of(inputs[i] + first);
        least = some < least ? some : least;
        most = some > most ? some : most;
    }
    return {least, most};
}

// Writes numbers as float16, and returns them as they are then.
Floats keep(Floats numbers, Float16* places) {
    for (int64_t lane = 0; lane < kNumLanes; ++lane) {
        store(numbers[lane], places + lane);
        numbers[lane] = load(places[lane]);
    }
    return numbers;
}

// 1 / numbers; 0 for 0.
Floats inverse_of(Floats numbers) { return numbers == Floats{} ? Floats{} : everywhere(1.0f) / numbers; }

void keep_low_bytes(Integers values, uint8_t* places) {
    int8_t some[kNumLanes];
    store_low_bytes(values, some);
    std::memcpy(places, some, sizeof some);
}

// Rounds a group of as many outputs as there are lanes, beginning at `first`, by the scale of the smallest squared error
// among those that the candidates give. Sums are in the order of inputs.
void round_around_middle(const GroupOfPanel<float>& inputs, int64_t size, int64_t first, GroupOfPanel<uint8_t>& values,
                         Float16* scales) {
    const auto [least, most] = range_of_group(inputs, size, first);
    const Floats extreme = -least > most ? least : most, zeros{};
    Floats best_score = zeros, best_scale = zeros;
    for (const float candidate : kCandidates) {
        const Floats inverse = extreme == zeros ? zeros : everywhere(candidate) / extreme;
        Floats product = zeros, square = zeros;
        for (int64_t i = 0; i < size; ++i) {
            const Floats some = load_lanes_of(inputs[i] + first);
            const Floats rounded = __builtin_convertvector(nearest_around_middle(some, inverse), Floats);
            product = as_rounded(product + as_rounded(some * rounded));
            square += rounded * rounded;  // whole numbers
        }
        const Floats score = square > zeros ? as_rounded(product * product) / square : zeros;
        const Integers is_better = score > best_score;
        best_score = is_better ? score : best_score;
        best_scale = is_better ? product / square : best_scale;
    }
    const Floats inverse = inverse_of(keep(best_scale, scales + first));
    for (int64_t i = 0; i < size; ++i) {
        const Integers rounded = nearest_around_middle(load_lanes_of(inputs[i] + first), inverse);
        keep_low_bytes(rounded + FourBits::kMiddle, values[i] + first);
    }
}

// Rounds like round_around_middle, with a min. For given values, scale and min are those of the smallest squared error: the
// line through the numbers. They are counted from the least of them, which leaves their digits to what they differ by.
void round_from_min(const GroupOfPanel<float>& inputs, int64_t size, int64_t first, GroupOfPanel<uint8_t>& values,
                    Float16* scales, Float16* mins) {
    const auto [least, most] = range_of_group(inputs, size, first);
    const Floats range = most - least, zeros{}, number = everywhere(static_cast<float>(size));
    Floats sum = zeros;
    for (int64_t i = 0; i < size; ++i) sum += load_lanes_of(inputs[i] + first) - least;
    Floats best_score = zeros, best_scale = zeros, best_value_sum = zeros;
    for (const float num_steps : kRanges) {
        const Floats inverse = range == zeros ? zeros : everywhere(num_steps) / range;
        const Floats begin = everywhere((kLargestValue - num_steps) / 2);
        Floats product = zeros, value_sum = zeros, square = zeros;
        for (int64_t i = 0; i < size; ++i) {
            const Floats some = load_lanes_of(inputs[i] + first) - least;
            const Integers value = nearest(as_rounded(some * inverse) + begin, 0, kLargestValue);
            const Floats rounded = __builtin_convertvector(value, Floats);
            product = as_rounded(product + as_rounded(some * rounded));
            value_sum += rounded;  // whole numbers, and so are squares
            square += rounded * rounded;
        }
        const Floats covariance = as_rounded(product * number) - as_rounded(sum * value_sum);
        const Floats variance = square * number - value_sum * value_sum;
        const Floats score = variance > zeros ? as_rounded(covariance * covariance) / variance : zeros;
        const Integers is_better = score > best_score;
        best_score = is_better ? score : best_score;
        best_scale = is_better ? covariance / variance : best_scale;
        best_value_sum = is_better ? value_sum : best_value_sum;
    }
    const Floats scale = keep(best_scale, scales + first);
    const Floats min = keep(least + (sum - as_rounded(scale * best_value_sum)) / number, mins + first);
    const Floats inverse = inverse_of(scale);
    for (int64_t i = 0; i < size; ++i) {
        const Floats some = as_rounded((load_lanes_of(inputs[i] + first) - min) * inverse);
        keep_low_bytes(nearest(some, 0, kLargestValue), values[i] + first);
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

// One output's part of a group, in the places of 5 or 6 bits.
template <typename Bits>
void pack_more_bits(const uint8_t* values, int64_t size, uint8_t* place) {
    constexpr uint32_t kLow = 0x0f0f0f0fu, kHigh = 0x01010101u * ((1u << (Bits::kBits - 4)) - 1);
    for (int64_t input = 0; input < size; input += Bits::kQuadsOfStep * kQuadInputs) {
        uint32_t high = 0;
        for (int64_t quad = 0; quad < Bits::kQuadsOfStep; quad += 2, place += kVectorBytes) {
            const uint32_t first = load_quad(values + input + quad * kQuadInputs);
            const uint32_t second = load_quad(values + input + (quad + 1) * kQuadInputs);
            store_quad((first & kLow) | (second & kLow) << 4, place);
            high |= (first >> 4 & kHigh) << quad * (Bits::kBits - 4) | (second >> 4 & kHigh) << (quad + 1) * (Bits::kBits - 4);
        }
        store_quad(high, place);
        place += kVectorBytes;
    }
}

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
            } else if (shape.num_bits == 5) {
                pack_more_bits<FiveBits>(values, size, place);
            } else if (shape.num_bits == 6) {
                pack_more_bits<SixBits>(values, size, place);
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
    thread_local std::vector<Float16> scales, mins;
    values.resize(static_cast<size_t>(kPanelOutputs * shape.num_inputs));
    scales.resize(static_cast<size_t>(kPanelOutputs * shape.num_groups()));
    mins.resize(scales.size());
    GroupOfPanel<float> inputs = {};
    GroupOfPanel<uint8_t> rounded;
    for (int64_t group = 0; group < shape.num_groups(); ++group) {
        const int64_t begin = group * shape.group_size;
        for (int64_t output = 0; output < num_outputs; ++output) {
            float wide[kLargestGroup];
            widen_numbers(weight + output * row_stride + begin, shape.group_size, wide);
            for (int64_t i = 0; i < shape.group_size; ++i) inputs[i][output] = wide[i];
        }
        Float16 some_scales[kPanelOutputs], some_mins[kPanelOutputs] = {};
        for (int64_t first = 0; first < kPanelOutputs; first += kNumLanes) {
            if (shape.has_mins)
                round_from_min(inputs, shape.group_size, first, rounded, some_scales, some_mins);
            else
                round_around_middle(inputs, shape.group_size, first, rounded, some_scales);
        }
        for (int64_t output = 0; output < num_outputs; ++output) {
            scales[output * shape.num_groups() + group] = some_scales[output];
            mins[output * shape.num_groups() + group] = some_mins[output];
            for (int64_t i = 0; i < shape.group_size; ++i)
                values[output * shape.num_inputs + begin + i] = rounded[i][output];
        }
    }
    pack_panel_of_groups({values.data(), scales.data(), mins.data()}, num_outputs, shape, panel);
}

}  // namespace

extern "C" {

// Bytes that the panels of a weight take.
int64_t verbatim_grouped_panels_size(int64_t num_outputs, int64_t num_inputs, int64_t group_size, int64_t num_bits,
                                     int32_t has_mins) {
    return num_panels(num_outputs) * GroupShape(num_inputs, group_size, num_bits, has_mins != 0).panel_bytes();
}

// form: the sizes of the weight and of its groups; its addresses are not used. values: [num_outputs, num_inputs], of 4, 5 and
// 6 bits from 0 on, of 8 bits signed. scales, mins: float16 [num_outputs, num_inputs / group_size]; mins: null unless has_mins.
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

// Rounds a weight to 4 bits. weight: [num_outputs, num_inputs] of a type as in stored_weight.h, its rows row_stride numbers
// apart.
void verbatim_round_groups(const void* weight, int32_t type, int64_t row_stride, int64_t num_outputs, int64_t num_inputs,
                           int64_t group_size, int32_t has_mins, uint8_t* panels, int32_t num_threads) {
    const GroupShape shape(num_inputs, group_size, FourBits::kBits, has_mins != 0);
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
