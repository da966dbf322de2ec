// What LoRA adapters (arXiv 2106.09685) add to the outputs of a decoder layer's products, by row: its adapter's up * (down * x).
//
// Both products and the sum are rounded to bfloat16, as torch rounds them layer by layer. A row's result does not depend on
// what else is in the batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "common/layout.h"
#include "common/storage.h"

// The products of a layer, in the order of computation.
enum LayerProduct { kQkv, kOutput, kGateUp, kDown, kNumLayerProducts };
VERBATIM_CONSTANT(kNumLayerProducts)

// Outputs in a panel of `up`: one cache line for each rank.
constexpr int64_t kUpOutputs = 32;
VERBATIM_CONSTANT(kUpOutputs)

extern "C" {

// The change of some outputs of a product. Both matrices are dense and bfloat16.
struct VerbatimLowRank {
    const void* down;  // [rank, num_inputs]
    const void* up;    // panels of kUpOutputs outputs, padded with zeros: [num_panels, rank, kUpOutputs], with the scaling in it
    int64_t rank, first_output, num_outputs;
};

// An adapter of all layers of a decoder; engine/fusion/native_adapters.py fills it once.
struct VerbatimAdapter {
    const VerbatimLowRank* changes;
    const int64_t* firsts;  // [num_layers * kNumLayerProducts + 1], the first change of each product
    int64_t most_ranks;     // of the changes of one product together
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimLowRank, down, up, rank, first_output, num_outputs)
VERBATIM_LAYOUT(VerbatimAdapter, changes, firsts, most_ranks)

constexpr int kRanksAtOnce = 4;
constexpr int64_t kLineNumbers = kLine / static_cast<int64_t>(sizeof(Bfloat16));
static_assert(kUpOutputs == kLineNumbers);

// Calls visit(up, place, num) for each panel that has any of `num` outputs of a change, from `first` on: the panel's numbers
// from the first of them on, and which they are.
template <typename Visit>
inline void for_each_panel(const VerbatimLowRank& change, int64_t first, int64_t num, Visit visit) {
    for (int64_t place = 0; place < num;) {
        const int64_t panel = (first + place) / kUpOutputs, within = (first + place) % kUpOutputs;
        const int64_t num_there = std::min(kUpOutputs - within, num - place);
        visit(static_cast<const Bfloat16*>(change.up) + panel * change.rank * kUpOutputs + within, place, num_there);
        place += num_there;
    }
}

// Some rows of `down` matrices, `num` of them; the others are the first one again, if there is any.
struct DownRows {
    int num = 0;
    const Bfloat16* rows[kRanksAtOnce] = {};
};

// Writes the products of a row with `down.num` others of the same size. next: the rows that this thread reads after them.
inline void multiply_ranks(const Bfloat16* row, int64_t size, const DownRows& down, const DownRows& next, float* reduced) {
    Floats sums[kRanksAtOnce] = {};
    const auto add = [&](int64_t first, auto load) {
        const Floats values = load(row + first);
#pragma GCC unroll 4
        for (int rank = 0; rank < kRanksAtOnce; ++rank) accumulate(sums[rank], values, load(down.rows[rank] + first));
    };
    int64_t first = 0;
    for (; first + kLineNumbers <= size; first += kLineNumbers) {
#pragma GCC unroll 4
        for (int rank = 0; rank < kRanksAtOnce; ++rank) __builtin_prefetch(next.rows[rank] + first);
#pragma GCC unroll 8
        for (int64_t i = 0; i < kLineNumbers; i += kNumLanes) add(first + i, [](const Bfloat16* place) { return load_lanes_of(place); });
    }
    for (; first < size; first += kNumLanes)
        add(first, [&](const Bfloat16* place) { return load_first_lanes(place, size - first); });
    for (int rank = 0; rank < down.num; ++rank) reduced[rank] = rounded<Bfloat16>(sum_lanes(sums[rank]));
}

// Adds a change to kVectors vectors of outputs in one of its panels. up: from the first of these outputs on, the next rank's
// kUpOutputs numbers further. reduced: [rank]. Only the last vector's first `num_last` lanes are written.
template <int kVectors>
inline void add_vectors(const Bfloat16* up, const float* reduced, int64_t rank, Bfloat16* outputs, int64_t num_last) {
    Floats sums[kVectors] = {};
    for (int64_t i = 0; i < rank; ++i, up += kUpOutputs) {
        __builtin_prefetch(up + rank * kUpOutputs);  // of the next panel
        const Floats factor = everywhere(reduced[i]);
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector)
            accumulate(sums[vector], factor, load_first_lanes(up + vector * kNumLanes, vector + 1 < kVectors ? kNumLanes : num_last));
    }
#pragma GCC unroll 8
    for (int vector = 0; vector < kVectors; ++vector) {
        Bfloat16* const place = outputs + vector * kNumLanes;
        const int64_t num = vector + 1 < kVectors ? kNumLanes : num_last;
        store_first_lanes(load_first_lanes(place, num) + widen(narrow(sums[vector])), place, num);
    }
}

