"""What a rehearsal does to each library once it is imported."""

from __future__ import annotations

import argparse
import json
from typing import Any

from . import draws, noted
from .devices import devices, gpu_answers
from .devices.launchers import Launchers
from .hooks import Action, Waiting
from .models.classified import Classified
from .models.generating import Generating
from .models.loading import Loading
from .models.saved_weights import SavedWeights
from .models.small import Small
from .models.snapshots import Snapshots
from .models.tokenizers import Edits
from .models.watched_names import WatchedNames
from .order import Order
from .record import Record
from .rows import origins, put_together
from .rows.data import Data
from .settings import config_files, deepspeed, parsers
from .trainers import evaluations, stopping
from .trainers.configs import Configs
from .trainers.mistakes import row_order
from .trainers.trainers import Trainers
from .writes.away import TOKENIZER, WEIGHTS, Away
from .writes.overlay import Overlay


def waiting(order: Order, record: Record, away: Away, overlay: Overlay) -> Waiting:
    """An import hook that calls the action of each module after it is imported."""
    data, edits = Data(order, record, overlay.read), Edits(record)
    saves, launchers = SavedWeights(record), Launchers(order, record)
    loading, configs = Loading(Small(order, record), away, saves), Configs(order, record)
    parsers.act(argparse)
    config_files.act(json)
    trainers = Trainers(order, record, data, edits, loading)

    actions: dict[str, Action] = {
        **_of_models(loading, edits, away, record),
        **_of_training(trainers, configs, away, Generating(record, trainers, loading.adapted)),
        "huggingface_hub._snapshot_download": Snapshots(loading.small).act,
        "peft.peft_model": loading.adapters,
        "peft.config": loading.named_adapters,
        "peft.auto": loading.named_adapters,
        "peft.tuners.tuners_utils": trainers.asked.merged.act,
        "peft.tuners.lora.model": trainers.asked.merged.act,
        "peft.tuners.lora.config": loading.adapter_config,
        "datasets.load": data.act,
        "datasets.arrow_dataset": _each(data.limit_rows, overlay.rows),
        "datasets.dataset_dict": _each(data.block_pushes, overlay.rows),
        "datasets.iterable_dataset": origins.act,
        "datasets.combine": put_together.act,
        "pandas": data.frames.act,
        **_of_services(away),
        **_of_numbers(overlay, record),
        "torch.utils.data.dataloader": row_order.watch,
        "torch.cuda": gpu_answers.asked_about(record),
        "torch.accelerator": gpu_answers.on_any_accelerator(record),
        "torch.distributed.run": launchers.torch,
        "deepspeed.comm.torch": deepspeed.interpreted,
        "yaml": _each(config_files.act, noted.in_yaml),
        "accelerate.state": devices.shard_on_cpu,
        "accelerate.commands.launch": launchers.accelerate,
    }
    hook = Waiting()
    for name, action in actions.items():
        hook.on(name, action)
    return hook


def _each(*actions: Action) -> Action:
    """One action that is several."""

    def act(module: Any) -> None:
        for action in actions:
            action(module)

    return act


def _of_numbers(overlay: Overlay, record: Record) -> dict[str, Action]:
    """The seeds of random numbers, and the files of tensors."""

    def torch(module: Any) -> None:
        devices.on_cpu(record)
        draws.torch(module)
        overlay.tensors(module)
        deepspeed.uncompiled(module)

    return {"numpy": draws.numpy, "torch": torch, "safetensors.torch": overlay.weights}


def _of_models(loading: Loading, edits: Edits, away: Away, record: Record) -> dict[str, Action]:
    """The patches that make models small, and report changes of tokenizers and searched names."""
    auto = "transformers.models.auto."

    def modelling(module: Any) -> None:
        loading.models(module)
        devices.on_cpu(record)

    def tokenizing(module: Any) -> None:
        edits.act(module)
        loading.named("PreTrainedTokenizerBase")(module)
        saved = loading.kept.tokenizer_saved
        away.saves("save_pretrained", "PreTrainedTokenizerBase", files=TOKENIZER, then=saved)(
            module
        )

    return {
        "transformers.modeling_utils": modelling,
        auto + "auto_factory": loading.auto_models,
        auto + "configuration_auto": loading.named("AutoConfig"),
        auto + "tokenization_auto": loading.named("AutoTokenizer", call=edits.given(loading.files)),
        auto + "processing_auto": loading.named("AutoProcessor"),
        auto + "feature_extraction_auto": loading.named("AutoFeatureExtractor"),
        auto + "image_processing_auto": loading.named("AutoImageProcessor"),
        "transformers.tokenization_utils_base": tokenizing,
        "trl.models.utils": edits.formats,
        "trl.chat_template_utils": edits.formats,
        "transformers.configuration_utils": loading.named("PretrainedConfig", "PreTrainedConfig"),
        "transformers.generation.configuration_utils": loading.named("GenerationConfig"),
        "transformers.processing_utils": loading.named("ProcessorMixin"),
        "transformers.utils.quantization_config": loading.quantisation,
        "transformers.utils.hub": away.mixin,
        "transformers.pipelines.text_classification": Classified(record).act,
        "torch.nn.modules.module": _each(
            WatchedNames(record, loading.small).act, loading.fresh.act
        ),
    }


def _of_services(away: Away) -> dict[str, Action]:
    """What keeps logins, uploads and trackers away."""

    def hub(module: Any) -> None:
        away.hub_api(module)
        away.user(module)

    return {
        "huggingface_hub._login": away.hub,
        "huggingface_hub.hf_api": hub,
        "wandb": away.tracker,
        "trackio": away.tracker,
        "getpass": away.passwords,
    }


def _of_training(
    trainers: Trainers, configs: Configs, away: Away, generating: Generating
) -> dict[str, Action]:
    """What cuts arguments, follows trainers, and keeps what they save out of the user's folders."""

    def training(module: Any) -> None:
        trainers.act(module)
        configs.act(module)
        names = [name for name in vars(module) if name.endswith("Trainer")]
        away.saves("save_model", *names, files=(*WEIGHTS, *TOKENIZER))(module)

    def base(module: Any) -> None:
        training(module)
        evaluations.watch(module, trainers.record)

    return {
        "transformers.generation.utils": generating.act,
        "transformers.training_args": configs.act,
        "transformers.trainer": base,
        "transformers.trainer_callback": stopping.early,
        "trl*_trainer": training,
        "trl*_config": configs.act,
    }
