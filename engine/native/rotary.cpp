// Rotary embedding of queries and keys where a product left them, and their norms before it where a model has
// them; called by engine/native_layer.py. Each step is rounded as transformers rounds it.

#include <cstdint>

#include "norm.h"
#include "storage.h"

extern "C" {

struct VerbatimRotary {
    void* heads;         // [num_rows, num_query_heads + num_key_heads, dim], of rows that are row_stride apart
    const void* cosine;  // [num_rows, dim], dense
    const void* sine;    // likewise
    const void* query_weight;  // [dim], of the norm, or null: no norms
    const void* key_weight;    // likewise
    int64_t num_rows, row_stride, num_query_heads, num_key_heads, dim;
    float query_epsilon, key_epsilon;
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

namespace {

// The second half of a head are the imaginary parts of the first.
template <typename T>
void rotate(T* head, const T* cosine, const T* sine, int64_t dim) {
    const int64_t half = dim / 2;
    T* other = head + half;
#pragma omp simd
    for (int64_t i = 0; i < half; ++i) {
        const float real = load(head[i]), imaginary = load(other[i]);
        store(rounded<T>(real * load(cosine[i])) - rounded<T>(imaginary * load(sine[i])), head + i);
        store(rounded<T>(imaginary * load(cosine[half + i])) + rounded<T>(real * load(sine[half + i])), other + i);
    }
}

template <typename T>
void run(const VerbatimRotary& call) {
#pragma omp parallel for schedule(static) num_threads(call.num_threads)
    for (int64_t row = 0; row < call.num_rows; ++row) {
        const T* cosine = static_cast<const T*>(call.cosine) + row * call.dim;
        const T* sine = static_cast<const T*>(call.sine) + row * call.dim;
        for (int64_t i = 0; i < call.num_query_heads + call.num_key_heads; ++i) {
            const bool is_query = i < call.num_query_heads;
            const void* weight = is_query ? call.query_weight : call.key_weight;
            T* head = static_cast<T*>(call.heads) + row * call.row_stride + i * call.dim;
            if (weight)
                normalize_row(head, static_cast<const T*>(weight), call.dim,
                              is_query ? call.query_epsilon : call.key_epsilon, head);
            rotate(head, cosine, sine, call.dim);
        }
    }
}

}  // namespace

extern "C" void verbatim_rotary(const VerbatimRotary* call) {
    if (call->is_bfloat16)
        run<Bfloat16>(*call);
    else
        run<float>(*call);
}
