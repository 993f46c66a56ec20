"""Lets accelerate's and torch's launchers start their processes on this machine's CPU."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from .. import patching
from ..order import Order
from ..record import JOB, Record

HERE = "the rehearsal runs on this machine"
MOST = 2
"""Processes that a rehearsal starts by default."""

FEWER = "--processes starts more"
NO_GPU = "it needs a GPU, and the rehearsal runs on the CPU"


class Launchers:
    """Patches of the two programs; their other options stay."""

    def __init__(self, order: Order, record: Record) -> None:
        self.order, self.record = order, record

    def accelerate(self, module: ModuleType) -> None:
        """`accelerate launch`, once it has read its config file."""
        patching.around(module, "_validate_launch_command", self._accelerated)
        patching.around(module, "check_cuda_p2p_ib_support", lambda original: True)

    def torch(self, module: ModuleType) -> None:
        """`torchrun`, and what accelerate hands to it."""
        patching.around(module, "config_from_args", self._torchrun)

    def _accelerated(self, original: Any, args: Any) -> Any:
        args, defaults, from_file = original(args)
        processes = args.num_processes or 1
        processes = self.order.asked or processes
        count = self._count(processes)
        self.record.add("launch", by="accelerate", processes=processes, machines=args.num_machines)
        os.environ[JOB] = str(processes)
        if args.mixed_precision not in (None, "no"):
            self._changed("mixed_precision", args.mixed_precision, "no", NO_GPU)
            args.mixed_precision = "no"
        if (args.num_machines or 1) > 1:
            self._changed("num_machines", args.num_machines, 1, HERE)
        args.num_machines, args.machine_rank = 1, 0
        args.main_process_ip = args.main_process_port = None
        args.num_processes, args.gpu_ids, args.use_cpu = count, "all", True
        # accelerate makes no use of DeepSpeed where this is true
        os.environ["ACCELERATE_USE_CPU"] = "false" if args.use_deepspeed else "true"
        sharded = args.use_deepspeed or args.use_fsdp or args.use_megatron_lm
        if count > 1 or sharded:
            args.cpu, args.tpu = False, False
            args.multi_gpu = not sharded
        else:
            args.multi_gpu = args.tpu = False
        if args.use_fsdp and str(getattr(args, "fsdp_version", "2")) == "1":
            self._changed("fsdp_version", 1, 2, "the first shards on GPUs only")
            args.fsdp_version, args.fsdp_reshard_after_forward = "2", "true"
            args.fsdp_sync_module_states = args.fsdp_cpu_ram_efficient_loading = "false"
        for name in ("offload_optimizer_device", "offload_param_device"):
            if args.use_deepspeed and getattr(args, name, None) not in (None, "none"):
                self._changed(name, getattr(args, name), "none", NO_GPU)
                setattr(args, name, "none")
        return args, defaults, from_file

    def _torchrun(self, original: Any, args: Any) -> Any:
        nodes, each = str(args.nnodes), str(args.nproc_per_node)
        processes = int(each) if each.isdigit() else 1
        first = nodes.partition(":")[0]
        machines = int(first) if first.isdigit() else 1
        processes = self.order.asked or processes * machines
        if "ACCELERATE_USE_CPU" not in os.environ:
            self.record.add("launch", by="torchrun", processes=processes, machines=machines)
            os.environ[JOB] = str(processes)
        if machines > 1:
            self._changed("nnodes", nodes, 1, HERE)
        count = self._count(processes)
        args.nnodes, args.node_rank, args.nproc_per_node = "1", 0, str(count)
        args.standalone = False
        args.rdzv_backend, args.rdzv_endpoint = "c10d", "localhost:0"
        args.max_restarts = 0
        return original(args)

    def _count(self, processes: int) -> int:
        """How many processes are started where the job has so many."""
        count = self.order.processes or min(processes, MOST)
        if count != processes and "ACCELERATE_USE_CPU" not in os.environ:
            self._changed("processes", processes, count, FEWER)
        return count

    def _changed(self, name: str, value: Any, used: Any, why: str) -> None:
        self.record.add("changed", name=name, given=value, used=used, why=why, at=None)
