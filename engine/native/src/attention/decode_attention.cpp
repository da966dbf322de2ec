// Attention of rows that decode; called by engine/attention/native_decode.py. The oracle is the torch path of
// engine/attention/paged_attention.py (tests/parity/kernels/test_native_attention.py).

#include "attention/decode_attention.h"

#include <cstdint>

#include "common/storage.h"

namespace {

template <typename T>
void run(const VerbatimDecode& call) {
    const int64_t num_tasks = call.num_rows * call.num_kv_heads;
#pragma omp parallel for schedule(dynamic) num_threads(call.num_threads)
    for (int64_t task = 0; task < num_tasks; ++task)
        attend(call, task / call.num_kv_heads, task % call.num_kv_heads, Scratch<T>::own());
}

}  // namespace

extern "C" void verbatim_decode(const VerbatimDecode* call) {
    if (call->is_bfloat16)
        run<Bfloat16>(*call);
    else
        run<float>(*call);
}
