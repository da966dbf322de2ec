// Sums of products by the instructions of ARM that take several inputs at once, eight bytes of a row at a time: 8 inputs of
// 8 bits or 4 of bfloat16, which meet two lines of a panel, [outputs][4 bytes] each.
//
// For one or two rows, SDOT and BFDOT multiply 4 bytes of four outputs with the same 4 bytes of a row. For more rows, SMMLA
// and BFMMLA, where they are, multiply 8 bytes of two outputs with those of two rows, which is twice as much. They need an
// output's 8 bytes beside each other: the lines are joined in registers, by two instructions that all rows of a block share,
// or beforehand for many blocks. BFMMLA is defined as two BFDOTs one after another, so a row's sums are the same bit for bit
// either way.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common/lanes.h"

#ifdef __ARM_FEATURE_DOTPROD
#define VERBATIM_OCTETS

#if defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#define VERBATIM_MATRICES
#endif
constexpr int kFewestRowsOfMatrices = 3;

using Octet = int8x8_t;
using TwoOctets = int8x16_t;

inline TwoOctets load_weights(const void* line, int vector) {
    return vld1q_s8(static_cast<const int8_t*>(line) + vector * static_cast<int>(sizeof(TwoOctets)));
}

// Adds the products of four outputs' 4 bytes with half of an octet.
template <int kHalf>
inline void add_dot(Integers& sums, TwoOctets weights, Octet inputs) {
    sums = (Integers)vdotq_lane_s32((int32x4_t)sums, weights, inputs, kHalf);
}

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
template <int kHalf>
inline void add_dot(Floats& sums, TwoOctets weights, Octet inputs) {
    sums = (Floats)vbfdotq_lane_f32((float32x4_t)sums, (bfloat16x8_t)weights, (bfloat16x4_t)inputs, kHalf);
}
#endif

// Sums of kRows rows and kVectors vectors of outputs. Lanes: Integers or Floats. All loops are unrolled, else GCC keeps the
// sums in memory.
template <typename Lanes, int kRows, int kVectors>
class DotSums {
   public:
    // begin(row, vector): what products are added to.
    template <typename Begin>
    explicit DotSums(Begin begin) {
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row)
#pragma GCC unroll 8
            for (int vector = 0; vector < kVectors; ++vector) sums_[row][vector] = begin(row, vector);
    }

    // Adds the products of octet(row) with two lines of weights.
    template <typename OctetOf>
    void add(const void* first, const void* second, OctetOf octet) {
        Octet inputs[kRows];
#pragma GCC unroll 12
        for (int row = 0; row < kRows; ++row) inputs[row] = octet(row);
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) {
            const TwoOctets weights = load_weights(first, vector), others = load_weights(second, vector);
#pragma GCC unroll 12
            for (int row = 0; row < kRows; ++row) {
                add_dot<0>(sums_[row][vector], weights, inputs[row]);
                add_dot<1>(sums_[row][vector], others, inputs[row]);
            }
        }
    }

    Lanes at(int row, int vector) const { return sums_[row][vector]; }

   private:
    Lanes sums_[kRows][kVectors];
};

#ifdef VERBATIM_MATRICES
// The 8 bytes of outputs 0 and 1, and of 2 and 3.
struct JoinedWeights {
    TwoOctets low, high;
};

inline JoinedWeights join(TwoOctets first, TwoOctets second) {
    return {(TwoOctets)vzip1q_s32((int32x4_t)first, (int32x4_t)second), (TwoOctets)vzip2q_s32((int32x4_t)first, (int32x4_t)second)};
}

