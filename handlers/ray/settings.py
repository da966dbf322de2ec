"""The settings of replicas on Ray Serve."""

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from handlers.shared_settings.kinds import Count, Limit, env
from handlers.shared_settings.section import Section


class RaySettings(Section):
    """The number of replicas, the resources of each, and the name and path of the application."""

    replicas: Annotated[Count, env("VERBATIM_REPLICAS")] = 1
    """Number of replicas, each a server with its own engine; the minimum if max_replicas is set."""

    max_replicas: Annotated[Limit, env("VERBATIM_MAX_REPLICAS")] = None
    """Maximum number of replicas; if set, Ray scales them by the number of running requests."""

    target_ongoing_requests: Annotated[float | None, env("VERBATIM_TARGET_ONGOING_REQUESTS"), Field(gt=0)] = (
        None
    )
    """Running requests per replica that scaling aims at; defaults to half of max_concurrent_requests."""

    replica_cpus: Annotated[float, env("VERBATIM_REPLICA_CPUS"), Field(gt=0)] = 1.0
    """CPU cores to reserve for each replica, which is also its default num_threads."""

    replica_gpus: Annotated[float, env("VERBATIM_REPLICA_GPUS"), Field(ge=0)] = 0.0
    """GPUs to reserve for each replica, all on one node."""

    replicas_per_node: Annotated[int | None, env("VERBATIM_REPLICAS_PER_NODE"), Field(ge=1, le=100)] = None
    """Maximum number of replicas on one node; unlimited by default."""

    ray_address: Annotated[str | None, env("VERBATIM_RAY_ADDRESS", "RAY_ADDRESS")] = None
    """Address of a Ray cluster, or auto for the one on this machine; by default, a new one is started."""

    application: Annotated[str, env("VERBATIM_APPLICATION"), Field(min_length=1)] = "verbatim"
    """Name of the application in its cluster."""

    route_prefix: Annotated[str, env("VERBATIM_ROUTE_PREFIX")] = "/"
    """Prefix of the application's paths."""

    @field_validator("route_prefix")
    @classmethod
    def _is_prefix(cls, prefix: str) -> str:
        if not prefix.startswith("/") or (prefix != "/" and prefix.endswith("/")) or "{" in prefix:
            raise ValueError(f"{prefix!r} is no prefix, such as / or /models/one")
        return prefix

    @model_validator(mode="after")
    def _bounds_are_in_order(self) -> Self:
        if self.max_replicas is not None and self.max_replicas < self.replicas:
            raise ValueError("max_replicas must not be less than replicas")
        if self.target_ongoing_requests is not None and self.max_replicas is None:
            raise ValueError("target_ongoing_requests needs a max_replicas")
        return self
