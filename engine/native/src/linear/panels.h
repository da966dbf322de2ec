// The layout of a linear layer's weight in panels, and of the rows that it is multiplied with.
//
// A panel holds 32 outputs, padded with zeros. Of bfloat16 it is [num_inputs / 2][32][2], pairs of inputs beside each other:
// so vdpbf16ps takes them, and so a shift and a mask make vectors of float32 of them. Of other types it is [num_inputs][32]:
// so one instruction reads a vector of any length and widens it. Panels are the same on every target.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

constexpr int64_t kPanelOutputs = 32;
constexpr int64_t kQuad = 4, kQuadBytes = kPanelOutputs * kQuad;  // four inputs of 8 bits, which lie beside each other

inline int64_t num_panels(int64_t num_outputs) { return (num_outputs + kPanelOutputs - 1) / kPanelOutputs; }

// Numbers in a panel.
inline int64_t panel_size(int64_t num_inputs) { return (num_inputs + 1) / 2 * 2 * kPanelOutputs; }

// weight: of this panel's outputs, num_outputs of them, num_inputs each.
template <typename Weight>
inline void pack_panel(const Weight* weight, int64_t stride, int64_t num_outputs, int64_t num_inputs, Weight* panel) {
    constexpr int64_t kPairsAtOnce = 32 / sizeof(Weight);  // a cache line of each output, and a corner of the panel
    const int64_t num_there = std::min(num_outputs, kPanelOutputs), num_pairs = num_inputs / 2;
    if (num_there < kPanelOutputs || num_inputs % 2 != 0) std::memset(panel, 0, panel_size(num_inputs) * sizeof *panel);
    for (int64_t first = 0; first < num_pairs; first += kPairsAtOnce) {
        const int64_t num = std::min(kPairsAtOnce, num_pairs - first);
        for (int64_t output = 0; output < num_there; ++output) {
            const Weight* from = weight + output * stride + 2 * first;
            Weight* to = panel + 2 * (first * kPanelOutputs + output);
            for (int64_t pair = 0; pair < num; ++pair, from += 2, to += 2 * kPanelOutputs)
                std::memcpy(to, from, 2 * sizeof(Weight));
        }
    }
    if (num_inputs % 2 == 0) return;
    for (int64_t output = 0; output < num_there; ++output)
        panel[2 * (num_pairs * kPanelOutputs + output)] = weight[output * stride + num_inputs - 1];
}

// As pack_panel, for weights that do not lie in pairs.
template <typename Weight>
inline void pack_single_panel(const Weight* weight, int64_t stride, int64_t num_outputs, int64_t num_inputs, Weight* panel) {
    constexpr int64_t kInputsAtOnce = 64 / sizeof(Weight);  // a cache line of each output
    const int64_t num_there = std::min(num_outputs, kPanelOutputs);
    if (num_there < kPanelOutputs || num_inputs % 2 != 0) std::memset(panel, 0, panel_size(num_inputs) * sizeof *panel);
    for (int64_t first = 0; first < num_inputs; first += kInputsAtOnce)
        for (int64_t output = 0; output < num_there; ++output) {
            for (int64_t input = first; input < std::min(first + kInputsAtOnce, num_inputs); ++input)
                panel[input * kPanelOutputs + output] = weight[output * stride + input];
        }
}

// Panels of which a thread computes the outputs together: `num` of them, `step` apart. next: the one that it reads after
// them; it need not exist.
struct PanelsTogether {
    int64_t first, num, step, next;

    int64_t at(int64_t i) const { return first + i * step; }
    int64_t after(int64_t i) const { return i + 1 < num ? at(i + 1) : next; }
};

// Calls multiply(i, begin, end, chunk, next) for chunks of `most` inputs at most and for the i-th panel each. chunk: the
// panel's weights of these inputs; next: what this thread reads after them.
template <typename Weight, typename Multiply>
inline void for_each_chunk(const Weight* weight, const PanelsTogether& panels, int64_t num_inputs, int64_t most,
                           Multiply multiply) {
    const auto place = [&](int64_t panel, int64_t input) {
        return weight + panel * panel_size(num_inputs) + input * kPanelOutputs;
    };
    for (int64_t begin = 0; begin < num_inputs; begin += most) {
        const int64_t end = std::min(begin + most, num_inputs);
        for (int64_t i = 0; i < panels.num; ++i) {
            const Weight* next = i + 1 < panels.num ? place(panels.at(i + 1), begin)
                                 : end < num_inputs ? place(panels.first, end)
                                                    : place(panels.next, 0);
            multiply(i, begin, end, place(panels.at(i), begin), next);
        }
    }
}

// Rows that are multiplied with all panels before the next ones are, so that they stay in the second-level cache: whole
// blocks of `at_once`, a row of which takes row_bytes.
inline int64_t rows_at_once(int64_t row_bytes, int64_t at_once) {
    constexpr int64_t kBytes = 1 << 19;
    return std::max<int64_t>(1, kBytes / (row_bytes * at_once)) * at_once;
}

// The rows of each group, if all are to have nearly one size, whole blocks of at_once rows, and `most` rows at most.
inline int64_t rows_of_group(int64_t num_rows, int64_t most, int64_t at_once) {
    const int64_t num_blocks = (num_rows + at_once - 1) / at_once, num_groups = (num_rows + most - 1) / most;
    return std::max<int64_t>(1, (num_blocks + num_groups - 1) / std::max<int64_t>(1, num_groups)) * at_once;
}
