"""Where a rehearsed process begins: before any line of the user's, and touching nothing yet."""

from __future__ import annotations

import atexit
import dataclasses
import os
import resource
import sys
import threading
import time
from types import TracebackType
from typing import Any

from .. import landlock, network
from ..processes import die_with
from . import deepspeed, devices, patching, stacks
from .away import Away
from .configs import Configs
from .data import Data
from .hooks import Waiting
from .launchers import Launchers
from .loading import Loading
from .notebooks import Notebooks
from .order import Order, read_order
from .record import Record, rank, world
from .small import Small
from .tokenizers import Edits
from .trainers import Trainers
from .where import frames, here


@dataclasses.dataclass(frozen=True)
class Shim:
    """What examines a rehearsal in one of its processes; it does nothing before `begin`."""

    order: Order
    record: Record
    away: Away

    def begin(self) -> None:
        """From now on the process is confined to the scratch folder, and tells what it does."""
        order, record = self.order, self.record
        die_with(os.getppid())
        confined = not landlock.confine([order.scratch, *order.caches])
        record.tell("started", argv=list(getattr(sys, "orig_argv", sys.argv)), process=os.getpid(),
                    parent=os.getppid(), confined=confined,
                    root=str(order.root), folder=str(order.folder))  # fmt: skip
        _limit(order)
        _tell_the_end(order, record)
        network.close()
        sys.meta_path.append(Notebooks(record))
        self.away.watch_writes()
        patching.begin()


def begin() -> None:
    """Begin, where this process belongs to a rehearsal."""
    order = read_order()
    if order is not None:
        waiting_for_libraries(order).begin()


def waiting_for_libraries(order: Order) -> Shim:
    """A shim that acts on libraries as they are imported."""
    record = Record(order)
    away = Away(order, record)
    sys.meta_path.insert(0, _waiting(order, record, away))
    return Shim(order, record, away)


def _waiting(order: Order, record: Record, away: Away) -> Waiting:
    """What is done with each library once it is imported."""
    waiting = Waiting()
    small, data, edits = Small(order, record), Data(order, record), Edits(record)
    loading, launchers = Loading(small, away), Launchers(order, record)
    trainers, arguments = Trainers(order, record, data, edits), Configs(order, record)
    auto = "transformers.models.auto."

    def modelling(module: Any) -> None:
        loading.models(module)
        cuda(module)

    def tokenizing(module: Any) -> None:
        edits.act(module)
        loading.named("PreTrainedTokenizerBase")(module)
        away.saves("save_pretrained", "PreTrainedTokenizerBase")(module)

    def training(module: Any) -> None:
        trainers.act(module)
        arguments.act(module)
        away.saves(
            "save_model", *(variable for variable in vars(module) if variable.endswith("Trainer"))
        )(module)

    def cuda(module: Any) -> None:
        devices.on_cpu(record)

    for name, action in {
        "torch.cuda": devices.asked_about(record),
        "transformers.modeling_utils": modelling,
        auto + "auto_factory": loading.auto_models,
        auto + "configuration_auto": loading.named("AutoConfig"),
        auto + "tokenization_auto": loading.named("AutoTokenizer"),
        auto + "processing_auto": loading.named("AutoProcessor"),
        auto + "feature_extraction_auto": loading.named("AutoFeatureExtractor"),
        auto + "image_processing_auto": loading.named("AutoImageProcessor"),
        "transformers.tokenization_utils_base": tokenizing,
        "transformers.configuration_utils": loading.named("PretrainedConfig", "PreTrainedConfig"),
        "transformers.generation.configuration_utils": loading.named("GenerationConfig"),
        "transformers.processing_utils": loading.named("ProcessorMixin"),
        "transformers.utils.quantization_config": loading.quantisation,
        "transformers.utils.hub": away.mixin,
        "transformers.training_args": arguments.act,
        "transformers.trainer": training,
        "trl*_trainer": training,
        "trl*_config": arguments.act,
        "peft.peft_model": loading.adapters,
        "peft.tuners.lora.config": loading.adapter_config,
        "datasets.load": data.act,
        "datasets.arrow_dataset": data.held,
        "datasets.dataset_dict": data.kept,
        "huggingface_hub._login": away.hub,
        "huggingface_hub.hf_api": away.hub_api,
        "deepspeed.comm.torch": deepspeed.interpreted,
        "accelerate.state": devices.shard_on_cpu,
        "accelerate.commands.launch": launchers.accelerate,
        "torch.distributed.run": launchers.torch,
    }.items():
        waiting.on(name, action)
    return waiting


def _limit(order: Order) -> None:
    """No core, no file larger than the disk allowed; every thread is written down at times.

    The rest of the limits is the doctor's, for all processes together.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = order.disk if hard == resource.RLIM_INFINITY else min(order.disk, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    left = max(2.0, order.begun + order.seconds - time.time())
    stacks.begin(order.records, rank(), world(), left)


def _tell_the_end(order: Order, record: Record) -> None:
    """Tell of an error that ends the process, of an exit, and of the end."""
    before = sys.excepthook

    def failed(
        kind: type[BaseException], error: BaseException, calls: TracebackType | None
    ) -> None:
        record.tell("failed", stage="script", type=kind.__name__, message=str(error),
                    module=getattr(error, "name", None), frames=frames(error),
                    file=getattr(error, "filename", None), line=getattr(error, "lineno", None),
                    network=_is_network(error))  # fmt: skip
        before(kind, error, calls)

    sys.excepthook = failed
    leave = sys.exit

    def exit_told(*given: Any) -> None:
        record.tell("exit", status=given[0] if given else 0, at=here(),
                    main=threading.current_thread() is threading.main_thread())  # fmt: skip
        leave(*given)

    sys.exit = exit_told  # type: ignore[assignment]
    atexit.register(lambda: record.tell("ended"))


def _is_network(error: BaseException) -> bool:
    from ..child import causes

    return any(isinstance(cause, network.NetworkRefused) for cause in causes(error))
