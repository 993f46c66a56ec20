"""Threads of odd number, taken as plain searches gave them, rebuilt and counted before any rule."""

from dataclasses import replace

from reports.odd import roles
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
from reports.sixth.roles import LOADED, USED

ADAPTED = (
    "from trl import ModelConfig, get_peft_config\n"
    "adapter = get_peft_config(ModelConfig(model_name_or_path='model', use_peft={}))\n"
)
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


THREADS = (
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
        level="tiny",
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
        level="",
    ),
)
REPORTS = tuple(replace(report, group="odd") for report in (*THREADS, *roles.REPORTS))
