"""Scripts of many shapes that train, and the rows and settings that they read."""

from __future__ import annotations

import json
from typing import Any

HEAD = """\
from datasets import Dataset, load_dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
"""
GIVEN = "'out', use_cpu=True, bf16=False, max_steps=2, report_to='none', learning_rate=1e-3"
GROUP = f"{GIVEN}, num_generations=2, per_device_train_batch_size=4, max_completion_length=12"
REWARD = """\
def length(completions, **kwargs):
    return [float(len(str(completion)) % 7) for completion in completions]
"""
BOTH = """\
tok = AutoTokenizer.from_pretrained('model')
model = AutoModelForCausalLM.from_pretrained('model')
"""
BLOCKS = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\\n"
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}"
    "{% else %}{{ m.content }}<|im_end|>{% endif %}\\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\\n{% endif %}"
)


def files() -> dict[str, str]:
    """Rows of each kind and one file of settings, by their names."""
    numbers = range(16)
    turns = [[{"role": "user", "content": f"q{n}"}, {"role": "assistant", "content": f"a{n}"}]
             for n in numbers]  # fmt: skip
    tables: dict[str, list[dict[str, Any]]] = {
        "text": [{"text": f"Question {n}? Answer {n}."} for n in numbers],
        "talk": [{"messages": turn} for turn in turns],
        "pairs": [{"prompt": f"q{n}", "chosen": " good" * (n % 4 + 1), "rejected": " bad"}
                  for n in numbers],
        "talks": [{"chosen": turn, "rejected": [turn[0], {**turn[1], "content": "no"}]}
                  for turn in turns],
        "labels": [{"prompt": f"q{n}", "completion": f" a{n}", "label": n % 2 == 0}
                   for n in numbers],
        "prompt": [{"prompt": f"{n} + 1 = ", "answer": str(n + 1)} for n in numbers],
        "ask": [{"prompt": turn[:1], "solution": str(n)} for n, turn in enumerate(turns)],
        "alpaca": [{"instruction": f"Do {n}", "input": "", "output": f"done {n}"}
                   for n in numbers],
        "sharegpt": [{"conversations": [{"from": "human", "value": f"q{n}"},
                                        {"from": "gpt", "value": f"a{n}"}]} for n in numbers],
    }  # fmt: skip
    settings = "output_dir: out\nlearning_rate: 1.0e-3\nmax_steps: 2\nuse_cpu: true\nbf16: false\n"
    row_files = {
        f"{name}.jsonl": "".join(json.dumps(row) + "\n" for row in rows)
        for name, rows in tables.items()
    }
    return {**row_files, "settings.yaml": settings + "report_to: none\nmax_length: 64\n"}


def sft(given: str = "", handed: str = "", rows: str = "text", before: str = BOTH) -> str:
    """A script that makes an SFTTrainer."""
    return _script("SFT", f"{GIVEN}, {given}", f"model, {handed}".rstrip(", "), rows, before)


def group(given: str = "", handed: str = "", rows: str = "prompt", before: str = "") -> str:
    """A script that makes a GRPOTrainer."""
    handed = handed or "reward_funcs=length"
    return _script("GRPO", f"{GROUP}, {given}", f"'model', {handed}", rows, REWARD + before)


def preference(trainer: str, rows: str, given: str = "", handed: str = "model", **more: str) -> str:
    """A script that makes a trainer of pairs or of labelled rows."""
    handed = f"{handed}, processing_class=tok"
    return _script(trainer, f"{GIVEN}, {given}", handed, rows, more.get("before", BOTH))


def _script(trainer: str, given: str, handed: str, rows: str, before: str) -> str:
    return (
        f"{HEAD}from trl import {trainer}Config, {trainer}Trainer\n"
        f"ds = load_dataset('json', data_files='{rows}.jsonl', split='train')\n{before}"
        f"arguments = {trainer}Config({given})\n"
        f"{trainer}Trainer({handed}, args=arguments, train_dataset=ds).train()\n"
    )


def lora(words: str) -> str:
    """The text that hands an adapter to a trainer."""
    return f"peft_config=__import__('peft').LoraConfig(r=4, {words})"