// Writes a panel's lines, two by two, as MatrixSums takes joined ones: those of low halves, and those of high ones. An odd
// line is joined with zeros.
inline void join_lines(const void* lines, int64_t num_lines, int64_t line_bytes, void* joined) {
    const int num_vectors = static_cast<int>(line_bytes) / static_cast<int>(sizeof(TwoOctets));
    const char* from = static_cast<const char*>(lines);
    char* to = static_cast<char*>(joined);
    for (int64_t line = 0; line < num_lines; line += 2, from += 2 * line_bytes, to += 2 * line_bytes)
        for (int vector = 0; vector < num_vectors; ++vector) {
            const bool is_odd = line + 1 == num_lines;
            const JoinedWeights weights =
                join(load_weights(from, vector), is_odd ? TwoOctets{} : load_weights(from + line_bytes, vector));
            std::memcpy(to + vector * sizeof weights.low, &weights.low, sizeof weights.low);
            std::memcpy(to + line_bytes + vector * sizeof weights.high, &weights.high, sizeof weights.high);
        }
}

// Adds the products of two rows with two outputs: those of the first row, then those of the second one.
inline void add_matrix(Integers& sums, TwoOctets rows, TwoOctets weights) {
    sums = (Integers)vmmlaq_s32((int32x4_t)sums, rows, weights);
}

inline void add_matrix(Floats& sums, TwoOctets rows, TwoOctets weights) {
    sums = (Floats)vbfmmlaq_f32((float32x4_t)sums, (bfloat16x8_t)rows, (bfloat16x8_t)weights);
}

// As DotSums, by products of matrices. kJoined: lines are joined. If the number of rows is odd, the last one stands for its
// neighbour as well.
template <typename Lanes, int kRows, int kVectors, bool kJoined>
class MatrixSums {
   public:
    template <typename Begin>
    explicit MatrixSums(Begin begin) {
#pragma GCC unroll 6
        for (int pair = 0; pair < kPairs; ++pair)
#pragma GCC unroll 8
            for (int vector = 0; vector < kVectors; ++vector) {
                const Lanes one = begin(2 * pair, vector), other = begin(second_of(pair), vector);
                sums_[pair][vector][0] = lower_halves(one, other);
                sums_[pair][vector][1] = upper_halves(one, other);
            }
    }

    template <typename OctetOf>
    void add(const void* first, const void* second, OctetOf octet) {
        TwoOctets rows[kPairs];
#pragma GCC unroll 6
        for (int pair = 0; pair < kPairs; ++pair) rows[pair] = vcombine_s8(octet(2 * pair), octet(second_of(pair)));
#pragma GCC unroll 8
        for (int vector = 0; vector < kVectors; ++vector) {
            const TwoOctets weights = load_weights(first, vector), others = load_weights(second, vector);
            const auto [low, high] = kJoined ? JoinedWeights{weights, others} : join(weights, others);
#pragma GCC unroll 6
            for (int pair = 0; pair < kPairs; ++pair) {
                add_matrix(sums_[pair][vector][0], rows[pair], low);
                add_matrix(sums_[pair][vector][1], rows[pair], high);
            }
        }
    }

    Lanes at(int row, int vector) const {
        const auto& [low, high] = sums_[row / 2][vector];
        return row % 2 ? upper_halves(low, high) : lower_halves(low, high);
    }

   private:
    static constexpr int kPairs = (kRows + 1) / 2;

    static constexpr int second_of(int pair) { return 2 * pair + 1 < kRows ? 2 * pair + 1 : 2 * pair; }
    static Lanes lower_halves(Lanes a, Lanes b) { return VERBATIM_SHUFFLE(a, b, 0, 1, 4, 5); }
    static Lanes upper_halves(Lanes a, Lanes b) { return VERBATIM_SHUFFLE(a, b, 2, 3, 6, 7); }

    Lanes sums_[kPairs][kVectors][2];  // of outputs 0 and 1, and of 2 and 3
};

template <typename Lanes, int kRows, int kVectors, bool kJoined>
using OctetSums = std::conditional_t<kJoined || kRows >= kFewestRowsOfMatrices, MatrixSums<Lanes, kRows, kVectors, kJoined>,
                                     DotSums<Lanes, kRows, kVectors>>;
#else
template <typename Lanes, int kRows, int kVectors, bool>
using OctetSums = DotSums<Lanes, kRows, kVectors>;
#endif

#endif
