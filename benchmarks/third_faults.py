"""Wrong and unusual things that were written down before anything was asked about them.

`--every 1 --catalogue third`. What ends well is unusual and healthy: the real command says which.
"""

from __future__ import annotations

import layouts as at
from changes import Change, argument, in_file, reward, rows, several
from drafts import Draft
from drawn import PLAIN
from later_faults import BEST, PEFT, turned

EVAL = {"eval_strategy": "steps", "eval_steps": 1, "per_device_eval_batch_size": 2}
LINES = at.in_lines


def tokens(kind: str) -> Change:
    """A tokenizer of another kind."""

    def edit(draft: Draft) -> tuple[str, ...]:
        if draft.kind == "channels":
            return ()
        draft.kind = kind
        return ("tokenizer", kind)

    return Change(f"tokenizer: {kind}", edit)


def long_rows(row: dict[str, object], number: int) -> dict[str, object]:
    return {key: value * 200 if isinstance(value, str) else value for key, value in row.items()}


ARGUMENTS: list[Change] = [
    several("restarts 0", {"lr_scheduler_type": "cosine_with_restarts",
                           "lr_scheduler_kwargs": {"num_cycles": 0}}),
    several("wsd", {"lr_scheduler_type": "warmup_stable_decay"}),
    several("wsd whole", {"lr_scheduler_type": "warmup_stable_decay", "warmup_steps": 1,
                          "lr_scheduler_kwargs": {"num_decay_steps": 1}}),
    several("plateau", {"lr_scheduler_type": "reduce_lr_on_plateau", "eval_strategy": "no"}),
    several("inverse sqrt", {"lr_scheduler_type": "inverse_sqrt", "warmup_steps": 0}),
    several("kwargs as text", {"lr_scheduler_type": "cosine_with_min_lr",
                               "lr_scheduler_kwargs": '{"min_lr": 1e-7}'}),
    argument("optim", "adamw_apex_fused"),
    argument("optim", "schedule_free_adamw"),
    argument("optim", "rmsprop"),
    argument("optim", "adamw_torch_fused"),
    several("lomo", {"optim": "lomo", "optim_target_modules": "all-linear"}),
    several("optim args", {"optim": "adamw_torch", "optim_args": "weight_decay=0.1"}),
    argument("use_liger_kernel", True),
    several("eval on start", {"eval_on_start": True, "eval_strategy": "no"}),
    several("eval on start, evaluated", {**EVAL, "eval_on_start": True}),
    several("eval accumulation", {**EVAL, "eval_accumulation_steps": 1}),
    several("eval accumulation 0", {**EVAL, "eval_accumulation_steps": 0}),
    several("not one batch", {**EVAL, "eval_do_concat_batches": False}),
    several("best by loss", {**EVAL, "save_strategy": "best", "metric_for_best_model": "loss"}),
    several("save only model", {**BEST, "save_only_model": True}),
    argument("log_level", "loud"),
    argument("logging_strategy", "epoch"),
    argument("max_grad_norm", 0),
    argument("gradient_accumulation_steps", 2.5),
    argument("accelerator_config", {"even_batches": False}),
    argument("accelerator_config", {"dispatch_batches": True}),
    several("accumulated twice", {"gradient_accumulation_steps": 2, "accelerator_config": {
        "gradient_accumulation_kwargs": {"num_steps": 2}}}),
    argument("accelerator_config", "HERE/accelerator.json"),
    argument("torch_empty_cache_steps", 0),
    argument("include_num_input_tokens_seen", "sometimes"),
    argument("full_determinism", True),
    argument("run_name", 5),
    argument("model_revision", "nosuch"),
    argument("attn_implementation", "flex_attention"),
    argument("attn_implementation", "kernels-community/flash-attn"),
    argument("dtype", "int8"),
    argument("dtype", "float64"),
    argument("dtype", "half"),
    several("dora", {**PEFT, "use_dora": True}),
    several("lora modules as text", {**PEFT, "lora_target_modules": ".*(proj|attn|dense).*"}),
    several("lora modules no pattern", {**PEFT, "lora_target_modules": "["}),
    several("lora task", {**PEFT, "lora_task_type": "CAUSALLM"}),
    several("4 and 8 bits", {"load_in_4bit": True, "load_in_8bit": True}),
    argument("output_dir", "HERE/run.yaml"),
    argument("env", {"SOME_NAME": "1"}),
    argument("env", ["SOME_NAME"]),
    argument("mixed_precision", "fp7"),
    argument("num_machines", 1),
    argument("dynamo_backend", "inductorr"),
    argument("accelerate_config", "zero3"),
]  # fmt: skip
"""Arguments of transformers and accelerate."""

