// Replays recorded calls of compiled functions against a library, and compares what they write with the record.
//
//     replay LIBRARY FILE [WRITTEN]  the calls of FILE, which tests/aarch64/recording.py writes; to WRITTEN, regions that
//                                    they were to write, as they left them: the size and the bytes of each
//     replay --hwcaps                the two words by which Linux describes an ARM processor
//
// A call has regions of memory, addresses in them that point to others, and arguments. Regions stand between guards,
// so that a write beyond them is found. One line is printed per call; the exit status is 1 if any call differs.

#include <dlfcn.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int64_t kGuard = 256;  // bytes on either side of a region
constexpr unsigned char kCanary = 0xa5;

enum Kind : int64_t { kExact, kFloat, kBfloat16, kDouble };

// Largest difference, relative to the largest number that the call wrote: sums may be taken in any order.
double tolerance(Kind kind) { return kind == kBfloat16 ? 2e-2 : 2e-5; }

class Reader {
   public:
    explicit Reader(const char* path) : stream_(path, std::ios::binary) {
        if (!stream_) throw std::runtime_error(std::string("cannot open ") + path);
    }

    int64_t number() {
        int64_t value;
        bytes(&value, sizeof value);
        return value;
    }

    void bytes(void* place, int64_t size) {
        if (!stream_.read(static_cast<char*>(place), size)) throw std::runtime_error("the file ends too early");
    }

    std::string text() {
        std::string value(number(), '\0');
        bytes(value.data(), value.size());
        return value;
    }

   private:
    std::ifstream stream_;
};

struct Region {
    Kind kind;
    int64_t size;
    bool is_written;
    std::vector<unsigned char> before, after;
    std::vector<unsigned char> memory;  // with its guards
    unsigned char* start;

    explicit Region(Reader& reader) : kind(static_cast<Kind>(reader.number())), size(reader.number()) {
        before.resize(size);
        reader.bytes(before.data(), size);
        after = before;
        is_written = reader.number() != 0;
        if (is_written) reader.bytes(after.data(), size);
        memory.assign(size + 2 * kGuard + 64, kCanary);
        const uintptr_t first = reinterpret_cast<uintptr_t>(memory.data()) + kGuard;
        start = memory.data() + kGuard + (64 - first % 64) % 64;
        std::memcpy(start, before.data(), size);
    }
    Region(Region&&) = default;  // a vector's memory moves with it

    bool is_guarded() const {
        const auto intact = [](const unsigned char* from, const unsigned char* to) {
            return std::all_of(from, to, [](unsigned char byte) { return byte == kCanary; });
        };
        return intact(memory.data(), start) && intact(start + size, memory.data() + memory.size());
    }

    int64_t width() const { return kind == kDouble ? 8 : kind == kFloat ? 4 : 2; }

    double value(const unsigned char* bytes, int64_t index) const {
        if (kind == kDouble) {
            double wide;
            std::memcpy(&wide, bytes + 8 * index, 8);
            return wide;
        }
        uint32_t bits = 0;
        if (kind == kFloat)
            std::memcpy(&bits, bytes + 4 * index, 4);
        else
            std::memcpy(reinterpret_cast<char*>(&bits) + 2, bytes + 2 * index, 2);
        float number;
        std::memcpy(&number, &bits, sizeof number);
        return number;
    }

    // Compares what the call left with the record; numbers that it was not to write must be untouched.
    bool is_right(double& worst) const {
        if (kind == kExact) return std::memcmp(start, after.data(), size) == 0;
        const int64_t width = this->width();
        double largest = 0;
        std::vector<int64_t> written;
        for (int64_t i = 0; i < size / width; ++i) {
            if (std::memcmp(before.data() + i * width, after.data() + i * width, width)) {
                written.push_back(i);
                if (std::isfinite(value(after.data(), i))) largest = std::max(largest, std::fabs(value(after.data(), i)));
            } else if (std::memcmp(start + i * width, after.data() + i * width, width)) {
                // What was there may be, by chance, what was to be written.
                written.push_back(i);
            }
        }
        for (const int64_t i : written) {
            const double expected = value(after.data(), i), actual = value(start, i);
            if (std::isnan(expected) && std::isnan(actual)) continue;
            if (expected == actual) continue;
            const double error = std::fabs(actual - expected) / largest;
            if (!(error <= tolerance(kind))) return false;
            worst = std::max(worst, error);
        }
        return true;
    }
};

using Function = int64_t (*)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

// Returns whether the call wrote what it should.
bool replay(Reader& reader, void* library, std::ofstream& written) {
    const std::string name = reader.text();
    std::vector<Region> regions;
    const int64_t num_regions = reader.number();
    regions.reserve(num_regions);
    for (int64_t i = 0; i < num_regions; ++i) regions.emplace_back(reader);
    const auto address = [&]() {
        unsigned char* start = regions.at(reader.number()).start;
        return start + reader.number();
    };
    for (int64_t i = reader.number(); i > 0; --i) {
        Region& region = regions.at(reader.number());
        const int64_t offset = reader.number();
        const unsigned char* pointed = address();
        for (unsigned char* bytes : {region.start, region.before.data(), region.after.data()})
            std::memcpy(bytes + offset, &pointed, sizeof pointed);
    }
    int64_t arguments[10] = {};
    const int64_t num_arguments = reader.number();
    if (num_arguments > 10) throw std::runtime_error("too many arguments");
    for (int64_t i = 0; i < num_arguments; ++i)
        arguments[i] = reader.number() ? reinterpret_cast<int64_t>(address()) : reader.number();
    const bool has_result = reader.number();
    const int64_t expected = reader.number();

    const auto function = reinterpret_cast<Function>(dlsym(library, name.c_str()));
    if (!function) {
        std::printf("missing %s\n", name.c_str());
        return true;
    }
    const int64_t result = function(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5],
                                    arguments[6], arguments[7], arguments[8], arguments[9]);
    double worst = 0;
    const char* verdict = !has_result || result == expected ? "right" : "wrong result";
    for (const Region& region : regions) {
        if (!region.is_guarded()) verdict = "writes beyond its memory";
        else if (!region.is_right(worst)) verdict = "wrong numbers";
        if (!region.is_written) continue;
        written.write(reinterpret_cast<const char*>(&region.size), sizeof region.size);
        written.write(reinterpret_cast<const char*>(region.start), region.size);
    }
    std::printf("%s %s %.1e\n", verdict, name.c_str(), worst);
    return !std::strcmp(verdict, "right");
}

}  // namespace

int main(int count, char** arguments) try {
    if (count == 2 && !std::strcmp(arguments[1], "--hwcaps")) {
        std::printf("%lu %lu\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
        return 0;
    }
    if (count != 3 && count != 4) throw std::runtime_error("usage: replay LIBRARY FILE [WRITTEN], or replay --hwcaps");
    // As in a server, where engine/native/openmp.py shares torch's.
    if (!dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL)) throw std::runtime_error(dlerror());
    void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    Reader reader(arguments[2]);
    std::ofstream written;
    if (count == 4) written.open(arguments[3], std::ios::binary);
    bool is_right = true;
    for (int64_t i = reader.number(); i > 0; --i) is_right &= replay(reader, library, written);
    return is_right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "replay: %s\n", error.what());
    return 2;
}
