"""Reports of GRPOTrainer, RLOOTrainer and PPOTrainer."""

from reports.report import CHAT_PROMPTS, LENGTH, PROMPTS, REWARD, TEXT, Report, rows, script

STREAMED = "load_dataset('json', data_files='rows.jsonl', split='train', streaming=True)"
BARE = "def score(prompts, completions):\n    return [float(len(one)) for one in completions]\n"
POSITIONAL = (
    "from functools import partial\n"
    "def formatted(strict, completions, **kwargs):\n    return [1.0 for _ in completions]\n"
    "score = partial(formatted, True, [])\n"
)
SOLVED = (
    "def score(completions, solution, **kwargs):\n"
    "    return [float(one in str(done)) for done, one in zip(completions, solution)]\n"
)
INDEXED = (
    "def score(completions, **kwargs):\n"
    "    return [float(len(one[0]['content'])) for one in completions]\n"
)
SOLUTIONS = rows(*({"prompt": "What is six?", "solution": str(n)} for n in range(4)))
PROBLEMS = rows(*({"problem": "What is six?", "solution": str(n)} for n in range(4)))
FROZEN = (
    "from peft import LoraConfig, PeftModel, get_peft_model\n"
    "from transformers import AutoModelForCausalLM\n"
    "if not __import__('os').path.exists('adapter'):\n"
    "    made = get_peft_model(AutoModelForCausalLM.from_pretrained('model'), "
    "LoraConfig(task_type='CAUSAL_LM'))\n"
    "    made.save_pretrained('adapter')\n"
    "model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained('model'), "
    "'adapter'{})\n"
)
COUNTED = (
    "trainer.train()\n"
    "print('trains', sum(one.requires_grad for one in trainer.model.parameters()), 'tensors')\n"
)

REPORTS = (
    Report(
        "huggingface/trl#2876",
        "grpo-first",
        "must be evenly divisible by the number of generations",
        "num_generations",
        {
            "train.py": script(
                "GRPO",
                {"per_device_train_batch_size": 1, "num_generations": 4},
                REWARD,
                before=LENGTH,
            ),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "GRPO",
                {"per_device_train_batch_size": 4, "num_generations": 4},
                REWARD,
                before=LENGTH,
            )
        },
    ),
    Report(
        "huggingface/trl#3199",
        "current",
        "GRPO requires at least 2 generations",
        "num_generations",
        {
            "train.py": script("GRPO", {"num_generations": 1}, REWARD, before=LENGTH),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
    ),
    Report(
        "huggingface/trl#2942",
        "grpo-first",
        "Error",
        "stream|Iterable",
        {
            "train.py": script("GRPO", {}, REWARD, before=LENGTH, data=STREAMED),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
    ),
    Report(
        "huggingface/trl#3213",
        "four",
        "Iterable datasets are not yet supported",
        "stream|Iterable",
        {
            "train.py": script("GRPO", {}, REWARD, before=LENGTH, data=STREAMED),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
    ),
    Report(
        "huggingface/trl#4939",
        "four",
        "unexpected keyword argument 'completion_ids'",
        "completion_ids|kwargs",
        {"train.py": script("GRPO", {}, REWARD, before=BARE), "rows.jsonl": PROMPTS},
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
    ),
    Report(
        "huggingface/trl#4825",
        "current",
        "multiple values for argument 'completions'",
        "multiple values",
        {"train.py": script("GRPO", {}, REWARD, before=POSITIONAL), "rows.jsonl": PROMPTS},
        {"train.py": script("GRPO", {}, REWARD, before=POSITIONAL.replace("True, []", "True"))},
        level="",
    ),
    Report(
        "huggingface/trl#4020",
        "current",
        "unexpected keyword argument 'reward_function'",
        "reward_function",
        {
            "train.py": script("GRPO", {}, {"reward_function": "score"}, before=LENGTH),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
    ),
    Report(
        "FareedKhan-dev/train-deepseek-r1#2",
        "grpo-first",
        "missing 1 required positional argument: 'solution'",
        "solution",
        {"train.py": script("GRPO", {}, REWARD, before=SOLVED), "rows.jsonl": PROMPTS},
        {"rows.jsonl": SOLUTIONS},
    ),
    Report(
        "unslothai/unsloth#2907",
        "current",
        "string indices must be integers",
        "string indices|conversation",
        {"train.py": script("GRPO", {}, REWARD, before=INDEXED), "rows.jsonl": PROMPTS},
        {"rows.jsonl": CHAT_PROMPTS},
    ),
    Report(
        "huggingface/open-r1#126",
        "grpo-first",
        "KeyError: 'prompt'",
        "prompt",
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH), "rows.jsonl": PROBLEMS},
        {"rows.jsonl": SOLUTIONS},
    ),
    Report(
        "huggingface/trl#4912",
        "current",
        "sync_ref_model=True` while `beta=0.0`",
        "sync_ref_model",
        {
            "train.py": script("GRPO", {"sync_ref_model": True}, REWARD, before=LENGTH),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {"sync_ref_model": True, "beta": 0.1}, REWARD, before=LENGTH)},
    ),
    Report(
        "huggingface/trl#6700",
        "current",
        "trains 0 tensors",
        "is_trainable|weights|trainable",
        {
            "train.py": script(
                "GRPO",
                {},
                {**REWARD, "model": "model"},
                before=LENGTH + FROZEN.format(""),
                after=COUNTED,
            ),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "GRPO",
                {},
                {**REWARD, "model": "model"},
                before=LENGTH + FROZEN.format(", is_trainable=True"),
                after=COUNTED,
            )
        },
    ),
    Report(
        "huggingface/trl#2843",
        "current",
        "Number of reward weights",
        "reward_weights",
        {
            "train.py": script("GRPO", {"reward_weights": [1.0, 0.5]}, REWARD, before=LENGTH),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {"reward_weights": [1.0]}, REWARD, before=LENGTH)},
    ),
    Report(
        "huggingface/trl#5964",
        "current",
        "unexpected keyword argument 'max_prompt_length'",
        "max_prompt_length",
        {
            "train.py": script("GRPO", {"max_prompt_length": 64}, REWARD, before=LENGTH),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
    ),
    Report(
        "modelscope/ms-swift#3268",
        "ppo-first",
        "cannot import name 'GRPOConfig'",
        "GRPO",
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH), "rows.jsonl": PROMPTS},
        {"train.py": script("SFT", {}), "rows.jsonl": TEXT},
    ),
)
