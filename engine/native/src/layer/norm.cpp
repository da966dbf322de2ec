// RMS norm of rows, after an optional addition to the residual; called by engine/fusion/native_layer.py.

#include "layer/norm.h"

#include <cstdint>

#include "common/layout.h"
#include "common/storage.h"

extern "C" {

// Tensors are [num_rows, size] and dense, unless stated.
struct VerbatimNorm {
    const void* residual;
    const void* added;   // may be null
    const void* weight;  // [size]
    void* sum;           // residual + added; unused if `added` is null
    void* output;        // the norm of the sum, or of the residual
    int64_t num_rows, size;
    float epsilon;
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimNorm, residual, added, weight, sum, output, num_rows, size, epsilon, is_bfloat16, num_threads)

namespace {

template <typename T>
void run(const VerbatimNorm& call) {
#pragma omp parallel for schedule(static) num_threads(call.num_threads)
    for (int64_t i = 0; i < call.num_rows; ++i) {
        const int64_t place = i * call.size;
        const T* row = static_cast<const T*>(call.residual) + place;
        if (call.added) {
            const T* added = static_cast<const T*>(call.added) + place;
            T* sum = static_cast<T*>(call.sum) + place;
#pragma omp simd
            for (int64_t j = 0; j < call.size; ++j) store(load(row[j]) + load(added[j]), sum + j);
            row = sum;
        }
        normalize_row(row, static_cast<const T*>(call.weight), call.size, call.epsilon, static_cast<T*>(call.output) + place);
    }
}

}  // namespace

extern "C" void verbatim_norm(const VerbatimNorm* call) {
    if (call->is_bfloat16)
        run<Bfloat16>(*call);
    else
        run<float>(*call);
}
