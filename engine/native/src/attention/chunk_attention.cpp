// Attention of chunks, over paged keys and values; called by engine/attention/native_chunks.py.
//
// A task is some rows of one chunk and one head of its keys. It reads keys where they lie, some at a time, and
// keeps no more of the scores than theirs (FlashAttention-2, arXiv 2307.08691). Products sum in float32. Where the
// processor multiplies pairs of bfloat16 they take these, weights among them, and elsewhere float32. The oracle is the
// torch path of engine/attention/paged_attention.py (tests/parity/kernels/test_chunk_attention.py).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "attention/online_softmax.h"
#include "attention/paged_rows.h"
#include "attention/wide_tiles.h"
#include "common/lanes.h"
#include "common/layout.h"
#include "common/storage.h"
#include "linear/panels.h"
#ifdef __AVX512BF16__
#include "attention/bfloat16_tiles.h"
#endif

extern "C" {

// Shapes as in engine/attention/paged_attention.py. Strides count elements; the last dimension is dense everywhere.
struct VerbatimChunks {
    const void* query;   // [num_heads, num_rows, key_dim]
    const void* keys;    // [num_blocks, block_size, num_kv_heads, key_dim]
    const void* values;  // [num_blocks, block_size, num_kv_heads, value_dim]
    void* output;        // [num_rows, num_heads, value_dim], dense
    const int64_t* blocks;  // of all chunks, one after another
    const int64_t* chunks;  // [num_chunks, 5]: first row, rows, place of the first row's key, first of its blocks, first key
    const float* sinks;     // [num_heads] or null
    int64_t query_head_stride, query_row_stride;
    int64_t num_chunks, num_heads, num_kv_heads, key_dim, value_dim, block_size;
    int64_t window;  // keys that a row sees at most, its own included
    float scaling, softcap;  // softcap 0: none
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimChunks, query, keys, values, output, blocks, chunks, sinks, query_head_stride,
                query_row_stride, num_chunks, num_heads, num_kv_heads, key_dim, value_dim, block_size, window,
                scaling, softcap, is_bfloat16, num_threads)

namespace {

constexpr int64_t kRowsAtOnce = 384;  // for which keys are packed: enough to make packing cheap

struct Chunk {
    int64_t row, num_rows, place, first_block, first_key;
};
static_assert(sizeof(Chunk) == 5 * sizeof(int64_t));  // a row of VerbatimChunks.chunks

// Rows are pairs of a token and a query head of the group, tokens first, so that neighbours see nearly the same keys.
struct Task {
    const Chunk* chunk;
    int64_t token, num_tokens, kv_head;
};

// Memory that a thread keeps from task to task.
template <typename Number>
struct Scratch {
    std::vector<Number> query;  // [num_rows, row_stride]
    std::vector<Number> keys, values;
    std::vector<SoftmaxRow> softmax;  // [num_rows]
    std::vector<float> sums;          // [num_rows, padded value_dim]
};

// T: the type of queries, keys, values and outputs. Tiles: how keys and values are packed and multiplied.
template <typename T, typename Tiles>
struct Attention {
    using Number = typename Tiles::Number;
    using OwnScratch = Scratch<Number>;
    static constexpr int64_t kRowsOfBlock = Tiles::kRowsOfBlock;

    const VerbatimChunks& call;
    int64_t group = call.num_heads / call.num_kv_heads;
    int64_t padded_dim = num_panels(call.value_dim) * kPanelOutputs;
    int64_t query_stride = Tiles::row_stride(call.key_dim);

    int64_t tokens_at_once() const { return std::max<int64_t>(1, kRowsAtOnce / group); }

    void start(const Task& task, OwnScratch& scratch) const {
        const int64_t num_rows = task.num_tokens * group;
        scratch.query.resize(num_rows * query_stride);
        scratch.keys.resize(kKeysAtOnce / kPanelOutputs * panel_size(call.key_dim));
        scratch.values.resize(num_panels(call.value_dim) * panel_size(kKeysAtOnce));
        scratch.softmax.resize(num_rows);
        scratch.sums.assign(num_rows * padded_dim, 0.0f);
        for (int64_t row = 0; row < num_rows; ++row) {
            const int64_t head = task.kv_head * group + row % group;
            const int64_t place = task.chunk->row + task.token + row / group;
            Tiles::copy_row(static_cast<const T*>(call.query) + head * call.query_head_stride + place * call.query_row_stride,
                            call.key_dim, scratch.query.data() + row * query_stride);
            scratch.softmax[row] = call.sinks ? SoftmaxRow{call.sinks[head], 1.0f} : SoftmaxRow{kHidden, 0.0f};
        }
    }

    // The first key that a row may see. place: of its own key.
    int64_t first_key(const Chunk& chunk, int64_t place) const { return std::max(chunk.first_key, place + 1 - call.window); }

    // Up to kRowsOfBlock rows from `first` on against the keys from `begin` on that are packed. place: of the key of row 0.
    void attend(const Chunk& chunk, int64_t place, int64_t first, int64_t num_rows, int64_t begin, OwnScratch& scratch) const {
        const auto from = [&](int64_t row) { return std::max(begin, first_key(chunk, place + row / group)) - begin; };
        const auto to = [&](int64_t row) { return std::min(begin + kKeysAtOnce, place + row / group + 1) - begin; };
        const int64_t low = from(first) / kPanelOutputs * kPanelOutputs;
        const int64_t size = (to(first + num_rows - 1) - low + kPanelOutputs - 1) / kPanelOutputs * kPanelOutputs;
        if (from(first) >= kKeysAtOnce || size <= 0) return;
        alignas(64) float scores[kRowsOfBlock][kKeysAtOnce];
        alignas(64) Number weights[kRowsOfBlock][kKeysAtOnce];
        float factors[kRowsOfBlock];
        const Floats scaling = everywhere(call.scaling);
        for (int64_t i = 0; i < size; i += kPanelOutputs) {
            const Number* panel = scratch.keys.data() + (low + i) / kPanelOutputs * panel_size(call.key_dim);
            Tiles::multiply(num_rows, scratch.query.data() + first * query_stride, query_stride, call.key_dim, panel,
                            [&](int64_t row, int64_t key, Floats sums) { store_lanes(sums * scaling, scores[row] + i + key); });
        }
        for (int64_t row = 0; row < num_rows; ++row) {
            if (call.softcap != 0.0f) cap(scores[row], size, call.softcap);
            const auto inside = [&](int64_t key) { return std::clamp<int64_t>(key - low, 0, size); };
            factors[row] = scratch.softmax[first + row].template take<Tiles>(scores[row], size, inside(from(first + row)),
                                                                             inside(to(first + row)), weights[row]);
        }
        for (int64_t output = 0; output < padded_dim; output += kPanelOutputs) {
            const Number* panel = scratch.values.data() + output * kKeysAtOnce + low * kPanelOutputs;
            Tiles::multiply(num_rows, weights[0], kKeysAtOnce, size, panel, [&](int64_t row, int64_t lane, Floats sums) {
                float* place = scratch.sums.data() + (first + row) * padded_dim + output + lane;
                store_lanes(multiply_add(load_lanes_of(place), everywhere(factors[row]), sums), place);
            });
        }
    }

    void finish(const Task& task, const OwnScratch& scratch) const {
        for (int64_t row = 0; row < task.num_tokens * group; ++row) {
            const int64_t place = task.chunk->row + task.token + row / group;
            T* output = static_cast<T*>(call.output) +
                        (place * call.num_heads + task.kv_head * group + row % group) * call.value_dim;
            const float* sums = scratch.sums.data() + row * padded_dim;
            const Floats inverse = everywhere(1.0f / scratch.softmax[row].total);
            for (int64_t i = 0; i < call.value_dim; i += kNumLanes)
                store_first_lanes(load_lanes_of(sums + i) * inverse, output + i, call.value_dim - i);
        }
    }

    void run(const Task& task, OwnScratch& scratch) const {
        start(task, scratch);
        const int64_t num_rows = task.num_tokens * group, place = task.chunk->place + task.token;
        const int64_t first = first_key(*task.chunk, place), last = place + task.num_tokens;
        const int64_t* blocks = call.blocks + task.chunk->first_block;
        const auto rows = [&](const void* pages, int64_t dim) {
            return PagedRows<T>{static_cast<const T*>(pages) + task.kv_head * dim, blocks, call.block_size,
                                call.num_kv_heads, dim, first, last};
        };
        const PagedRows<T> keys = rows(call.keys, call.key_dim), values = rows(call.values, call.value_dim);
        const T* found[kKeysAtOnce];
        for (int64_t begin = first; begin < last; begin += kKeysAtOnce) {
            keys.find(begin, found);
            Tiles::pack_keys(found, call.key_dim, scratch.keys.data());
            values.find(begin, found);
            Tiles::pack_values(found, call.value_dim, scratch.values.data());
            for (int64_t row = 0; row < num_rows; row += kRowsOfBlock)
                attend(*task.chunk, place, row, std::min(kRowsOfBlock, num_rows - row), begin, scratch);
        }
        finish(task, scratch);
    }
};

template <typename T, typename Tiles>
void attend_to_all(const VerbatimChunks& call) {
    const Attention<T, Tiles> attention{call};
    const Chunk* chunks = reinterpret_cast<const Chunk*>(call.chunks);
    std::vector<Task> tasks;
    for (int64_t i = 0; i < call.num_chunks; ++i)
        for (int64_t token = 0; token < chunks[i].num_rows; token += attention.tokens_at_once())
            for (int64_t head = 0; head < call.num_kv_heads; ++head)
                tasks.push_back({chunks + i, token, std::min(attention.tokens_at_once(), chunks[i].num_rows - token), head});
    const int64_t num_tasks = tasks.size();
#pragma omp parallel num_threads(call.num_threads)
    {
        typename Attention<T, Tiles>::OwnScratch scratch;
        // The last tokens see most keys: whoever takes them begins first.
#pragma omp for schedule(dynamic)
        for (int64_t i = num_tasks - 1; i >= 0; --i) attention.run(tasks[i], scratch);
    }
}

#ifdef __AVX512BF16__
using TilesOfBfloat16 = Bfloat16Tiles;
#else
using TilesOfBfloat16 = WideTiles<Bfloat16>;
#endif

}  // namespace

extern "C" void verbatim_chunks(const VerbatimChunks* call) {
    if (call->is_bfloat16)
        attend_to_all<Bfloat16, TilesOfBfloat16>(*call);
    else
        attend_to_all<float, WideTiles<float>>(*call);
}