TRAINERS: list[Change] = [
    argument("loss_type", "dft", "sft"),
    argument("loss_type", "nlll", "sft"),
    several("wrapped", {"packing": True, "packing_strategy": "wrapped", "max_length": 16}, "sft"),
    argument("pad_to_multiple_of", 8, "sft", "dpo"),
    argument("pad_to_multiple_of", 0, "sft"),
    argument("dataset_kwargs", {"skip_prepare_dataset": True}, "sft"),
    argument("truncation_mode", "keep_middle", "dpo", "sft"),
    argument("max_length", 0, "sft", "dpo"),
    argument("max_length", None, "sft", "dpo", "reward", "kto"),
    argument("activation_offloading", True, "sft"),
    several(
        "two losses, one weight",
        {"loss_type": ["sigmoid", "bco_pair"], "loss_weights": [1.0]},
        "dpo",
    ),
    several("two losses", {"loss_type": ["sigmoid", "sft"], "loss_weights": [0.8, 0.2]}, "dpo"),
    argument("precompute_ref_log_probs", True, "dpo", "kto"),
    argument("ld_alpha", 2.0, "dpo"),
    argument("use_weighting", True, "dpo"),
    several("smoothed ipo", {"loss_type": "ipo", "label_smoothing": 0.2}, "dpo"),
    argument("per_device_train_batch_size", 1, "kto", "dpo"),
    argument("undesirable_weight", 0.0, "kto"),
    argument("num_generations_eval", 3, "grpo"),
    several("both sizes", {"steps_per_generation": 2, "generation_batch_size": 4}, "grpo"),
    argument("top_entropy_quantile", 1.5, "grpo"),
    argument("scale_rewards", "batch", "grpo"),
    argument("importance_sampling_level", "sequence", "grpo"),
    argument("cache_implementation", "paging", "grpo", "rloo"),
    argument("cache_implementation", "static", "grpo", "rloo"),
    argument("generation_kwargs", {"stop_strings": ["a"]}, "grpo", "rloo"),
    argument("generation_kwargs", {"num_beams": 2}, "grpo", "rloo"),
    argument("generation_kwargs", {"num_return_sequences": 2}, "grpo", "rloo"),
    argument("generation_kwargs", {"max_new_tokens": 4}, "grpo", "rloo"),
    argument("generation_kwargs", {"eos_token_id": 5}, "grpo", "rloo"),
    argument("chat_template_kwargs", {"enable_thinking": False}, "grpo", "rloo", "sft"),
    argument("vllm_mode", "serverr", "grpo", "rloo"),
    argument("reward_weights", ["a"], "grpo", "rloo"),
    argument("shuffle_dataset", False, "grpo", "rloo", "sft"),
    argument("normalize_advantages", True, "rloo"),
    argument("reward_clip_range", [1.0, -1.0], "rloo"),
    argument("rloo_k", 2, "rloo"),
]
"""Arguments of one trainer."""

