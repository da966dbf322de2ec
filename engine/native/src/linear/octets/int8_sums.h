// Sums of products of a panel of 8 bits with some rows, by SDOT and SMMLA of ARM.
#pragma once

#include <cstdint>
#include <vector>

#include "common/byte_products.h"
#include "common/fetch_ahead.h"
#include "common/lanes.h"
#include "linear/octets/sums.h"
#include "linear/panels.h"

#ifdef VERBATIM_OCTETS
static_assert(kInputShift == 0);

// Sets the sums of kRows rows, `stride` bytes apart, and of kVectors vectors of a panel's outputs. kJoined: whether the
// panel's lines are joined, as sums.h has it.
template <int kRows, int kVectors, bool kJoined>
inline void sum_int8_products(const int8_t* panel, int64_t num_quads, FetchAhead ahead, const int8_t* inputs, int64_t stride,
                              Integers (&sums)[kRows][kVectors]) {
    static constexpr int8_t kNoWeights[kQuad * kNumLanes * kVectors] = {};
    OctetSums<Integers, kRows, kVectors, kJoined> octets([](int, int) { return Integers{}; });
    const auto add = [&](const int8_t* second) {
        octets.add(panel, second, [&](int row) { return load_vector<Octet>(inputs + row * stride); });
    };
    panel += kQuadBytes;
    for (; num_quads >= 2; num_quads -= 2, panel += 2 * kQuadBytes, inputs += 2 * kQuad) {
        ahead.fetch();
        ahead.fetch();
        add(panel + kQuadBytes);
    }
    if (num_quads > 0) add(kJoined ? panel + kQuadBytes : kNoWeights);
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) sums[row][vector] = octets.at(row, vector);
}

#ifdef VERBATIM_MATRICES
// Returns a copy of a panel whose lines are joined, in memory that the thread keeps until its next call.
inline const int8_t* joined_int8_panel(const int8_t* panel, int64_t num_bytes) {
    thread_local std::vector<int8_t> joined;
    const int64_t num_lines = num_bytes / kQuadBytes - 1;
    if (static_cast<int64_t>(joined.size()) < num_bytes + kQuadBytes) joined.resize(num_bytes + kQuadBytes);
    join_lines(panel + kQuadBytes, num_lines, kQuadBytes, joined.data() + kQuadBytes);
    return joined.data();
}
#endif
#endif
