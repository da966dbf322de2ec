// The weights of each row that are needed to reach a mass; called by engine/sampling/native_truncation.py.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/layout.h"

extern "C" {

struct VerbatimMass {
    float* weights;        // [num_rows, size]; receives 0 for those that are not needed
    const uint32_t* keys;  // [num_rows, size]; weights are taken by ascending key, of equal ones in their order
    const double* wanted;  // [num_rows], the masses to reach
    int64_t num_rows, size, num_threads;
};

}  // extern "C"

VERBATIM_LAYOUT(VerbatimMass, weights, keys, wanted, num_rows, size, num_threads)

namespace {

constexpr int kBucketShift = 16;  // leaves the exponent of a float and 7 bits of its mantissa
constexpr size_t kNumBuckets = size_t{1} << (32 - kBucketShift);

// Sorts only the bucket of keys in which the mass is reached: a whole vocabulary takes milliseconds to sort.
void keep_mass(float* weights, const uint32_t* keys, int64_t size, double wanted, std::vector<double>& masses) {
    std::fill(masses.begin(), masses.end(), 0);
    for (int64_t i = 0; i < size; ++i) masses[keys[i] >> kBucketShift] += weights[i];
    double mass = 0, mass_before = 0;
    uint32_t reached = 0;
    for (uint32_t bucket = 0; bucket < kNumBuckets && (mass == 0 || mass < wanted); ++bucket) {
        if (masses[bucket] == 0) continue;
        reached = bucket;
        mass_before = mass;
        mass += masses[bucket];
    }

    std::vector<std::pair<uint32_t, int64_t>> members;  // keys and places
    for (int64_t i = 0; i < size; ++i)
        if (keys[i] >> kBucketShift == reached) members.emplace_back(keys[i], i);
    for (int64_t i = 0; i < size; ++i)
        if (keys[i] >> kBucketShift > reached) weights[i] = 0;
    std::sort(members.begin(), members.end());
    size_t num_needed = 0;
    do mass_before += weights[members[num_needed++].second];
    while (num_needed < members.size() && mass_before < wanted);
    for (size_t i = num_needed; i < members.size(); ++i) weights[members[i].second] = 0;
}

}  // namespace

extern "C" void verbatim_keep_masses(const VerbatimMass* call) {
#pragma omp parallel num_threads(call->num_threads)
    {
        std::vector<double> masses(kNumBuckets);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < call->num_rows; ++i) {
            const int64_t first = i * call->size;
            keep_mass(call->weights + first, call->keys + first, call->size, call->wanted[i], masses);
        }
    }
}
