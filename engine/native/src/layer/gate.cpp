// SwiGLU of the output of the gate_up projection; called by engine/fusion/native_layer.py.

#include <algorithm>
#include <cstdint>

#include "layer/gate.h"
#include "common/layout.h"
#include "common/storage.h"

extern "C" {

struct VerbatimGate {
    const void* rows;  // [num_rows, 2 * size], dense: the gates of a row, then the values that they multiply
    void* output;      // [num_rows, size], dense
    int64_t num_rows, size;
    int32_t is_bfloat16, num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimGate, rows, output, num_rows, size, is_bfloat16, num_threads)

namespace {

constexpr int64_t kPart = 1024;  // elements of a row that a thread computes at a time

template <typename T>
void run(const VerbatimGate& call) {
    const int64_t num_parts = (call.size + kPart - 1) / kPart;
#pragma omp parallel for collapse(2) schedule(static) num_threads(call.num_threads)
    for (int64_t row = 0; row < call.num_rows; ++row)
        for (int64_t part = 0; part < num_parts; ++part) {
            const int64_t first = part * kPart, size = std::min(kPart, call.size - first);
            const T* gates = static_cast<const T*>(call.rows) + row * 2 * call.size + first;
            gate(gates, gates + call.size, size, static_cast<T*>(call.output) + row * call.size + first);
        }
}

}  // namespace

extern "C" void verbatim_gate(const VerbatimGate* call) {
    if (call->is_bfloat16)
        run<Bfloat16>(*call);
    else
        run<float>(*call);
}