FILES: list[Change] = [
    at.laid("template in a file", at.template_file(None)),
    at.laid("template broken in a file", at.template_file("{% for x in %}", keep=True),
            "template", fits=at.conversations),
    at.laid("another template in a file", at.template_file(PLAIN, keep=True)),
    at.laid("one more template", at.template_file(PLAIN, "additional_chat_templates/rag.jinja",
                                                  keep=True)),
    in_file("tokenizer_config.json", "chat_template",
            [{"name": "default", "template": PLAIN}, {"name": "rag", "template": "x"}]),
    at.laid("special tokens map", at.wrote("model/special_tokens_map.json",
                                           '{"eos_token": "<nope>"}'), "special", "<nope>"),
    at.laid("added tokens", at.wrote("model/added_tokens.json", '{"<|im_end|>": 7}'), "added"),
    *(tokens(kind) for kind in ("wordpiece", "words")),
    at.laid("vocab and merges", at.vocabulary, "vocab", "merges", "tokenizer",
            fits=lambda draft: draft.kind == "bpe"),
    at.laid("tokenizer cuts", at.in_json("model/tokenizer.json", lambda data: data.update(
        truncation={"direction": "Right", "max_length": 4, "strategy": "LongestFirst",
                    "stride": 0}))),
    at.laid("model BPEE", at.in_json("model/tokenizer.json",
                                     lambda data: data["model"].update(type="BPEE")),
            "tokenizer.json", "bpee"),
    at.laid("tokenizer 2.0", at.in_json("model/tokenizer.json",
                                        lambda data: data.update(version="2.0")), "version"),
    in_file("tokenizer_config.json", "tokenizer_class", "TokenizersBackend"),
    in_file("tokenizer_config.json", "tokenizer_class", "BertTokenizerFast"),
    in_file("tokenizer_config.json", "tokenizer_class", "LlamaTokenizerFast"),
    in_file("tokenizer_config.json", "model_input_names", ["input_ids"]),
    in_file("tokenizer_config.json", "model_input_names", []),
    in_file("tokenizer_config.json", "add_eos_token", True),
    in_file("tokenizer_config.json", "extra_special_tokens", ["<|fim_pad|>"]),
    in_file("tokenizer_config.json", "additional_special_tokens", ["<|im_start|>"]),
    in_file("tokenizer_config.json", "padding_side", "middle"),
    at.laid("in two files", at.shards()),
    at.laid("index names another file", at.shards(lambda index: index["weight_map"].update(
        dict.fromkeys(index["weight_map"], "model-00003-of-00003.safetensors"))),
            "index", "model-00003"),
    at.laid("index without the embedding", at.shards(lambda index: index["weight_map"].pop(
        next(key for key in index["weight_map"] if "emb" in key or "wte" in key))),
            "index", "emb", "wte", silent=True),
    at.laid("weights cut", at.cut("model/model.safetensors", 0.7), "safetensors"),
    at.laid("weights empty", at.cut("model/model.safetensors", 0), "safetensors"),
    at.laid("tokenizer cut", at.cut("model/tokenizer.json", 0.5), "tokenizer.json"),
    at.laid("weights renamed", at.renamed("model/model.safetensors", "model/weights.safetensors"),
            "weights", "safetensors"),
    at.laid("weights in a folder", at.renamed("model/model.safetensors",
                                              "model/original/model.safetensors"), "safetensors"),
    at.laid("weights are a page", at.wrote("model/model.safetensors", "<!doctype html><html>"),
            "safetensors"),
    at.laid("bin beside", at.wrote("model/pytorch_model.bin", b"PK\x03\x04 no weights")),
    at.laid("no norm", at.without("norm"), "norm", silent=True),
    at.laid("links", at.linked),
    in_file("config.json", "transformers_version", "9.0.0"),
    in_file("config.json", "is_encoder_decoder", True),
    in_file("config.json", "return_dict", False),
    in_file("config.json", "output_hidden_states", True),
    in_file("config.json", "sliding_window", "no"),
    in_file("config.json", "tie_word_embeddings", True),
    in_file("config.json", "eos_token_id", []),
    in_file("config.json", "max_position_embeddings", 4, silent=True),
    in_file("config.json", "rope_theta", 0),
    in_file("config.json", "num_labels", 5),
    in_file("config.json", "id2label", {"0": "good"}),
    in_file("config.json", "intermediate_size", 0),
    in_file("config.json", "dtype", "float16"),
    in_file("generation_config.json", "cache_implementation", "statick"),
    in_file("generation_config.json", "max_new_tokens", 0),
    in_file("generation_config.json", "num_return_sequences", 2),
    in_file("generation_config.json", "return_dict_in_generate", True),
    in_file("generation_config.json", "stop_strings", ["x"]),
    in_file("generation_config.json", "eos_token_id", []),
    in_file("generation_config.json", "suppress_tokens", [9999]),
]  # fmt: skip
"""Files of the model."""

