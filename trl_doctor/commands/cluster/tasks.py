"""Tasks of a Ray cluster, and an answer or a reason for each, whatever becomes of it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

LIMIT = 1200.0
"""Seconds that a task may take if `--timeout` is not given; else four such limits."""


class NoCluster(Exception):
    """There is no cluster to ask; the message says what to do."""


class Node(Struct, frozen=True):
    """A node that lives: its id, and its host's name with as much of the id as makes it unique."""

    id: str
    name: str


def connected() -> Any:
    """Ray's module, connected to the running cluster. Raises `NoCluster`."""
    try:
        import ray
    except ImportError:
        raise NoCluster("Ray is not installed: pip install 'trl-doctor[ray]'") from None
    if not ray.is_initialized():
        address = os.environ.get("RAY_ADDRESS") or "auto"
        try:
            ray.init(
                address, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            first = (str(error).splitlines() or [""])[0]
            raise NoCluster(
                f"no Ray cluster answers ({first:.120}): start one with `ray start --head`, or "
                "set RAY_ADDRESS"
            ) from error
    return ray


def nodes(ray: Any) -> list[Node]:
    """The nodes that live and take tasks, by name: a head without processors takes none."""
    alive = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    hosts = [node["NodeManagerHostname"] for node in alive]
    listed = [
        Node(node["NodeID"], host if hosts.count(host) == 1 else f"{host}/{node['NodeID'][:6]}")
        for node, host in zip(alive, hosts, strict=True)
    ]
    return sorted(listed, key=lambda node: node.name)


def begun(
    ray: Any, function: Callable[..., Any], arguments: tuple[Any, ...], node: Node | None = None
) -> Any:
    """A task that has begun, or waits for a processor; on a node, if one is named."""
    options: dict[str, Any] = {"num_cpus": 1, "max_retries": 0}
    if node is not None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(node.id, soft=False)
    return ray.remote(function).options(**options).remote(*arguments)


def ended(ray: Any, tasks: Sequence[Any], seconds: float) -> Iterator[tuple[Any, str]]:
    """What each task answered, or None and why it did not, in the order given."""
    until = time.monotonic() + seconds
    for task in tasks:
        try:
            yield ray.get(task, timeout=max(0.1, until - time.monotonic())), ""
        except ray.exceptions.GetTimeoutError:
            ray.cancel(task, force=True)
            yield None, f"Ray gave no answer within {seconds:g} s"
        except ray.exceptions.RayError as error:
            yield None, _reason(error)


def _reason(error: Exception) -> str:
    """Why a task gave nothing, in a clause."""
    name = type(error).__name__
    if "Node" in name or "Unschedulable" in name:
        return f"the node that examined it is gone ({name})"
    if "Crashed" in name or "OutOfMemory" in name:
        return f"the Ray worker that examined it died ({name})"
    last = [line for line in str(error).splitlines() if line.strip()][-1:]
    return f"the Ray task failed: {''.join(last):.200}"
