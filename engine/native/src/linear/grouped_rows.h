// Rows of activations as they meet weights in groups: rounded to 8 bits, each by a scale of its own, with sums of groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/storage.h"
#include "linear/grouped_products.h"
#include "linear/int8_rows.h"
#include "linear/panels.h"
#include "linear/weight.h"

// What a panel's places depend on.
struct GroupShape {
    int64_t num_inputs, group_size, num_bits;
    bool has_mins;

    explicit GroupShape(const VerbatimWeight& weight)
        : num_inputs(weight.num_inputs), group_size(weight.group_size), num_bits(weight.num_bits),
          has_mins(weight.has_mins != 0) {}
    GroupShape(int64_t num_inputs, int64_t group_size, int64_t num_bits, bool has_mins)
        : num_inputs(num_inputs), group_size(group_size), num_bits(num_bits), has_mins(has_mins) {}

    int64_t num_groups() const { return num_inputs / group_size; }
    int64_t scale_bytes() const { return kPanelOutputs * static_cast<int64_t>(sizeof(Float16)); }
    int64_t head_bytes() const { return (1 + has_mins) * scale_bytes(); }
    int64_t group_bytes() const { return head_bytes() + group_size * kPanelOutputs * num_bits / 8; }
    int64_t panel_bytes() const { return num_groups() * group_bytes(); }

    // What is in memory for 0 beside what a product takes it for.
    int32_t taken_off() const {
        if (num_bits == EightBits::kBits) return EightBits::kAdded;
        return has_mins ? 0 : 1 << (num_bits - 1);
    }
};

// Rounded rows. Beside its values a row has two numbers for each group of inputs: what the sum of its products begins with,
// and the sum of its values, which meets the mins.
struct GroupedRows {
    const int8_t* values;
    const float* scales;  // what 1 stands for
    const int32_t* begins;
    const float* sums;
    int64_t stride, group_stride;

    GroupedRows from(int64_t row) const {
        return {values + row * stride, scales + row, begins + row * group_stride, sums + row * group_stride,
                stride, group_stride};
    }
};

// Rounds one row, and puts its values in the order of a weight's columns. order: as of VerbatimWeight. Values of one byte are
// gathered, once they are rounded in the order in which they are in memory.
template <typename T>
inline void round_ordered_row(const T* row, int64_t num_inputs, const int32_t* order, int8_t* values, float* scale) {
    if (!order) return round_row<0>(row, num_inputs, values, scale);
    thread_local std::vector<int8_t> unordered;
    if (static_cast<int64_t>(unordered.size()) < row_stride(num_inputs)) unordered.resize(row_stride(num_inputs));
    const int8_t* const source = unordered.data();
    round_row<0>(row, num_inputs, unordered.data(), scale);
    for (int64_t column = 0; column < num_inputs; ++column) values[column] = source[order[column]];
}

// Rounds one row. begins, sums: of its groups.
template <typename T>
inline void round_grouped_row(const T* row, const GroupShape& shape, const int32_t* order, int8_t* values, float* scale,
                              int32_t* begins, float* sums) {
    round_ordered_row(row, shape.num_inputs, order, values, scale);
    const int32_t taken_off = shape.taken_off();
    for (int64_t group = 0; group < shape.num_groups(); ++group, values += shape.group_size) {
        int32_t sum = 0;
        for (int64_t input = 0; input < shape.group_size; ++input) sum += values[input];
        begins[group] = -taken_off * sum;
        sums[group] = static_cast<float>(sum);
    }
}

// Memory for rounded rows.
struct GroupedRowBuffers {
    std::vector<int8_t> values;
    std::vector<float> scales, sums;
    std::vector<int32_t> begins;

    void fit(int64_t num_rows, int64_t num_inputs) {
        fit_one(values, num_rows * row_stride(num_inputs));
        fit_one(scales, num_rows);
        fit_one(sums, num_rows * group_stride(num_inputs));
        fit_one(begins, num_rows * group_stride(num_inputs));
    }

    template <typename T>
    void round(const T* source, int64_t row, const VerbatimWeight& weight) {
        const int64_t num_inputs = weight.num_inputs, group = row * group_stride(num_inputs);
        round_grouped_row(source, GroupShape(weight), weight.order, values.data() + row * row_stride(num_inputs),
                          scales.data() + row, begins.data() + group, sums.data() + group);
    }

    GroupedRows rows(int64_t num_inputs) const {
        return {values.data(), scales.data(), begins.data(), sums.data(), row_stride(num_inputs), group_stride(num_inputs)};
    }

   private:
    static int64_t group_stride(int64_t num_inputs) { return (num_inputs + kLeastGroup - 1) / kLeastGroup; }

    template <typename T>
    static void fit_one(std::vector<T>& buffer, int64_t size) {
        if (static_cast<int64_t>(buffer.size()) < size) buffer.resize(size);
    }
};
