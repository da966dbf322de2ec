"""The ctypes structures that are passed to compiled functions.

Each mirrors a structure of engine/native/src, whose comments describe the fields. engine/native/layouts.py
compares sizes, offsets and kinds with those that the library exports, before any function is called.
"""

import ctypes

_POINTER, _INTEGER, _FLOAT, _SHORT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float, ctypes.c_int32


class NormCall(ctypes.Structure):
    """The mirror of VerbatimNorm in layer/norm.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("residual", "added", "weight", "sum", "output")),
        *((name, _INTEGER) for name in ("num_rows", "size")),
        ("epsilon", _FLOAT),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class RotaryCall(ctypes.Structure):
    """The mirror of VerbatimRotary in layer/rotary.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("qkv", "cosine", "sine", "query_weight", "key_weight")),
        *((name, _INTEGER) for name in ("num_rows", "row_stride", "num_query_heads", "num_key_heads", "dim")),
        *((name, _FLOAT) for name in ("query_epsilon", "key_epsilon")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class GateCall(ctypes.Structure):
    """The mirror of VerbatimGate in layer/gate.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("rows", "output")),
        *((name, _INTEGER) for name in ("num_rows", "size")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class DecodeCall(ctypes.Structure):
    """The mirror of VerbatimDecode in attention/decode_attention.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("query", "keys", "values", "output", "blocks")),
        *((name, _POINTER) for name in ("firsts", "lows", "highs", "sinks")),
        *((name, _INTEGER) for name in ("query_head_stride", "query_row_stride", "num_rows", "num_heads")),
        *((name, _INTEGER) for name in ("num_kv_heads", "key_dim", "value_dim", "block_size")),
        *((name, _FLOAT) for name in ("scaling", "softcap")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class ChunksCall(ctypes.Structure):
    """The mirror of VerbatimChunks in attention/chunk_attention.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("query", "keys", "values", "output", "blocks", "chunks", "sinks")),
        *((name, _INTEGER) for name in ("query_head_stride", "query_row_stride", "num_chunks", "num_heads")),
        *((name, _INTEGER) for name in ("num_kv_heads", "key_dim", "value_dim", "block_size", "window")),
        *((name, _FLOAT) for name in ("scaling", "softcap")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class LinearCall(ctypes.Structure):
    """The mirror of VerbatimLinear in linear/bfloat16_linear.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("rows", "panels", "bias", "output")),
        *((name, _INTEGER) for name in ("num_rows", "row_stride", "num_inputs", "num_outputs")),
        ("num_threads", _SHORT),
    ]


class WeightFields(ctypes.Structure):
    """The mirror of VerbatimWeight in linear/weight.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("panels", "scales", "bias")),
        *((name, _INTEGER) for name in ("num_inputs", "num_outputs", "group_size", "num_bits", "has_mins")),
        ("order", _POINTER),
    ]


class LayerEndFields(ctypes.Structure):
    """The mirror of VerbatimLayerEnd in layer/layer_steps.h."""

    _fields_ = [
        *((name, WeightFields) for name in ("output", "gate_up", "down")),
        ("norm", _POINTER),
        ("epsilon", _FLOAT),
    ]


class LayerEndCall(ctypes.Structure):
    """The mirror of VerbatimLayerEndRows in layer/layer_steps.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("layer", "residual", "attended", "output")),
        ("num_rows", _INTEGER),
        ("num_threads", _SHORT),
    ]


class LayerFields(ctypes.Structure):
    """The mirror of VerbatimDecoderLayer in layer/decoder.h."""

    _fields_ = [
        ("qkv", WeightFields),
        ("end", LayerEndFields),
        *((name, _POINTER) for name in ("norm", "query_norm", "key_norm", "keys", "values", "sinks")),
        *((name, _INTEGER) for name in ("num_heads", "num_kv_heads", "dim", "block_size", "window")),
        *((name, _FLOAT) for name in ("epsilon", "query_epsilon", "key_epsilon", "scaling", "softcap")),
    ]


class LowRankFields(ctypes.Structure):
    """The mirror of VerbatimLowRank in layer/low_rank.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("down", "up")),
        *((name, _INTEGER) for name in ("rank", "first_output", "num_outputs")),
    ]


class AdapterFields(ctypes.Structure):
    """The mirror of VerbatimAdapter in layer/low_rank.h."""

    _fields_ = [*((name, _POINTER) for name in ("changes", "firsts")), ("most_ranks", _INTEGER)]


class VisibleKeys(ctypes.Structure):
    """The mirror of VerbatimVisibleKeys in layer/decoder.h."""

    _fields_ = [(name, _POINTER) for name in ("blocks", "firsts", "lows", "highs")]


class DecoderCall(ctypes.Structure):
    """The mirror of VerbatimDecoder in layer/decoder.h."""

    _fields_ = [
        *((name, _POINTER) for name in ("layers", "keys", "residual", "output", "cosine", "sine")),
        *((name, _POINTER) for name in ("slots", "adapters", "nanoseconds")),
        *((name, _INTEGER) for name in ("num_layers", "num_rows")),
        *((name, _SHORT) for name in ("writes_first", "num_threads")),
    ]


class BestCall(ctypes.Structure):
    """The mirror of VerbatimBest in sampling/ranking.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("logits", "values", "ids")),
        *((name, _INTEGER) for name in ("num_rows", "row_stride", "vocab_size", "num_best")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class LogSumsCall(ctypes.Structure):
    """The mirror of VerbatimLogSums in sampling/ranking.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("logits", "log_sums")),
        *((name, _INTEGER) for name in ("num_rows", "row_stride", "vocab_size")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


class DrawCall(ctypes.Structure):
    """The mirror of VerbatimDraw in sampling/draw.cpp."""

    _fields_ = [
        *((name, _POINTER) for name in ("logits", "settings", "keys", "values", "ids")),
        *((name, _INTEGER) for name in ("num_rows", "row_stride", "vocab_size")),
        *((name, _SHORT) for name in ("is_bfloat16", "num_threads")),
    ]


# The structures by the names under which the library exports their layouts.
MIRRORS: dict[str, type[ctypes.Structure]] = {
    "VerbatimNorm": NormCall,
    "VerbatimRotary": RotaryCall,
    "VerbatimGate": GateCall,
    "VerbatimDecode": DecodeCall,
    "VerbatimChunks": ChunksCall,
    "VerbatimLinear": LinearCall,
    "VerbatimWeight": WeightFields,
    "VerbatimLayerEnd": LayerEndFields,
    "VerbatimLayerEndRows": LayerEndCall,
    "VerbatimDecoderLayer": LayerFields,
    "VerbatimLowRank": LowRankFields,
    "VerbatimAdapter": AdapterFields,
    "VerbatimVisibleKeys": VisibleKeys,
    "VerbatimDecoder": DecoderCall,
    "VerbatimBest": BestCall,
    "VerbatimLogSums": LogSumsCall,
    "VerbatimDraw": DrawCall,
}

PANEL_OUTPUTS = 32  # the outputs in a panel of a weight
UP_OUTPUTS = 32  # the outputs in a panel of an adapter's second matrix
NUM_TIMED_PARTS = 2  # the timed parts of a call of decoder layers: products, attention
NUM_LAYER_PRODUCTS = 4  # of a decoder layer: qkv, output, gate_up, down
CONSTANTS = {
    "kOutputs": PANEL_OUTPUTS,
    "kNumParts": NUM_TIMED_PARTS,
    "kNumLayerProducts": NUM_LAYER_PRODUCTS,
    "kUpOutputs": UP_OUTPUTS,
}