// Adds a change to `num` of its outputs, from `first` on.
inline void add_change(const VerbatimLowRank& change, const float* reduced, int64_t first, int64_t num, Bfloat16* outputs) {
    for_each_panel(change, first, num, [&](const Bfloat16* up, int64_t place, int64_t num_there) {
        if (num_there == kUpOutputs) return add_vectors<kUpOutputs / kNumLanes>(up, reduced, change.rank, outputs + place, kNumLanes);
        for (int64_t i = 0; i < num_there; i += kNumLanes)
            add_vectors<1>(up + i, reduced, change.rank, outputs + place + i, std::min(kNumLanes, num_there - i));
    });
}

// The adapters of the rows of a step, for one layer after another.
class RowAdapters {
   public:
    // No row has an adapter.
    RowAdapters() = default;

    // of_rows: [num_rows], null where a row has none; itself null if none has. memory: grows as needed.
    RowAdapters(const VerbatimAdapter* const* of_rows, int64_t num_rows, std::vector<float>& memory) : of_rows_(of_rows) {
        if (!of_rows) return;
        for (int64_t row = 0; row < num_rows; ++row)
            if (of_rows[row]) stride_ = std::max(stride_, of_rows[row]->most_ranks);
        if (static_cast<int64_t>(memory.size()) < num_rows * stride_) memory.resize(num_rows * stride_);
        reduced_ = memory.data();
    }

    RowAdapters of_layer(int64_t layer) const {
        RowAdapters result = *this;
        result.layer_ = layer;
        return result;
    }

    // Multiplies the inputs of a product, [num_rows, num_inputs], by `down`. Every thread of a region calls it; a barrier
    // stands at its end.
    void reduce(LayerProduct product, int64_t num_rows, const Bfloat16* inputs, int64_t num_inputs) const {
        if (!of_rows_) return;
        const int64_t num_blocks = (stride_ + kRanksAtOnce - 1) / kRanksAtOnce, num_tasks = num_rows * num_blocks;
        const auto rows_of = [&](int64_t task) {
            return task < num_tasks ? down_rows(product, task / num_blocks, task % num_blocks * kRanksAtOnce, num_inputs) : DownRows();
        };
#pragma omp for schedule(static)
        for (int64_t task = 0; task < num_tasks; ++task) {
            const int64_t row = task / num_blocks, first = task % num_blocks * kRanksAtOnce;
            const DownRows down = rows_of(task);
            if (down.num) multiply_ranks(inputs + row * num_inputs, num_inputs, down, rows_of(task + 1), reduced(row) + first);
        }
    }

    // Adds to the outputs of some rows what reduce() has prepared. outputs: of the first row, from first_output on; the next
    // row's are row_step numbers further.
    void add(LayerProduct product, int64_t first_row, int64_t num_rows, int64_t first_output, int64_t num_outputs,
             Bfloat16* outputs, int64_t row_step) const {
        if (!of_rows_) return;
        for_each_change(product, first_row, num_rows, first_output, num_outputs,
                        [&](const VerbatimLowRank& change, int64_t row, const float* part, int64_t begin, int64_t num) {
                            const int64_t place = change.first_output + begin - first_output;
                            add_change(change, part, begin, num, outputs + (row - first_row) * row_step + place);
                        });
    }

   private:
    struct Changes {
        const VerbatimLowRank *first, *last;
        const VerbatimLowRank* begin() const { return first; }
        const VerbatimLowRank* end() const { return last; }
    };

    // Those of a row that has an adapter.
    Changes changes(LayerProduct product, int64_t row) const {
        const VerbatimAdapter& adapter = *of_rows_[row];
        const int64_t* const firsts = adapter.firsts + layer_ * kNumLayerProducts + product;
        return {adapter.changes + firsts[0], adapter.changes + firsts[1]};
    }

    float* reduced(int64_t row) const { return reduced_ + row * stride_; }

    // Calls visit(change, row, reduced, begin, num) for each row and change of it that has `num` of these outputs, from its
    // `begin`-th one on. reduced: [rank].
    template <typename Visit>
    void for_each_change(LayerProduct product, int64_t first_row, int64_t num_rows, int64_t first_output, int64_t num_outputs,
                         Visit visit) const {
        for (int64_t row = first_row; row < first_row + num_rows; ++row) {
            if (!of_rows_[row]) continue;
            const float* part = reduced(row);
            for (const VerbatimLowRank& change : changes(product, row)) {
                const int64_t begin = std::max<int64_t>(0, first_output - change.first_output);
                const int64_t end = std::min(first_output + num_outputs - change.first_output, change.num_outputs);
                if (begin < end) visit(change, row, part, begin, end - begin);
                part += change.rank;
            }
        }
    }

    // The ranks of all changes of a row, one after another, from `first` on.
    DownRows down_rows(LayerProduct product, int64_t row, int64_t first, int64_t num_inputs) const {
        DownRows down;
        if (!of_rows_[row]) return down;
        for (const VerbatimLowRank& change : changes(product, row)) {
            for (; first < change.rank && down.num < kRanksAtOnce; ++first)
                down.rows[down.num++] = static_cast<const Bfloat16*>(change.down) + first * num_inputs;
            first = std::max<int64_t>(0, first - change.rank);
        }
        std::fill(down.rows + down.num, down.rows + kRanksAtOnce, down.rows[0]);
        return down;
    }

    const VerbatimAdapter* const* of_rows_ = nullptr;
    float* reduced_ = nullptr;  // [num_rows, stride_]
    int64_t stride_ = 0, layer_ = 0;
};
