// The layout of a linear layer's weight in panels, and of the rows that it is multiplied with.
//
// A panel holds 32 outputs: [num_inputs / 2][32][2], pairs of inputs beside each other, padded with zeros. So vdpbf16ps
// takes them, and so a shift and a mask make vectors of float32 of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

constexpr int64_t kPanelOutputs = 32;

inline int64_t num_panels(int64_t num_outputs) { return (num_outputs + kPanelOutputs - 1) / kPanelOutputs; }

// Numbers in a panel.
inline int64_t panel_size(int64_t num_inputs) { return (num_inputs + 1) / 2 * 2 * kPanelOutputs; }

// weight: of this panel's outputs, num_outputs of them, num_inputs each.
template <typename Weight>
inline void pack_panel(const Weight* weight, int64_t stride, int64_t num_outputs, int64_t num_inputs, Weight* panel) {
    const int64_t num_there = std::min(num_outputs, kPanelOutputs);
    for (int64_t input = 0; input < num_inputs; input += 2, panel += 2 * kPanelOutputs) {
        const int64_t num_bytes = (input + 1 < num_inputs ? 2 : 1) * sizeof *panel;
        std::memset(panel, 0, 2 * kPanelOutputs * sizeof *panel);
        for (int64_t output = 0; output < num_there; ++output)
            std::memcpy(panel + 2 * output, weight + output * stride + input, num_bytes);
    }
}

// Panels of which a thread computes the outputs together: `num` of them, `step` apart. next: the one that it reads after
// them; it need not exist.
struct PanelsTogether {
    int64_t first, num, step, next;

    int64_t at(int64_t i) const { return first + i * step; }
    int64_t after(int64_t i) const { return i + 1 < num ? at(i + 1) : next; }
};

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
