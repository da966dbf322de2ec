"""The structures that compiled functions are given, as ctypes has them.

Each mirrors one of engine/native/src, whose comments say what the fields are. engine/native/layouts.py
compares sizes, offsets and kinds with those that the library exports, before any function is called.
"""

import ctypes

_POINTER, _INTEGER, _FLOAT, _SHORT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float, ctypes.c_int32


class NormCall(ctypes.Structure):
    """VerbatimNorm of layer/norm.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("residual", "added", "weight", "sum", "output")),
        *((name, _INTEGER) for name in ("num_rows", "size")),
        ("epsilon", _FLOAT),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class RotaryCall(ctypes.Structure):
    """VerbatimRotary of layer/rotary.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("qkv", "cosine", "sine", "query_weight", "key_weight")),
        *((name, _INTEGER) for name in ("num_rows", "row_stride", "num_query_heads", "num_key_heads", "dim")),
        *((name, _FLOAT) for name in ("query_epsilon", "key_epsilon")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class GateCall(ctypes.Structure):
    """VerbatimGate of layer/gate.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("rows", "output")),
        *((name, _INTEGER) for name in ("num_rows", "size")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class DecodeCall(ctypes.Structure):
    """VerbatimDecode of attention/decode_attention.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("query", "keys", "values", "output", "blocks")),
        *((name, _POINTER) for name in ("firsts", "lows", "highs", "sinks")),
        *((name, _INTEGER) for name in ("query_head_stride", "query_row_stride", "num_rows", "num_heads")),
        *((name, _INTEGER) for name in ("num_kv_heads", "key_dim", "value_dim", "block_size")),
        *((name, _FLOAT) for name in ("scaling", "softcap")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class ChunksCall(ctypes.Structure):
    """VerbatimChunks of attention/chunk_attention.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("query", "keys", "values", "output", "blocks", "chunks", "sinks")),
        *((name, _INTEGER) for name in ("query_head_stride", "query_row_stride", "num_chunks", "num_heads")),
        *((name, _INTEGER) for name in ("num_kv_heads", "key_dim", "value_dim", "block_size", "window")),
        *((name, _FLOAT) for name in ("scaling", "softcap")),
        ("num_threads", _SHORT),
    ]


class LinearCall(ctypes.Structure):
    """VerbatimLinear of linear/bfloat16_linear.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("rows", "panels", "scales", "bias", "output")),
        *((name, _INTEGER) for name in ("num_rows", "row_stride", "num_inputs", "num_outputs")),
        ("num_threads", _SHORT),
    ]


class WeightFields(ctypes.Structure):
    """VerbatimInt8Weight of linear/int8_weight.h, and VerbatimWeight of layer/layer_steps.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("panels", "scales", "bias")),
        *((name, _INTEGER) for name in ("num_inputs", "num_outputs")),
    ]


class LayerEndFields(ctypes.Structure):
    """VerbatimLayerEnd of layer/layer_steps.h."""

    _fields_ = [
        *((name, WeightFields) for name in ("output", "gate_up", "down")),
        ("norm", _POINTER),
        ("epsilon", _FLOAT),
    ]


class LayerEndCall(ctypes.Structure):
    """VerbatimLayerEndRows of layer/layer_steps.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("layer", "residual", "attended", "output")),
        ("num_rows", _INTEGER),
        ("num_threads", _SHORT),
    ]


class LayerFields(ctypes.Structure):
    """VerbatimDecoderLayer of layer/decoder.h."""

    _fields_ = [
        ("qkv", WeightFields),
        ("end", LayerEndFields),
        *((name, _POINTER) for name in ("norm", "query_norm", "key_norm", "keys", "values", "sinks")),
        *((name, _INTEGER) for name in ("num_heads", "num_kv_heads", "dim", "block_size", "window")),
        *((name, _FLOAT) for name in ("epsilon", "query_epsilon", "key_epsilon", "scaling", "softcap")),
    ]


class VisibleKeys(ctypes.Structure):
    """VerbatimVisibleKeys of layer/decoder.h."""

    _fields_ = [(name, _POINTER) for name in ("blocks", "firsts", "lows", "highs")]


class DecoderCall(ctypes.Structure):
    """VerbatimDecoder of layer/decoder.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("layers", "keys", "residual", "output", "cosine", "sine")),
        *((name, _POINTER) for name in ("slots", "nanoseconds")),
        *((name, _INTEGER) for name in ("num_layers", "num_rows")),
        ("num_threads", _SHORT),
    ]


class BestCall(ctypes.Structure):
    """VerbatimBest of sampling/ranking.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("logits", "values", "ids")),
        *((name, _INTEGER) for name in ("num_rows", "row_stride", "vocab_size")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


# By the names that the library exports them under.
MIRRORS: dict[str, type[ctypes.Structure]] = {
    "VerbatimNorm": NormCall,
    "VerbatimRotary": RotaryCall,
    "VerbatimGate": GateCall,
    "VerbatimDecode": DecodeCall,
    "VerbatimChunks": ChunksCall,
    "VerbatimLinear": LinearCall,
    "VerbatimInt8Weight": WeightFields,
    "VerbatimWeight": WeightFields,
    "VerbatimLayerEnd": LayerEndFields,
    "VerbatimLayerEndRows": LayerEndCall,
    "VerbatimDecoderLayer": LayerFields,
    "VerbatimVisibleKeys": VisibleKeys,
    "VerbatimDecoder": DecoderCall,
    "VerbatimBest": BestCall,
}

PANEL_OUTPUTS = 32  # of a weight's panel, of 8 bits or 16
QUAD_INPUTS = 4  # inputs that lie beside each other in a panel of 8 bits
WEIGHT_SHIFT = 128  # by which a weight of 8 bits is kept larger than it is
NUM_TIMED_PARTS = 2  # of a call of decoder layers: products, attention
CONSTANTS = {
    "kOutputs": PANEL_OUTPUTS,
    "kChannels": PANEL_OUTPUTS,
    "kQuad": QUAD_INPUTS,
    "kWeightShift": WEIGHT_SHIFT,
    "kNumParts": NUM_TIMED_PARTS,
}
