# The images of Verbatim: docs/deploy.md says how to use them, and which were built and run.
#   docker build --target cpu --tag verbatim .        also: front (no torch), gpu (torch with CUDA)
# One version of Python and of Debian for all stages: what is installed in one is copied to the next.
ARG PYTHON_IMAGE=docker.io/library/python:3.11.14-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
WORKDIR /source
COPY tools/wheels/requirements.txt tools/wheels/
RUN python -m venv /tools && /tools/bin/pip install --no-cache-dir --requirement tools/wheels/requirements.txt uv==0.13.8
# uv installs into /opt/verbatim, whose commands come first.
ENV VIRTUAL_ENV=/opt/verbatim PATH=/opt/verbatim/bin:/tools/bin:$PATH UV_NO_CACHE=1 UV_LINK_MODE=copy
RUN uv venv --quiet /opt/verbatim

FROM build AS wheel
COPY LICENSE README.md pyproject.toml ./
COPY requirements requirements
COPY generated generated
COPY handlers handlers
COPY engine engine
COPY verbatim_kit verbatim_kit
RUN for folder in verbatim_kit .; do /tools/bin/python -m build --wheel --outdir /wheel "$folder" || exit 1; done

# The same with kernels for every processor of this architecture, so that images need no compiler.
FROM wheel AS wheel-with-kernels
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY tools/__init__.py tools/
COPY tools/wheels tools/wheels
RUN /tools/bin/python -m tools.wheels --machine "$(uname -m)" /wheel && rm /wheel/verbatim_server-*-none-any.whl

FROM build AS front-environment
COPY --from=wheel /wheel /wheel
RUN uv pip install /wheel/*.whl && python -c 'import handlers.composition'

FROM build AS cpu-environment
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY constraints.txt .
# torch first, since PyPI's needs gigabytes of CUDA. Of its programs, only the one that shares memory is ever run; the
# others, and the headers, are for its own C++ tests and extensions.
RUN uv pip install --index-url "$TORCH_INDEX" --constraint constraints.txt torch \
    && torch="$(echo /opt/verbatim/lib/python3*/site-packages/torch)" && rm -r "$torch/include" "$torch/test" \
    && find "$torch/bin" -mindepth 1 ! -name torch_shm_manager -delete
COPY --from=wheel-with-kernels /wheel /wheel
# xgrammar names triton, a gigabyte, which it loads on GPUs alone. The libraries' own tests are 60 MB. Checking a model
# last leaves byte code of what is used, and shows that nothing is missing.
RUN echo "triton; python_version < '0'" >/tmp/overrides \
    && uv pip install --override /tmp/overrides /wheel/verbatim_kit-*.whl "$(echo /wheel/verbatim_server-*.whl)[engine,media]" \
    && find /opt/verbatim -type d -name tests -prune -exec rm -r {} + \
    && verbatim check verbatim-demo

FROM build AS gpu-environment
COPY constraints-gpu.txt .
RUN uv pip install --constraint constraints-gpu.txt torch
COPY --from=wheel-with-kernels /wheel /wheel
RUN uv pip install /wheel/verbatim_kit-*.whl "$(echo /wheel/verbatim_server-*.whl)[gpu,media]" && verbatim check verbatim-demo

FROM ${PYTHON_IMAGE} AS base
RUN useradd --uid 1000 --home-dir /data --no-create-home verbatim && install --directory --owner 1000 /data
COPY tools/deploy/entrypoint.sh /usr/local/bin/verbatim-entrypoint
# The address, the port and the folder of models of TGI's image, so that its command lines go on working.
ENV PATH=/opt/verbatim/bin:$PATH VERBATIM_HOST=0.0.0.0 PORT=80 HOME=/data XDG_CACHE_HOME=/data/.cache HF_HUB_CACHE=/data \
    PYTHONDONTWRITEBYTECODE=1
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 80
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=600s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.getenv(\"VERBATIM_PORT\") or os.environ[\"PORT\"]}/health', timeout=5)"]
ENTRYPOINT ["verbatim-entrypoint"]
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Verbatim" \
    org.opencontainers.image.description="An LLM inference server that keeps its API contracts to the letter" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.revision="$REVISION"

FROM base AS front
COPY --from=front-environment /opt/verbatim /opt/verbatim

FROM base AS gpu
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
COPY --from=gpu-environment /opt/verbatim /opt/verbatim

# Last, so that `docker build` without --target makes it.
FROM base AS cpu
COPY --from=cpu-environment /opt/verbatim /opt/verbatim
