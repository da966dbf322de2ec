// Attention of rows that decode, over paged keys and values; called by engine/native_attention.py.
//
// A task is one sequence and one head of its keys: these are read once for the whole group of query heads that
// share them, where they lie, so nothing is gathered or padded. Arithmetic is float32, storage float32 or
// bfloat16. The oracle is the torch path of engine/attention.py (tests/parity/test_native_attention.py).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

struct Bfloat16 {
    uint16_t bits;
};

inline float load(float value) { return value; }

inline float load(Bfloat16 value) {
    const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

inline void store(float value, float* place) { *place = value; }

inline void store(float value, Bfloat16* place) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    // Round to nearest even; a NaN stays one.
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    place->bits = static_cast<uint16_t>(is_nan ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// exp(x) for x <= 0, to a few units in the last place: 2^n times a polynomial of the rest (Cephes, expf).
inline float exp_negative(float x) {
    const float clamped = x > -87.0f ? x : (x <= -87.0f ? -87.0f : x);  // a NaN passes
    const float n = std::floor(clamped * 1.44269504088896341f + 0.5f);
    float r = clamped - n * 0.693359375f;
    r -= n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const int32_t power = (static_cast<int32_t>(n) + 127) << 23;
    float scale;
    std::memcpy(&scale, &power, sizeof scale);
    return x < -87.0f ? 0.0f : p * scale;
}

}  // namespace

extern "C" {

// Shapes as in engine/attention.py. Strides count elements; the last dimension is dense everywhere.
struct VerbatimDecode {
    const void* query;   // [num_heads, num_rows, key_dim]
    const void* keys;    // [num_blocks, block_size, num_kv_heads, key_dim]
    const void* values;  // [num_blocks, block_size, num_kv_heads, value_dim]
    void* output;        // [num_rows, num_heads, value_dim], dense
    const int64_t* blocks;  // of all rows, one after another
    const int64_t* firsts;  // [num_rows]: where a row's blocks begin
    const int64_t* lows;    // [num_rows]: the first key a row sees, counted from its first block
    const int64_t* highs;   // [num_rows]: one past the last
    const float* sinks;     // [num_heads] or null
    int64_t query_head_stride, query_row_stride;
    int64_t num_rows, num_heads, num_kv_heads, key_dim, value_dim, block_size;
    float scaling, softcap;  // softcap 0: none
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

namespace {

// kKeyDim and kValueDim: known sizes, which compilers unroll; 0 stands for any.
template <typename T, int64_t kKeyDim, int64_t kValueDim>
void attend(const VerbatimDecode& call, int64_t row, int64_t kv_head, std::vector<float>& scratch) {
    const int64_t key_dim = kKeyDim ? kKeyDim : call.key_dim;
    const int64_t value_dim = kValueDim ? kValueDim : call.value_dim;
    const int64_t group = call.num_heads / call.num_kv_heads;
    const int64_t low = call.lows[row], high = call.highs[row], num_keys = high - low;
    const int64_t* blocks = call.blocks + call.firsts[row];
    scratch.resize(group * (key_dim + value_dim + num_keys) + std::max(key_dim, value_dim));
    float* query = scratch.data();
    float* sums = query + group * key_dim;
    float* one = sums + group * value_dim;
    float* weights = one + std::max(key_dim, value_dim);  // [group, num_keys]

    for (int64_t g = 0; g < group; ++g) {
        const T* source = static_cast<const T*>(call.query) + (kv_head * group + g) * call.query_head_stride +
                          row * call.query_row_stride;
        for (int64_t d = 0; d < key_dim; ++d) query[g * key_dim + d] = load(source[d]) * call.scaling;
    }
    const auto place = [&](int64_t key) {
        return (blocks[key / call.block_size] * call.block_size + key % call.block_size) * call.num_kv_heads +
               kv_head;
    };
    for (int64_t key = low; key < high; ++key) {
        const T* source = static_cast<const T*>(call.keys) + place(key) * key_dim;
        for (int64_t d = 0; d < key_dim; ++d) one[d] = load(source[d]);
        for (int64_t g = 0; g < group; ++g) {
            const float* own = query + g * key_dim;
            float product = 0.0f;
#pragma omp simd reduction(+ : product)
            for (int64_t d = 0; d < key_dim; ++d) product += own[d] * one[d];
            weights[g * num_keys + key - low] = product;
        }
    }
    for (int64_t g = 0; g < group; ++g) {
        float* own = weights + g * num_keys;
        if (call.softcap != 0.0f)
            for (int64_t i = 0; i < num_keys; ++i) own[i] = std::tanh(own[i] / call.softcap) * call.softcap;
        const float sink = call.sinks ? call.sinks[kv_head * group + g] : 0.0f;
        float best = call.sinks ? sink : own[0];
        for (int64_t i = 0; i < num_keys; ++i) best = own[i] > best ? own[i] : best;
        float total = call.sinks ? exp_negative(sink - best) : 0.0f;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < num_keys; ++i) {
            own[i] = exp_negative(own[i] - best);
            total += own[i];
        }
        const float inverse = 1.0f / total;
        for (int64_t i = 0; i < num_keys; ++i) own[i] *= inverse;
    }
    std::fill(sums, sums + group * value_dim, 0.0f);
    for (int64_t key = low; key < high; ++key) {
        const T* source = static_cast<const T*>(call.values) + place(key) * value_dim;
        for (int64_t d = 0; d < value_dim; ++d) one[d] = load(source[d]);
        for (int64_t g = 0; g < group; ++g) {
            const float weight = weights[g * num_keys + key - low];
            float* own = sums + g * value_dim;
#pragma omp simd
            for (int64_t d = 0; d < value_dim; ++d) own[d] += weight * one[d];
        }
    }
    T* target = static_cast<T*>(call.output) + (row * call.num_heads + kv_head * group) * value_dim;
    for (int64_t i = 0; i < group * value_dim; ++i) store(sums[i], target + i);
}

template <typename T, int64_t kKeyDim, int64_t kValueDim>
void run(const VerbatimDecode& call) {
    const int64_t num_tasks = call.num_rows * call.num_kv_heads;
#pragma omp parallel num_threads(call.num_threads)
    {
        std::vector<float> scratch;
#pragma omp for schedule(dynamic)
        for (int64_t task = 0; task < num_tasks; ++task)
            attend<T, kKeyDim, kValueDim>(call, task / call.num_kv_heads, task % call.num_kv_heads, scratch);
    }
}

template <typename T>
void run_sized(const VerbatimDecode& call) {
    if (call.key_dim == 64 && call.value_dim == 64)
        run<T, 64, 64>(call);
    else if (call.key_dim == 128 && call.value_dim == 128)
        run<T, 128, 128>(call);
    else
        run<T, 0, 0>(call);
}

}  // namespace

extern "C" void verbatim_decode(const VerbatimDecode* call) {
    if (call->is_bfloat16)
        run_sized<Bfloat16>(*call);
    else
        run_sized<float>(*call);
}
