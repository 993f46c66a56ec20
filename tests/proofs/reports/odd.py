"""Threads of odd number, taken as plain searches gave them, rebuilt and counted before any rule."""

from collections.abc import Mapping
from dataclasses import replace

from reports.report import (
    COMPLETIONS,
    LABELLED,
    LENGTH,
    PREFERENCES,
    PROMPTS,
    REWARD,
    TEXT,
    Report,
    script,
)
from reports.sixth_roles import FIRST, LOADED, ROLES, STEPS, TOKENS, USED

OLD = (
    LOADED
    + """\
from trl import AutoModelForCausalLMWithValueHead, PPOConfig, PPOTrainer
model = AutoModelForCausalLMWithValueHead.from_pretrained('model')
reference = AutoModelForCausalLMWithValueHead.from_pretrained('model')
config = PPOConfig(mini_batch_size=1, batch_size=1, output_dir='out')
trainer = PPOTrainer(config, model, reference, tokenizer)
"""
)
ADAPTED = (
    "from trl import ModelConfig, get_peft_config\n"
    "adapter = get_peft_config(ModelConfig(model_name_or_path='model', use_peft={}))\n"
)
JUDGED = (
    LOADED + "from transformers import AutoModelForSequenceClassification\n"
    "scorer = AutoModelForSequenceClassification.from_pretrained('reward', num_labels=1)\n"
    "judge = AutoTokenizer.from_pretrained('reward')\n"
)
UNPADDED = """\
{"chat_template": null, "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>",
"model_input_names": ["input_ids", "attention_mask"], "model_max_length": 2048}
"""
COUNTED = """\
class Counted(GRPOTrainer):
    def _compute_loss(self, model, inputs):
        trained = int(inputs['completion_mask'].sum())
        divided = int(inputs['num_items_in_batch'])
        print('divides by more than is trained' if divided > trained else 'divides by it')
        return super()._compute_loss(model, inputs)
"""
FORMAT = """\
def format_rows(row):
    text = f"### Question: {{row['question']}}\\n### Answer: {{row['answer']}}"
    return {}
"""
ROWS = COMPLETIONS.replace('"prompt"', '"question"').replace('"completion"', '"answer"')
SAVED = {"save_strategy": "steps", "save_steps": 1}
RESUMED = """\
trainer.train()
args.max_steps = 2
trainer = SFTTrainer(model='model', args=args, train_dataset=rows)
trainer.train(resume_from_checkpoint='out/checkpoint-1')
"""
TRUSTED = "import os\nos.environ['TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD'] = '1'\n"
BEST = {
    **SAVED,
    "packing": True,
    "max_seq_length": 8,
    "eval_strategy": "steps",
    "eval_steps": 1,
    "load_best_model_at_end": True,
    "metric_for_best_model": "eval_loss",
}
EVALUATED = {"eval_dataset": "rows"}


def roles(
    given: Mapping[str, str] | None = None, before: str = ROLES, after: str = "trainer.train()\n"
) -> str:
    """A script of PPO in trl 0.12."""
    named = {**FIRST, "reward_model": "scorer", "value_model": "value", **(given or {})}
    text = script(
        "PPO",
        STEPS,
        {"model": "", "processing_class": "tokenizer", "eval_dataset": "rows", **named},
        before=before,
        after=after,
        data=TOKENS,
    )
    return text.replace("args=args", "config=args")


def leave_one_out(given: Mapping[str, str]) -> str:
    """A script of RLOO in trl 0.15."""
    named = {**FIRST, "reward_model": "scorer", "processing_class": "tokenizer", **given}
    text = script(
        "RLOO",
        {
            **STEPS,
            "num_sample_generations": None,
            "rloo_k": 2,
            "num_generations": None,
            "max_completion_length": None,
        },
        {"model": "", **named},
        before=ROLES,
        data=TOKENS,
    )
    return text.replace("args=args", "config=args")


