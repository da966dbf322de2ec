// Rotary embedding of queries and keys, in place in the output of the qkv projection, after the norms of heads if the
// model has them; called by engine/fusion/native_layer.py.

#include <cstdint>

#include "layer/norm.h"
#include "layer/rotary.h"
#include "common/layout.h"
#include "common/storage.h"

extern "C" {

struct VerbatimRotary {
    void* qkv;           // [num_rows, num_query_heads + num_key_heads, dim]; rows are row_stride apart
    const void* cosine;  // [num_rows, dim], dense
    const void* sine;    // [num_rows, dim], dense
    const void* query_weight;  // [dim], the weight of the queries' norm; null without norms
    const void* key_weight;    // [dim], the weight of the keys' norm; null without norms
    int64_t num_rows, row_stride, num_query_heads, num_key_heads, dim;
    float query_epsilon, key_epsilon;
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimRotary, qkv, cosine, sine, query_weight, key_weight, num_rows, row_stride, num_query_heads,
                num_key_heads, dim, query_epsilon, key_epsilon, is_bfloat16, num_threads)

namespace {

template <typename T>
void run(const VerbatimRotary& call) {
#pragma omp parallel for schedule(static) num_threads(call.num_threads)
    for (int64_t row = 0; row < call.num_rows; ++row) {
        const T* cosine = static_cast<const T*>(call.cosine) + row * call.dim;
        const T* sine = static_cast<const T*>(call.sine) + row * call.dim;
        for (int64_t i = 0; i < call.num_query_heads + call.num_key_heads; ++i) {
            const bool is_query = i < call.num_query_heads;
            const void* weight = is_query ? call.query_weight : call.key_weight;
            T* head = static_cast<T*>(call.qkv) + row * call.row_stride + i * call.dim;
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
