// The layout of the structures that callers fill, exported for engine/native/layouts.py, which compares it with its own
// before anything is called. A structure's list stands right below it and names all fields in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

enum FieldKind : int64_t { kInteger, kFloat, kPointer, kStructure };

template <typename T>
constexpr FieldKind field_kind() {
    if (std::is_pointer_v<T>) return kPointer;
    if (std::is_floating_point_v<T>) return kFloat;
    return std::is_integral_v<T> ? kInteger : kStructure;
}

// NEXT for each field; C++ has no loop over the arguments of a macro but by rescanning them (up to 64 here).
#define VERBATIM_PARENTHESES ()
#define VERBATIM_RESCAN(...) VERBATIM_RESCAN2(VERBATIM_RESCAN2(VERBATIM_RESCAN2(VERBATIM_RESCAN2(__VA_ARGS__))))
#define VERBATIM_RESCAN2(...) VERBATIM_RESCAN1(VERBATIM_RESCAN1(VERBATIM_RESCAN1(VERBATIM_RESCAN1(__VA_ARGS__))))
#define VERBATIM_RESCAN1(...) VERBATIM_RESCAN0(VERBATIM_RESCAN0(VERBATIM_RESCAN0(VERBATIM_RESCAN0(__VA_ARGS__))))
#define VERBATIM_RESCAN0(...) __VA_ARGS__
#define VERBATIM_NEXT(type, field, ...)                                                  \
    static_cast<int64_t>(offsetof(type, field)), static_cast<int64_t>(sizeof(type::field)), \
        field_kind<decltype(type::field)>(), __VA_OPT__(VERBATIM_AGAIN VERBATIM_PARENTHESES(type, __VA_ARGS__))
#define VERBATIM_AGAIN() VERBATIM_NEXT

// What headers define, several objects hold: weak, so that the linker keeps one. (Inline variables would be unique in
// the whole process, where two versions of the library may be loaded.)
#define VERBATIM_EXPORT extern "C" [[gnu::weak]] const

// Exports the names of the fields, and numbers: the structure's size, then offset, size and kind of each field.
#define VERBATIM_LAYOUT(type, ...)                                          \
    VERBATIM_EXPORT char verbatim_fields_##type[];                          \
    const char verbatim_fields_##type[] = #__VA_ARGS__;                     \
    VERBATIM_EXPORT int64_t verbatim_layout_##type[];                       \
    const int64_t verbatim_layout_##type[] = {static_cast<int64_t>(sizeof(type)), \
                                              VERBATIM_RESCAN(VERBATIM_NEXT(type, __VA_ARGS__))};

// Exports a constant that callers lay memory out by.
#define VERBATIM_CONSTANT(name)                          \
    VERBATIM_EXPORT int64_t verbatim_constant_##name;    \
    const int64_t verbatim_constant_##name = name;