FOUND = (
    Report(
        "huggingface/trl#2613",
        "grpo-first",
        "missing 2 required positional arguments",
        "reward_model|value_model|train_dataset",
        {"train.py": OLD, "rows.jsonl": PROMPTS},
        {
            "train.py": roles(before=ROLES)
            .replace("config=args", "args=args")
            .replace("policy=model", "model=model")
            .replace("ref_policy", "ref_model")
        },
    ),
    Report(
        "huggingface/trl#2641",
        "ppo-first",
        "index out of range",
        "vocab|embedding|sft",
        {
            "train.py": roles(
                before=ROLES.replace(
                    "model = AutoModelForCausalLM.from_pretrained('model')",
                    "model = AutoModelForCausalLM.from_pretrained('sft')",
                ).replace(
                    "reference = AutoModelForCausalLM.from_pretrained('model')",
                    "reference = AutoModelForCausalLM.from_pretrained('sft')",
                )
            ),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": roles()},
        small={"sft": "healthy"},
    ),
    Report(
        "huggingface/trl#3595",
        "ppo-first",
        "index out of range",
        "vocab|embedding|tokenizer.*reward|reward.*tokenizer",
        {"train.py": roles(before=ROLES.replace("'reward'", "'scorer'")), "rows.jsonl": PROMPTS},
        {"train.py": roles()},
        small={"scorer": "reward"},
    ),
    Report(
        "huggingface/trl#1927",
        "grpo-first",
        "Support for kto_pair has been removed",
        "kto_pair|loss_type",
        {
            "train.py": script("DPO", {"loss_type": "kto_pair"}, USED, before=LOADED),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("KTO", {}, USED, before=LOADED), "rows.jsonl": LABELLED},
    ),
    Report(
        "huggingface/trl#1907",
        "ppo-first",
        "KeyError",
        "eval_packing",
        {
            "train.py": script("SFT", {**BEST, "eval_packing": False}, EVALUATED),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", BEST, EVALUATED)},
    ),
    Report(
        "huggingface/trl#1349",
        "grpo-first",
        "PEFT",
        "peft",
        {
            "train.py": script("SFT", {}, {"peft_config": "adapter"}, before=ADAPTED.format(True)),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", {}, {"peft_config": "adapter"}, before=ADAPTED.format(False))},
    ),
    Report(
        "huggingface/trl#3825",
        "grpo-first",
        "NoneType",
        "eval_dataset|eval_strategy|evaluation",
        {"train.py": leave_one_out({}), "rows.jsonl": PROMPTS},
        {"train.py": leave_one_out(EVALUATED)},
    ),
    Report(
        "huggingface/trl#2353",
        "ppo-first",
        "'NoneType' object has no attribute",
        "ref_policy|ref_model",
        {"train.py": roles({"ref_policy": "None"}), "rows.jsonl": PROMPTS},
        {"train.py": roles()},
    ),
    Report(
        "huggingface/trl#2835",
        "grpo-first",
        "padding token",
        "reward_processing_class|judge|reward.*pad|pad.*reward",
        {
            "train.py": script(
                "OnlineDPO",
                {"max_new_tokens": 8},
                {**USED, "reward_model": "scorer", "reward_processing_class": "judge"},
                before=JUDGED,
            ),
            "rows.jsonl": PROMPTS,
            "reward/tokenizer_config.json": UNPADDED,
        },
        {
            "train.py": script(
                "OnlineDPO",
                {"max_new_tokens": 8},
                {**USED, "reward_model": "scorer", "reward_processing_class": "judge"},
                before=JUDGED + "judge.pad_token = judge.eos_token\n",
            ),
        },
    ),
    Report(
        "huggingface/trl#1669",
        "grpo-first",
        "ImportError|ModuleNotFoundError",
        "SFTScriptArguments|trl.commands",
        {
            "train.py": script(
                "SFT", before="from trl.commands.cli_utils import SFTScriptArguments\n"
            ),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", before="from trl import ScriptArguments\n")},
    ),
    Report(
        "huggingface/trl#2657",
        "ppo-first",
        "unexpected keyword argument 'resume_from_checkpoint'",
        "resume_from_checkpoint",
        {
            "train.py": roles(after="trainer.train(resume_from_checkpoint='out/checkpoint-2')\n"),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": roles()},
    ),
    Report(
        "huggingface/trl#6369",
        "four",
        "divides by more than is trained",
        "mask_truncated_completions",
        {
            "train.py": script(
                "GRPO",
                {"mask_truncated_completions": True, "loss_type": "dapo"},
                REWARD,
                before=LENGTH + COUNTED,
            ).replace("trainer = GRPOTrainer(", "trainer = Counted("),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "GRPO", {"loss_type": "dapo"}, REWARD, before=LENGTH + COUNTED
            ).replace("trainer = GRPOTrainer(", "trainer = Counted("),
        },
    ),
    Report(
        "huggingface/trl#3287",
        "grpo-first",
        "padding token",
        "pad(ding)?[ _]token",
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH), "rows.jsonl": PROMPTS},
        {},
        model={"tokenizer_config.json": {"pad_token": None}},
    ),
    Report(
        "huggingface/trl#3247",
        "ppo-first",
        "Weights only load failed",
        "rng_state|weights_only|resum",
        {"train.py": script("SFT", SAVED, after=RESUMED), "rows.jsonl": TEXT},
        {"train.py": TRUSTED + script("SFT", SAVED, after=RESUMED)},
    ),
    Report(
        "huggingface/trl#3583",
        "grpo-shapes",
        "Error",
        "formatting_func|format_rows",
        {
            "train.py": script(
                "SFT", {}, {"formatting_func": "format_rows"}, before=FORMAT.format("[text]")
            ),
            "rows.jsonl": ROWS,
        },
        {
            "train.py": script(
                "SFT", {}, {"formatting_func": "format_rows"}, before=FORMAT.format("text")
            )
        },
    ),
    Report(
        "unslothai/unsloth#1357",
        "current",
        "name 'trainer' is not defined",
        "'?trainer'? is not defined|defines? .*trainer",
        {
            "train.py": script("SFT", after="").rpartition("trainer =")[0]
            + "trainer.train(resume_from_checkpoint=True)\n",
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT")},
    ),
)
REPORTS = tuple(replace(one, group="odd") for one in FOUND)
