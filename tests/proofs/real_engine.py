"""One step with a colocated vLLM engine: `python real_engine.py`, a request on stdin.

The trainer is that of GRPO, RLOO or OnlineDPO. An environment's interpreter runs it in the
candidate's folder: standard library and the libraries under test only. The answer's `error` is what
the library raised, None where it raised nothing.
"""

import json
import os
import sys
import tempfile
from dataclasses import fields

from real import use_free_port

LENGTH = 8
SETTINGS = {
    "per_device_train_batch_size": 4,
    "num_generations": 4,
    "max_completion_length": LENGTH,
    "max_steps": 1,
    "logging_steps": 1,
    "report_to": [],
    "save_strategy": "no",
    "disable_tqdm": True,
    "use_cpu": True,
    "bf16": True,
    "gradient_checkpointing": False,
    "use_vllm": True,
    "vllm_mode": "colocate",
    "vllm_max_model_length": 128,
    "vllm_gpu_memory_utilization": 0.1,
}


def cheaper():
    """The engine on the CPU: nothing compiled, and parameters that take weights.

    Its cache takes memory only where it is used: vLLM fills a GiB with zeros. What was imported
    before the run stays out of the collections that end an engine.
    """
    import gc
    import mmap

    import torch
    from vllm.model_executor.layers import utils

    def keep(layer, remove_weight):
        layer.cpu_linear = torch.nn.functional.linear

    def untouched(*size, dtype=None, **more):
        if dtype is torch.int8 and isinstance(size[0], int):
            return torch.frombuffer(mmap.mmap(-1, size[0], mmap.MAP_PRIVATE), dtype=dtype)
        return zeros(*size, dtype=dtype, **more)

    zeros, torch.zeros = torch.zeros, untouched
    utils.dispatch_cpu_unquantized_gemm = keep
    torch._dynamo.config.disable = True
    gc.unfreeze = int


def loaded(request):
    """The policy and the training tokenizer as the request wants them."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.manual_seed(0)
    run = request["run"]
    name = run["model_name_or_path"]
    tokenizer = AutoTokenizer.from_pretrained(run.get("tokenizer_name_or_path") or name)
    loading = run.get("model_init_kwargs", {})
    dtype = getattr(torch, run.get("dtype", "float32"))
    model = AutoModelForCausalLM.from_pretrained(name, dtype=dtype, **loading)
    if request.get("resize"):
        model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=request.get("multiple"))
    if request.get("say"):
        silence(model, tokenizer.convert_tokens_to_ids(request["say"]))
    return model, tokenizer


def silence(model, token):
    """Weights with which a tied model says one token for ever."""
    import torch

    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.fill_(1.0 if "norm" in name else 0.0)
        table = model.get_input_embeddings().weight
        table[:, ::2], table[:, 1::2] = 0.25, -0.25
        table[token] *= 2


def adapter(run):
    """The run's LoRA, as TRL's scripts make it, already moved from its first values."""
    if not run.get("use_peft"):
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=run.get("lora_r", 16),
        lora_dropout=run.get("lora_dropout", 0.05),
        modules_to_save=run.get("lora_modules_to_save"),
        use_dora=run.get("use_dora", False),
        use_rslora=run.get("use_rslora", False),
        target_modules="all-linear",
        init_lora_weights=False,
        task_type="CAUSAL_LM",
    )


def classes(trainer):
    """The config and the trainer of a name."""
    import trl

    if trainer == "online_dpo":
        from trl.experimental.online_dpo import OnlineDPOConfig, OnlineDPOTrainer

        return OnlineDPOConfig, OnlineDPOTrainer
    stem = trainer.upper()
    return getattr(trl, f"{stem}Config"), getattr(trl, f"{stem}Trainer")


def train(request):
    """The step: lengths, what was logged, and what the engine's tokenizer makes of tokens."""
    cheaper()
    use_free_port()
    from datasets import Dataset

    run = request["run"]
    config, trains = classes(run["trainer"])
    model, tokenizer = loaded(request)
    taken = {field.name for field in fields(config)} - {"model_init_kwargs"}
    arguments = {key: value for key, value in {**SETTINGS, **run}.items() if key in taken}
    text = request.get("text", "What is seven times six?")
    row = {"prompt": [{"role": "user", "content": text}]}
    rows = request.get("rows", [row] * 8)
    batches = []

    def score(completions, **_):
        batches.append([json.dumps(completion) for completion in completions])
        return [*map(float, range(len(completions)))]

    trainer = trains(
        model,
        processing_class=tokenizer,
        reward_funcs=score,
        args=config(output_dir=tempfile.mkdtemp(), **arguments),
        peft_config=adapter(run),
        train_dataset=Dataset.from_list(rows),
    )
    ids = tokenizer.convert_tokens_to_ids(request.get("decode", []))
    theirs = trainer.vllm_generation.llm.get_tokenizer() if ids else None
    trainer.train()
    log = trainer.state.log_history[0]
    return {
        "decoded": [theirs.decode([id]) for id in ids],
        "length": log.get("completions/mean_length"),
        "clipped": log.get("completions/clipped_ratio"),
        "log": {key: value for key, value in log.items() if key.startswith("sampling/")},
        "loss": log["loss"],
        "gradient": log["grad_norm"],
        "different": len(set(batches[0][: run.get("num_generations", 1)])),
    }


def save(request):
    """The recipe: the resized model and its tokenizer in a folder of their own."""
    model, tokenizer = loaded({**request, "resize": True, "multiple": 64})
    model.bfloat16().save_pretrained(request["into"])
    tokenizer.save_pretrained(request["into"])
    return {}


def build(request):
    """Random weights for the config in a folder, saved beside it."""
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.from_pretrained(request["into"])
    AutoModelForCausalLM.from_config(config).bfloat16().save_pretrained(request["into"])
    return {}


def main():
    """Answer the request; whatever the libraries print goes to stderr."""
    answer = os.dup(1)
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    try:
        ask = {"train": train, "save": save, "build": build}[request["ask"]]
        result = {"error": None, **ask(request)}
    except Exception as error:
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]
        result = {"error": [type(error).__name__, str(error)], "source": last.line}
    with os.fdopen(answer, "w") as out:
        json.dump(result, out, default=str)
        out.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
