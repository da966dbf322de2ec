"""The part of Ray that a replica asks about itself and its siblings."""

import logging
from typing import Any, Final

from handlers.ray.replica_app import Scrape

# A scrape has ten seconds by default.
_SCRAPE_S: Final = 5.0

_log = logging.getLogger(__name__)


class ReplicaContext:
    """The replica's place in its cluster. All methods need a process of Ray Serve's."""

    def num_cpus(self) -> float | None:
        """Return the cores that are assigned to this process; None if there are none."""
        import ray

        return ray.get_runtime_context().get_assigned_resources().get("CPU") or None

    def name(self) -> str:
        """Return the replica's name, which is unique in its deployment."""
        from ray import serve

        return str(serve.get_replica_context().replica_id.unique_id)

    async def ask_all(self, scrape: Scrape) -> dict[str, str]:
        """Return the metrics of all replicas that run, this one too, by their names.

        A replica that fails is left out, and so is one that refuses. Raises TimeoutError for one that hangs.
        """
        from ray import serve

        context = serve.get_replica_context()
        handle = serve.get_deployment_handle(context.deployment, app_name=context.app_name)
        answers = handle.broadcast("own_metrics", scrape)
        found: list[Any] = await answers.results_async(timeout_s=_SCRAPE_S, return_exceptions=True)
        for error in (each for each in found if isinstance(each, BaseException)):
            _log.warning("a replica has not told its metrics: %s", error)
        texts = (each for each in found if not isinstance(each, BaseException))
        return {name: text for name, text in sorted(texts) if text is not None}
