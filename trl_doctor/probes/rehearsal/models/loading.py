"""Loads small models wherever the script, or a trainer, loads one by its name."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from .. import patching
from ..record import Mistake
from ..where import called_by_user, here
from ..writes.away import WEIGHTS, Away
from .adapted import Adapted
from .bases import is_adapted, other_base, without_place
from .fresh_weights import FreshWeights
from .hub_adapters import HubAdapters, task_of
from .saved_weights import SavedWeights
from .slow_tokenizers import reading
from .small import Small
from .thawed import Thawed
from .unmerged import Unmerged

GPU_ONLY = ("device_map", "max_memory", "quantization_config", "load_in_4bit", "load_in_8bit",
            "offload_folder", "low_cpu_mem_usage", "use_flash_attention_2", "use_kernels",
            "tp_plan", "gguf_file", "revision", "subfolder")  # fmt: skip
"""Of what `from_pretrained` is given: what needs a GPU, or names another file than is here."""

UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")
IMAGES = ("ImageTextToText", "Vision2Seq", "MultimodalLM")
"""Parts of the names of classes whose models take images, with the text."""

ON_CPU = ("eager", "sdpa", "flex_attention", None)
NO_GPU = "it needs a GPU, and the rehearsal runs on the CPU"


class Loading:
    """Patches of transformers and peft."""

    def __init__(self, small: Small, away: Away, kept: SavedWeights) -> None:
        self.small, self.record, self.away, self.kept = small, small.record, away, kept
        self.adapted, self.thawed = Adapted(small.record), Thawed(small.record)
        self.unmerged, self.fresh = Unmerged(small.record), FreshWeights(small.record)
        self.hub_adapters = HubAdapters(small)
        self.then: Callable[[Any], None] = lambda model: None
        """What else sees each model that was loaded."""
        self._told: set[str] = set()

    def models(self, module: ModuleType) -> None:
        """`PreTrainedModel.from_pretrained`, and what it saves."""
        owner = module.PreTrainedModel
        patching.around(owner, "from_pretrained", self._loaded)
        patching.around(owner, "save_pretrained", self._save)
        patching.around(owner, "resize_token_embeddings", self._resized)

    def auto_models(self, module: ModuleType) -> None:
        """`AutoModel…from_pretrained`."""
        patching.around(module._BaseAutoModelClass, "from_pretrained", self._loaded)

    def named(self, *classes: str, call: patching.Around | None = None) -> Any:
        """What loads small files by a model's name: configs, tokenizers, processors."""

        def act(module: ModuleType) -> None:
            for name in classes:
                if hasattr(module, name):
                    patching.around(getattr(module, name), "from_pretrained", call or self.files)

        return act

    def quantisation(self, module: ModuleType) -> None:
        """Quantised weights want a package and a GPU; the small model has none."""
        if hasattr(module, "BitsAndBytesConfig"):
            patching.around(module.BitsAndBytesConfig, "post_init", self._quantised)

    def adapters(self, module: ModuleType) -> None:
        """`PeftModel.from_pretrained`: an adapter's weights fit the whole model only."""
        patching.around(module.PeftModel, "from_pretrained", self._load_adapter)
        patching.around(module.PeftModel, "save_pretrained", self._save)
        patching.around(module.PeftModel, "__init__", self.adapted.put_in)
        patching.around(module.PeftModel, "disable_adapter", self.thawed.disables)
        patching.around(module.PeftModelForCausalLM, "generate", self.adapted.generates)
        for merges in (self.kept.merges, self.unmerged.merges):
            patching.each(module.PeftModel, ("merge_and_unload", "merge_adapter"), merges)

    def named_adapters(self, module: ModuleType) -> None:
        """`PeftConfig.from_pretrained` and `AutoPeftModel….from_pretrained`, in their modules."""
        for owner, call in (
            ("PeftConfigMixin", self.hub_adapters.read_config),
            ("_BaseAutoPeftModel", self.hub_adapters.load),
        ):
            if hasattr(module, owner):
                patching.around(getattr(module, owner), "from_pretrained", call)

    def adapter_config(self, module: ModuleType) -> None:
        """Where the script says what an adapter is made for."""
        patching.around(module.LoraConfig, "__init__", self._adapter)

    def _adapter(self, original: Any, config: Any, *args: Any, **more: Any) -> None:
        self.record.add("adapter", at=here())
        original(config, *args, **more)

    def _loaded(self, original: Any, cls: Any, name: Any, *args: Any, **more: Any) -> Any:
        found = self._load_model(original, cls, name, *args, **more)
        model = found[0] if isinstance(found, tuple) else found
        is_small = self.small.order.is_small(str(name))
        self.fresh.loaded(model, None if is_small else self.small.made_by_script(str(name)))
        self.then(model)
        return found

    def _load_model(self, original: Any, cls: Any, name: Any, *args: Any, **more: Any) -> Any:
        self._note_nameless(name)
        folder = self.small.folder(name, images=_takes_images(cls))
        if folder is name:
            self._note_saved(name)
            if str(name) in self.small.downloads:
                self.record.add("loaded", name=name, origin=name, at=here())
            if self.small.order.is_small(str(name)):  # a trainer loads it once more
                self._left_out(more)
            return original(cls, name, *args, **more)
        self.record.add("loaded", name=os.fspath(name), origin=folder, at=here())
        self.small.origins.with_weights.add(str(folder))
        self._left_out(more)
        while True:
            try:
                return original(cls, folder, *args, **more)
            except TypeError as error:  # the architecture was guessed by the model's name
                unknown = UNEXPECTED.search(str(error))
                if not unknown or unknown[1] not in more or not self.small.is_made(name):
                    raise
                self._changed(unknown[1], more.pop(unknown[1]), None, "the replacement has none")

    def _note_saved(self, name: Any) -> None:
        """Report that a model is loaded which the script has saved."""
        if isinstance(name, (str, os.PathLike)):
            origin = self.small.origins.of(os.fspath(name))
            if origin != os.fspath(name):
                weights = self.small.origins.has_weights(os.fspath(name))
                self.record.add("loaded", name=os.fspath(name), origin=origin, at=here(),
                                weights=weights)  # fmt: skip

    def files(self, original: Any, cls: Any, name: Any, *args: Any, **more: Any) -> Any:
        """Load small files, of the small model in place of the script's."""
        self._note_nameless(name)
        images = "Processor" in cls.__name__ and called_by_user() is not None
        folder = self.small.folder(name, images)
        if folder is not name:
            for key in ("revision", "subfolder"):
                more.pop(key, None)
            cls = reading(cls, folder)
        return original(cls, folder, *args, **more)

    def _note_nameless(self, name: Any) -> None:
        if name is None:
            self.record.add("nameless", at=here())

    def _load_adapter(self, original: Any, cls: Any, model: Any, name: Any, *args: Any,
                      **more: Any) -> Any:  # fmt: skip
        inside, adapted = is_adapted(model), self.put_on(original, cls, model, name, *args, **more)
        folder = self.small.made_by_script(str(name))
        with contextlib.suppress(Exception):  # weights of another kind
            if (inside or folder) and (lost := without_place(adapted, folder or str(name))):
                words = [Path(str(name)).name, str(len(lost)), lost[0]]
                what = "adapter inside adapter" if inside else "adapter without place"
                self.record.mistake(Mistake(what, words, here()))
        self.then(adapted)
        return adapted

    def put_on(self, original: Any, cls: Any, model: Any, name: Any, *args: Any,
                **more: Any) -> Any:  # fmt: skip
        """The model with the adapter; with a new one, where its weights fit the whole model."""
        is_new = str(name) in self.hub_adapters.made
        saved_name = None if is_new else self.small.made_by_script(str(name))
        if saved_name is not None:
            with contextlib.suppress(Exception):  # a config or weights of another kind
                if base := other_base(model, saved_name, self.small.made_by_script):
                    words = [Path(str(name)).name, base]
                    self.record.mistake(Mistake("another base", words, here()))
            self.unmerged.put_on(model, saved_name)
            return original(cls, model, saved_name, *args, **more)
        import peft

        folder = self.hub_adapters.folder(name, task_of(type(model).__name__))
        config = peft.PeftConfig.from_pretrained(folder)
        if folder not in self.hub_adapters.made:
            self.record.add("changed", name="adapter", given=str(name), used="random weights",
                            why="its weights fit the whole model only", at=here())  # fmt: skip
        config.inference_mode = not more.get("is_trainable", False)
        return peft.get_peft_model(model, config)

    def _save(self, original: Any, model: Any, folder: Any, *args: Any, **more: Any) -> Any:
        more.pop("push_to_hub", None)
        if not self.kept.is_aside:
            self.adapted.saved(model)
        folder = self.away.moved(folder, WEIGHTS)
        self.unmerged.saved(model, str(folder))
        self.small.saved(str(folder), getattr(getattr(model, "config", None), "_name_or_path", ""))
        result = original(model, folder, *args, **more)
        self.kept.saved(str(folder))
        return result

    def _resized(self, original: Any, model: Any, *args: Any, **more: Any) -> Any:
        self.record.add("resized", rows=args[0] if args else more.get("new_num_tokens"),
                        at=here())  # fmt: skip
        return original(model, *args, **more)

    def _quantised(self, original: Any, config: Any) -> Any:
        try:
            return original(config)
        except ImportError:  # bitsandbytes is not here; nothing is quantised in a rehearsal
            self._changed("BitsAndBytesConfig", "4 or 8 bit", None, "the small model has no need")

    def _left_out(self, more: dict[str, Any]) -> None:
        for name in GPU_ONLY:
            if name == "device_map" and _zero3() and not _only_here(more.get(name)):
                continue  # the library refuses the two together
            if more.get(name) not in (None, False):
                self._changed(name, more[name], None, NO_GPU)
            more.pop(name, None)
        if more.get("attn_implementation") not in ON_CPU:
            self._changed("attn_implementation", more.pop("attn_implementation"), None, NO_GPU)

    def _changed(self, name: str, value: Any, used: Any, why: str) -> None:
        if name not in self._told:
            self._told.add(name)
            self.record.add("changed", name=name, given=value, used=used, why=why, at=here())


def _takes_images(cls: Any) -> bool:
    """Whether a class of models, or of several of them, is for images with text."""
    parts = getattr(getattr(cls, "config_class", None), "sub_configs", None) or {}
    return any(part in cls.__name__ for part in IMAGES) or "vision_config" in parts


def _only_here(device_map: Any) -> bool:
    """Whether trl gave it because it saw no GPU: it gives none where DeepSpeed has one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "create_model_from_path":
        frame = frame.f_back
    return device_map == "auto" and frame is not None


def _zero3() -> bool:
    """Whether the run's models are made in parts by DeepSpeed."""
    module = sys.modules.get("transformers.integrations.deepspeed")
    return bool(module and module.is_deepspeed_zero3_enabled())
