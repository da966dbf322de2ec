# A front over vLLM or SGLang, without torch. In a clone of the repository:
#   docker build --file docs/compose/front.Dockerfile --tag verbatim-front .
# Never built: written without Docker at hand. `make test-front` installs these files by these commands.
FROM python:3.11-slim
WORKDIR /verbatim
COPY requirements requirements
RUN pip install --no-cache-dir --requirement requirements/front.txt
COPY pyproject.toml README.md LICENSE ./
COPY engine engine
COPY generated generated
COPY handlers handlers
RUN pip install --no-cache-dir --no-deps .
ENTRYPOINT ["verbatim", "serve"]
