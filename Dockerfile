# The referee's image. Build: docker build --tag tichu-referee .
# The base is pinned to one patch release of Python on one Debian; add its digest where your registry
# is the one you trust: FROM python:3.12.12-slim-bookworm@sha256:...
# tools/docker_steps.py executes these steps without a container engine; it rewrites the paths
# /opt, /src and /data, so use no others.

FROM python:3.12.12-slim-bookworm AS build
WORKDIR /src
COPY requirements/build.txt requirements/runtime.txt requirements/
RUN python -m venv /opt/build \
    && /opt/build/bin/python -m pip install --no-cache-dir --require-hashes --requirement requirements/build.txt
RUN python -m venv /opt/referee \
    && /opt/referee/bin/python -m pip install --no-cache-dir --require-hashes --requirement requirements/runtime.txt
COPY pyproject.toml ./
COPY proto proto
COPY sample_bots sample_bots
COPY tests/vectors tests/vectors
COPY referee referee
RUN /opt/build/bin/python -m hatchling build --target wheel \
    && /opt/referee/bin/python -m pip install --no-cache-dir --no-deps dist/*.whl \
    && mkdir /src/data

FROM python:3.12.12-slim-bookworm
ENV PATH=/opt/referee/bin:$PATH \
    HOME=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
COPY --from=build /opt/referee /opt/referee
COPY --from=build --chown=10001:10001 /src/data /data
WORKDIR /data
USER 10001:10001
# Records are kept here.
VOLUME /data
EXPOSE 50051
# grpc.health.v1 as the server itself answers it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["referee", "health"]
ENTRYPOINT ["referee"]
CMD ["serve"]