SCORER = """\
tok = AutoTokenizer.from_pretrained('model')
model = AutoModelForSequenceClassification.from_pretrained('model', num_labels=1)
model.config.pad_token_id = tok.pad_token_id
"""
JUDGES = """\
from functools import partial
def weighted(completions, solution, scale=1.0, **kwargs):
    return [scale * (s in c[0]['content']) + 0.1 * (len(c[0]['content']) % 3)
            for c, s in zip(completions, solution)]
half = partial(weighted, scale=0.5)
half.__name__ = 'half'
class Judge:
    __name__ = 'judge'
    def __call__(self, prompts, completions, **kwargs):
        return [float(len(c[0]['content']) % 5) for c in completions]
"""
METRICS = """\
parts = ds.train_test_split(test_size=4, seed=0)
ds = parts['train']
def metrics(prediction):
    return {'n': float(len(prediction.label_ids))}
def smaller(logits, labels):
    return (logits[0] if isinstance(logits, tuple) else logits).argmax(-1)
"""
EVALUATED = (
    "eval_strategy='steps', eval_steps=2, save_strategy='steps', save_steps=2, "
    "load_best_model_at_end=True, metric_for_best_model='eval_n'"
)
OWN_CLASS = """\
class Mine(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        out = model(**inputs)
        return (out.loss, out) if return_outputs else out.loss
"""
RENAMED = """\
ROLES = {'human': 'user', 'gpt': 'assistant'}
def talk(batch):
    return {'messages': [[{'role': ROLES[t['from']], 'content': t['value']} for t in turns]
                         for turns in batch['conversations']]}
ds = ds.map(talk, batched=True, remove_columns=ds.column_names)
"""
RUNNER = f"""\
{HEAD}from trl import SFTConfig, SFTTrainer
class Runner:
    def __init__(self, path, rate=1e-3):
        self.path, self.rate = path, rate
        self.tok = AutoTokenizer.from_pretrained(path)
    def rows(self):
        return load_dataset('json', data_files='text.jsonl', split='train')
    def go(self):
        config = SFTConfig({GIVEN})
        config.learning_rate = self.rate
        given = dict(train_dataset=self.rows(), processing_class=self.tok)
        trainer = SFTTrainer(self.path, config, **given)
        trainer.train()
        trainer.save_model('out/final')
if __name__ == '__main__':
    Runner('model').go()
"""
DATACLASS = f"""\
{HEAD}from dataclasses import asdict, dataclass
from trl import GRPOConfig, GRPOTrainer
@dataclass
class Settings:
    output_dir: str = 'out'
    num_generations: int = 2
    per_device_train_batch_size: int = 4
    max_completion_length: int = 12
    use_cpu: bool = True
    bf16: bool = False
    max_steps: int = 2
    report_to: str = 'none'
    learning_rate: float = 1e-3
ds = load_dataset('json', data_files='prompt.jsonl', split='train')
{REWARD}arguments = GRPOConfig(**asdict(Settings()))
GRPOTrainer('model', [length], args=arguments, train_dataset=ds).train()
"""
YAML = f"""\
{HEAD}import yaml
from trl import SFTConfig, SFTTrainer
settings = yaml.safe_load(open('settings.yaml'))
ds = load_dataset('json', data_files='text.jsonl', split='train')
SFTTrainer('model', args=SFTConfig(**settings), train_dataset=ds).train()
"""
STREAMED = "ds = load_dataset('json', data_files='text.jsonl', split='train', streaming=True)\n"
TOKENS = "tok.add_special_tokens({'additional_special_tokens': ['<think>', '</think>']})\n"
FORMAT = (
    "def form(row):\n    return f\"Q: {row['instruction']} A: {row['output']}\" + tok.eos_token\n"
)

SHAPES: dict[str, str] = {
    "sft packed": sft("packing=True, max_length=32, per_device_train_batch_size=1"),
    "sft lora by one name": sft(handed=lora("target_modules=['q_proj']")),
    "sft lora by a pattern": sft(handed=lora(r"target_modules=r'.*\.(q|v)_proj'")),
    "sft lora and whole modules": sft(
        handed=lora("target_modules='all-linear', modules_to_save=['lm_head', 'embed_tokens']")
    ),
    "sft adapted before": sft(
        before=BOTH + "from peft import LoraConfig, get_peft_model\n"
        "model = get_peft_model(model, LoraConfig(r=4, target_modules=['q_proj']))\n"
    ),
    "sft of tokens": sft(
        "dataset_kwargs={'skip_prepare_dataset': True}",
        before=BOTH + "ds = ds.map(lambda row: tok(row['text']), remove_columns=['text'])\n",
    ),
    "sft with metrics": sft(
        EVALUATED,
        "eval_dataset=parts['test'], compute_metrics=metrics, "
        "preprocess_logits_for_metrics=smaller",
        before=BOTH + METRICS,
    ),
    "sft of a class of its own": sft(before=BOTH + OWN_CLASS).replace("\nSFTTrainer(", "\nMine("),
    "sft with formatting_func": sft(
        handed="formatting_func=form", rows="alpaca", before=BOTH + FORMAT
    ),
    "sft of renamed turns": sft(rows="sharegpt", before=BOTH + RENAMED),
    "sft with added tokens": sft(
        handed="processing_class=tok",
        rows="talk",
        before=f"{BOTH}{TOKENS}model.resize_token_embeddings(len(tok))\n",
    ),
    "sft of answers only": sft(
        "assistant_only_loss=True",
        "processing_class=tok",
        rows="talk",
        before=f'{BOTH}tok.chat_template = "{BLOCKS}"\n',
    ),
    "sft streamed": sft(before=BOTH + STREAMED),
    "sft in a class": RUNNER,
    "sft by yaml": YAML,
    "dpo": preference("DPO", "pairs", "precompute_ref_log_probs=True"),
    "dpo of talks": preference("DPO", "talks", "max_length=64"),
    "dpo of two losses": preference(
        "DPO", "pairs", "loss_type=['sigmoid', 'sft'], loss_weights=[1.0, 0.2]"
    ),
    "kto": preference("KTO", "labels", "per_device_train_batch_size=4"),
    "reward": preference("Reward", "pairs", before=SCORER),
    "grpo": group(),
    "grpo of three judges": group(
        "reward_weights=[1.0, 0.5, 0.1]",
        "reward_funcs=[length, half, Judge()]",
        rows="ask",
        before=JUDGES,
    ),
    "grpo as dr. grpo": group(
        "loss_type='dr_grpo', num_iterations=2, epsilon_high=0.28, beta=0.04, "
        "gradient_accumulation_steps=2"
    ),
    "grpo with evaluation": group(
        "eval_strategy='steps', eval_steps=2, per_device_eval_batch_size=4",
        "reward_funcs=length, eval_dataset=ds.select(range(12, 16))",
    ),
    "grpo with lora": group(
        "gradient_checkpointing=True, gradient_checkpointing_kwargs={'use_reentrant': False}",
        f"reward_funcs=length, {lora('''target_modules=['q_proj']''')}",
    ),
    "grpo by a dataclass": DATACLASS,
    "rloo": group().replace("GRPO", "RLOO"),
}
"""Scripts that train, by name."""