ROWS: list[Change] = [
    at.laid("a readme among the rows", at.wrote("data/README.md", "# Rows\n\nSome rows.\n")),
    at.laid("a card among the rows", at.wrote(
        "data/README.md", "---\nconfigs:\n- config_name: main\n  data_files: nothing/*.jsonl\n"
        "---\n"), "config", "data", "nothing", "readme"),
    at.laid("a hidden file", at.wrote("data/.DS_Store", b"\0\0\0\1Bud1")),
    at.laid("rows zipped", at.zipped, "train", fits=LINES),
    at.laid("rows in UTF-16", at.recoded("utf-16"), "utf", "train.jsonl", fits=LINES),
    at.laid("rows with a mark", at.recoded("utf-8-sig"), "train.jsonl", fits=LINES),
    at.laid("rows in a folder", at.renamed("data/train.jsonl", "data/train/part-0.jsonl"),
            fits=LINES),
    at.laid("rows below data", at.renamed("data/train.jsonl", "data/data/train-00000.jsonl"),
            "split", "train", fits=LINES),
    at.laid("rows by another name", at.renamed("data/train.jsonl", "data/training_rows.jsonl"),
            "split", "train", fits=LINES),
    at.laid("rows named validation", at.renamed("data/train.jsonl", "data/validation.jsonl"),
            "split", "train", fits=LINES),
    at.laid("another column in test", at.wrote("data/test.jsonl", '{"other": 1}\n'),
            "test", "column", "other", fits=LINES),
    rows("types differ", lambda row, at: {**row, "source": at if at % 2 else "a"}, "source"),
    rows("margin", lambda row, at: {**row, "margin": 0.5} if "chosen" in row else None),
    rows("ids", lambda row, at: {"input_ids": [5, 6, 7, 8]} if "text" in row else None,
         "input_ids"),
    rows("ids too large", lambda row, at: {"input_ids": [5, 600, 7]} if "text" in row else None,
         "input_ids", "600"),
    rows("labels as numbers", lambda row, at: {**row, "label": at % 2} if "label" in row else None,
         "label"),
    rows("labels all true", lambda row, at: {**row, "label": True} if "label" in row else None,
         "label"),
    rows("conversation empty", lambda row, at: {
        key: [] if isinstance(cell, list) else cell for key, cell in row.items()}
        if any(isinstance(cell, list) for cell in row.values()) else None, "empty", "messages"),
    rows("one turn, no list", lambda row, at: {
        key: cell[0] if isinstance(cell, list) else cell for key, cell in row.items()}
        if any(isinstance(cell, list) for cell in row.values()) else None, "list", "dict", "turn"),
    rows("a name in turns", lambda row, at: turned(row, name="bob")),
    rows("role developer", lambda row, at: turned(row, role="developer"), "developer", "role"),
    rows("tools", lambda row, at: {**row, "tools": [{"type": "function", "function": {
        "name": "add", "description": "Add.", "parameters": {"type": "object", "properties": {}}}}]}
        if any(isinstance(cell, list) for cell in row.values()) else None),
    rows("answers plain", lambda row, at: {
        key: cell[0]["content"] if key in ("completion", "chosen", "rejected") else cell
        for key, cell in row.items()}
        if isinstance(row.get("prompt"), list) and len(row) > 1 else None,
        "completion", "chosen", "prompt"),
    rows("from and value", lambda row, at: {"conversations": [
        {"from": "human", "value": "one two"}, {"from": "gpt", "value": "three"}]}
        if "messages" in row else None, "conversations", "from", "column"),
    rows("long", lambda row, at: long_rows(row, at) if any(
        isinstance(cell, str) for cell in row.values()) else None),
    several("mixture", {"dataset_name": None, "datasets": [{"path": "HERE/data"}]}, "sft", "dpo"),
    several("mixture of none", {"dataset_name": None, "datasets": [{"path": "HERE/none"}]},
            "sft", "dpo", words=("none",)),
    several("mixture, wrong key", {"dataset_name": None, "datasets": [
        {"path": "HERE/data", "splits": "train"}]}, "sft", "dpo", words=("splits",)),
    several("mixture, no such column", {"dataset_name": None, "datasets": [
        {"path": "HERE/data", "columns": ["question"]}]}, "sft", "dpo", words=("columns",)),
    several("mixture and name", {"datasets": [{"path": "HERE/data"}]}, "sft", "dpo"),
    reward("lambda", "length = lambda completions, **more: [1.0 for _ in completions]\n"),
    reward("partial", "from functools import partial\n\n\ndef base(completions, by, **more):\n"
           "    return [by for _ in completions]\n\n\nlength = partial(base, by=1.0)\n",
           "partial", "__name__"),
    reward("async", "async def length(completions, **more):\n"
           "    return [1.0 for _ in completions]\n", "async", "coroutine"),
    reward("tensor", "import torch\n\n\ndef length(completions, **more):\n"
           "    return torch.ones(len(completions))\n"),
    reward("tuple", "def length(completions, **more):\n"
           "    return tuple(1.0 for _ in completions)\n"),
    reward("positional", "def length(prompts, completions, **more):\n"
           "    return [float(len(one)) for one in completions]\n"),
    reward("instance", "class Length:\n    def __call__(self, completions, **more):\n"
           "        return [1.0 for _ in completions]\n\n\nlength = Length()\n", "__name__"),
    reward("bound", "class Length:\n    def score(self, completions, **more):\n"
           "        return [1.0 for _ in completions]\n\n\nlength = Length().score\n"),
    reward("open", "def length(completions, **more):\n    open('log.txt', 'a').write('x')\n"
           "    return [1.0 for _ in completions]\n"),
    reward("missing file", "WORDS = open('words.txt').read().split()\n\n\n"
           "def length(completions, **more):\n    return [1.0 for _ in completions]\n",
           "words.txt"),
]  # fmt: skip
"""Rows and rewards."""

PPO: list[Change] = [
    argument("local_rollout_forward_batch_size", 0, "ppo"),
    argument("kl_estimator", "k5", "ppo"),
    argument("num_ppo_epochs", 0, "ppo"),
    argument("missing_eos_penalty", -1.0, "ppo"),
    several("two stops", {"stop_token": "eos", "stop_token_id": 5}, "ppo"),
    argument("temperature", 0.0, "ppo"),
    argument("num_sample_generations", 100, "ppo"),
    argument("lam", 1.5, "ppo"),
    argument("total_episodes", 0, "ppo"),
    argument("batch_size", 3, "ppo"),
    argument("gamma", 2.0, "ppo"),
    argument("vf_coef", -1.0, "ppo"),
]
"""Arguments of PPO."""

THIRD: list[Change] = [*ARGUMENTS, *TRAINERS, *FILES, *ROWS, *PPO]
