"""The real loaders on a folder: `python real_load.py ASK FOLDER [MODULES]`, a JSON answer back.

An environment's interpreter runs it: standard library and the libraries under test only. The
answer's `error` is what the library raised, None where it raised nothing.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

SMALL = {
    "vocab_size": 64,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
EXPERTS = {"num_experts": 4, "moe_intermediate_size": 8, "shared_expert_intermediate_size": 8}
GPT2 = {"vocab_size": 64, "n_embd": 16, "n_layer": 2, "n_head": 2, "bos_token_id": 1}
ARCHITECTURES = {
    "llama": SMALL,
    "qwen2": {**SMALL, "tie_word_embeddings": True},
    "gpt2": {**GPT2, "eos_token_id": 2},
    "mixtral": {**SMALL, "num_local_experts": 4},
    "qwen2_moe": {**SMALL, **EXPERTS},
}
TEXT = "  What is 123 plus 4567?"


def ids(folder):
    """The ids that AutoTokenizer gives, and those of tokenizer.json."""
    from tokenizers import Tokenizer
    from transformers import AutoTokenizer

    raw = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    expected = raw.encode(TEXT, add_special_tokens=False).ids
    return {"made": tokenizer(TEXT, add_special_tokens=False)["input_ids"], "meant": expected}


def heads(folder):
    """Whether two loads of the model have the same head."""
    from transformers import AutoModelForCausalLM

    first, second = (AutoModelForCausalLM.from_pretrained(folder) for _ in range(2))
    return {"same": bool((first.lm_head.weight == second.lm_head.weight).all())}


def adapted(folder, targets):
    """What GRPOTrainer makes of a model with LoRA on the modules of `targets`."""
    from datasets import Dataset
    from peft import LoraConfig
    from trl import GRPOConfig, GRPOTrainer

    out = tempfile.mkdtemp()
    options = {"use_cpu": True, "bf16": False, "report_to": [], "num_generations": 2}
    trainer = GRPOTrainer(
        model=folder,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=GRPOConfig(output_dir=out, per_device_train_batch_size=2, **options),
        train_dataset=Dataset.from_dict({"prompt": ["a", "b"]}),
        peft_config=LoraConfig(target_modules=targets.split(","), task_type="CAUSAL_LM"),
    )
    return {"modules": len(trainer.model.base_model.targeted_module_names)}


def agree(probes):
    """Where loading from headers alone reports something else than from_pretrained itself."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    tensors = probe_module(probes, "loading.tensors")
    cases, apart = 0, []
    for name, sizes in ARCHITECTURES.items():
        config = AutoConfig.for_model(name, **sizes)
        torch.manual_seed(0)
        base = tempfile.mkdtemp()
        AutoModelForCausalLM.from_config(config).save_pretrained(base)
        for kind, stored in changes(base).items():
            for role in ("policy", "reward"):
                folder = laid_out(base, stored)
                answers = [really(tensors, folder, role), from_headers(tensors, folder, role)]
                cases += 1
                if answers[0] != answers[1]:
                    apart.append([name, kind, role, *answers])
    return {"cases": cases, "apart": apart}


def changes(base):
    """Checkpoints that lack tensors, have more, or have them in other shapes or names."""
    import torch
    from safetensors.torch import load_file

    whole = load_file(f"{base}/model.safetensors")
    second = [name for name in whole if ".1." in name]
    longer = {n: torch.cat([t, t[:1]]) for n, t in whole.items()}
    rows = [n for n, t in whole.items() if t.dim() == 2 and t.shape[0] == SMALL["vocab_size"]]
    return {
        "whole": whole,
        "less": {n: t for n, t in whole.items() if n not in second[:3]},
        "more": {**whole, "v_head.summary.weight": torch.zeros(2)},
        "another shape": {**whole, second[0]: longer[second[0]]},
        "more rows": {**whole, **{n: longer[n] for n in rows}},
        "prefixed": {f"base_model.{n}": t for n, t in whole.items()},
        "bare": {n.partition(".")[2] if "." in n else n: t for n, t in whole.items()},
    }


def laid_out(base, stored):
    """A folder with the base's config.json and these tensors."""
    from safetensors.torch import save_file

    folder = Path(tempfile.mkdtemp())
    (folder / "config.json").write_text(Path(base, "config.json").read_text())
    copies = {name: tensor.clone() for name, tensor in stored.items()}
    save_file(copies, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def request(folder, role):
    """The part of a probe's request that names the model."""
    return {"trainer": None, "folders": {role: str(folder)}, "trust_remote_code": False}


def really(tensors, folder, role):
    """Missing, unused and differing tensors as from_pretrained reports them; or what it raises."""
    data = json.loads((folder / "config.json").read_text())
    kind, more = tensors.config.class_for(role, data["architectures"])
    try:
        _, info = kind.from_pretrained(
            str(folder), output_loading_info=True, ignore_mismatched_sizes=True, **more
        )
    except Exception as error:
        return type(error).__name__
    apart = [key if isinstance(key, str) else key[0] for key in info["mismatched_keys"]]
    return [sorted(info["missing_keys"]), sorted(info["unexpected_keys"]), sorted(apart)]


def from_headers(tensors, folder, role):
    """The same from the probe."""
    try:
        checkup = tensors.examined(request(folder, role), role)
    except Exception as error:
        return type(error).__name__
    return [
        list(checkup.missing),
        list(checkup.unused),
        [tensor.name for tensor in checkup.differing],
    ]


def probe_module(probes, name):
    """A module of the probes, which are a package of their own in the target interpreter."""
    import importlib
    import importlib.util

    at = [str(probes)]
    spec = importlib.util.spec_from_file_location(
        "trl_doctor_probes", f"{probes}/__init__.py", submodule_search_locations=at
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["trl_doctor_probes"] = package
    spec.loader.exec_module(package)
    return importlib.import_module(f"trl_doctor_probes.{name}")


def main():
    """Answer; whatever the libraries print goes to stderr."""
    answer = os.dup(1)
    os.dup2(2, 1)
    try:
        asks = {"ids": ids, "heads": heads, "adapted": adapted, "agree": agree}
        result = {"error": None, **asks[sys.argv[1]](*sys.argv[2:])}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    with os.fdopen(answer, "w") as out:
        json.dump(result, out)


if __name__ == "__main__":
    main()
