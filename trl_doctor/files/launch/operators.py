"""How many processes an operator of Kubernetes starts for a command, and with which variables."""

from __future__ import annotations

from collections.abc import Mapping

from trl_doctor.core.finding import Json


def distributed(value: Json) -> dict[str, str]:
    """The variables by which torchrun gets nodes and processes: of PyTorchJob and TrainJob."""
    file = _mapping(value)
    spec = _mapping(file.get("spec"))
    if file.get("kind") == "PyTorchJob":
        replicas = _mapping(spec.get("pytorchReplicaSpecs"))
        counts = [_mapping(role).get("replicas", 1) for role in replicas.values()]
        nodes = sum(count for count in counts if isinstance(count, int)) or None
        return _variables(nodes, spec.get("nprocPerNode", "auto"))
    if file.get("kind") == "TrainJob":
        trainer = _mapping(spec.get("trainer"))
        return _variables(trainer.get("numNodes"), trainer.get("numProcPerNode", "auto"))
    if "command" in file and "distribution" in file:  # Azure ML starts the command several times
        return {"PET_NNODES": "unknown"}
    return {}


def _variables(nodes: Json, per_node: Json) -> dict[str, str]:
    return {"PET_NNODES": str(nodes or "unknown"), "PET_NPROC_PER_NODE": str(per_node)}


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}
