// A weight as a checkpoint stores it, of any float type.
#pragma once

#include <cstdint>

#include "common/storage.h"

// Calls `function` with the weight by its type: 0 float32, 1 bfloat16, 2 float16.
template <typename Function>
void with_type(const void* weight, int32_t type, const Function& function) {
    if (type == 0)
        function(static_cast<const float*>(weight));
    else if (type == 1)
        function(static_cast<const Bfloat16*>(weight));
    else
        function(static_cast<const Float16*>(weight));
}
