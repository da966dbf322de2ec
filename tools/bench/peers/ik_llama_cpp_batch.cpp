// The four calls that ik_llama_cpp_batch.py makes. In C++, since the fork's structures are its own, and not those
// that llama-cpp-python declares.

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "llama.h"

namespace {

struct Decoder {
    llama_model *model;
    llama_context *context;
    llama_batch batch;
};

// What the library says; warnings and errors go on to standard error, which the benchmark keeps.
void log(ggml_log_level level, const char *text, void *) {
    if (level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

}  // namespace

// Round a file of bfloat16 to a kind of weights, as llama_ftype numbers them. Returns 0 where all is well.
extern "C" uint32_t quantize_file(const char *source, const char *target, int32_t file_type, int32_t num_threads) {
    llama_log_set(log, nullptr);
    llama_model_quantize_params params = llama_model_quantize_default_params();
    params.ftype = static_cast<llama_ftype>(file_type);
    params.nthread = num_threads;
    return llama_model_quantize(source, target, &params);
}

// Load a file with weights repacked for this processor, flash attention, and the fork's other settings as they are.
// Returns null where that fails.
extern "C" Decoder *open_decoder(const char *path, int32_t num_threads, int32_t max_tokens, int32_t max_sequences,
                                 int32_t max_rows) {
    llama_log_set(log, nullptr);
    llama_backend_init();
    llama_model_params model_params = llama_model_default_params();
    model_params.repack_tensors = true;
    model_params.use_mmap = false;  // tensors that are repacked cannot be mapped
    llama_model *model = llama_model_load_from_file(path, model_params);
    if (model == nullptr) return nullptr;
    llama_context_params params = llama_context_default_params();
    params.n_ctx = max_tokens;
    params.n_batch = max_rows;
    params.n_seq_max = max_sequences;
    params.n_threads = params.n_threads_batch = num_threads;
    params.flash_attn = true;
    llama_context *context = llama_init_from_model(model, params);
    if (context == nullptr) return nullptr;
    return new Decoder{model, context, llama_batch_init(max_rows, 0, 1)};
}

extern "C" void clear_sequences(Decoder *decoder) { llama_kv_cache_clear(decoder->context); }

// Compute rows of a token, its position and its sequence, and write the most probable token after each wanted row
// to `next`, one after the other. Returns llama_decode's status, 0 where all is well.
extern "C" int32_t decode_rows(Decoder *decoder, int32_t num_rows, const int32_t *tokens, const int32_t *positions,
                               const int32_t *sequences, const int8_t *wanted, int32_t *next) {
    llama_batch &batch = decoder->batch;
    batch.n_tokens = num_rows;
    for (int32_t row = 0; row < num_rows; ++row) {
        batch.token[row] = tokens[row];
        batch.pos[row] = positions[row];
        batch.n_seq_id[row] = 1;
        batch.seq_id[row][0] = sequences[row];
        batch.logits[row] = wanted[row];
    }
    const int32_t status = llama_decode(decoder->context, batch);
    if (status != 0) return status;
    const int32_t vocab_size = llama_n_vocab(decoder->model);
    for (int32_t row = 0; row < num_rows; ++row) {
        if (!wanted[row]) continue;
        const float *logits = llama_get_logits_ith(decoder->context, row);
        *next++ = static_cast<int32_t>(std::max_element(logits, logits + vocab_size) - logits);
    }
    return 0;
}
