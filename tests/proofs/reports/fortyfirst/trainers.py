"""Threads of a forty-first list: classes and arguments of another release, or of one another."""

from reports.report import CHATS, PROMPTS, TEXT, Report, changed, rows

SEQ = '''\
"""LoRA fine-tuning of a small model: from the notebook of a course."""

from datasets import load_dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="commands.jsonl", split="train")
config = SFTConfig(
    output_dir="lora-finetuned",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    learning_rate=3e-4,
    max_seq_length=256,
    warmup_ratio=0.1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model="model",
    args=config,
    train_dataset=dataset,
    peft_config=LoraConfig(r=8, lora_alpha=16, task_type="CAUSAL_LM"),
)
trainer.train()
'''
SWAPPED = '''\
"""RLOO: completions of about twenty characters."""

from datasets import load_dataset
from trl import RLOOConfig, RLOOTrainer

dataset = load_dataset("json", data_files="tldr.jsonl", split="train")


def reward_len(completions, **kwargs):
    return [-abs(20 - len(completion)) for completion in completions]


training_args = RLOOTrainer(
    output_dir="Qwen2-0.5B-RLOO",
    per_device_train_batch_size=4,
    num_generations=2,
    max_completion_length=8,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = RLOOConfig(
    model="model",
    reward_funcs=reward_len,
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
'''
UNIT = '''\
"""Supervised fine-tuning, with the arguments that a unit of a course shows."""

from datasets import load_dataset
from trl import SFTTrainer

training_args = SFTTrainer(
    output_dir="./fine_tuned_model",
    per_device_train_batch_size=4,
    num_train_epochs=1,
    learning_rate=5e-5,
    save_steps=1000,
    gradient_accumulation_steps=16,
    logging_steps=50,
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model="model",
    args=training_args,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
)
trainer.train()
'''
JUDGED = '''\
"""Online DPO: a judge says which of two answers is the better one."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import BasePairwiseJudge, OnlineDPOConfig, OnlineDPOTrainer


class ShortJudge(BasePairwiseJudge):
    """The shorter answer is the better one."""

    def judge(self, prompts, completions, shuffle_order=True):
        return [int(len(second) < len(first)) for first, second in completions]


trainer = OnlineDPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    judge=ShortJudge(),
    args=OnlineDPOConfig(
        output_dir="online-dpo",
        per_device_train_batch_size=2,
        max_new_tokens=8,
        learning_rate=5e-7,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
'''
SHORT = '''\
def short(completions, **kwargs):
    """The shorter answer is the better one."""
    return [-float(len(text)) for text in completions]
'''
CHATTED = rows({"prompt": "The sea is"}, {"prompt": "A boat has"})
JUDGE = JUDGED[JUDGED.index("class ShortJudge") : JUDGED.index("\n\ntrainer = ")]
REPORTS = (
    Report(
        "jsboige/CoursIA#10328",
        "current",
        "got an unexpected keyword argument 'max_seq_length'",
        r"max_seq_length",
        {"train.py": SEQ, "commands.jsonl": TEXT},
        changed(
            SEQ, ("    max_seq_length=256,\n    warmup_ratio=0.1,\n", "    max_length=256,\n"),
        ),
    ),
    Report(
        "huggingface/trl#3801",
        "current",
        "got an unexpected keyword argument 'output_dir'",
        r"RLOOConfig|output_dir",
        {"train.py": SWAPPED, "tldr.jsonl": PROMPTS},
        changed(
            SWAPPED,
            ("training_args = RLOOTrainer(", "training_args = RLOOConfig("),
            ("trainer = RLOOConfig(", "trainer = RLOOTrainer("),
        ),
    ),
    Report(
        "huggingface.co/learn/smol-course/unit4/3",
        "current",
        "got an unexpected keyword argument 'output_dir'",
        r"SFTConfig|output_dir",
        {"train.py": UNIT, "chats.jsonl": CHATS},
        changed(
            UNIT,
            ("import SFTTrainer", "import SFTConfig, SFTTrainer"),
            ("training_args = SFTTrainer(", "training_args = SFTConfig("),
        ),
    ),
    Report(
        "MakazhanAlpamys/Soup#300",
        "current",
        "cannot import name 'BasePairwiseJudge'",
        r"BasePairwiseJudge|OnlineDPO|judge",
        {"train.py": JUDGED, "prompts.jsonl": CHATTED},
        changed(
            JUDGED,
            ("from trl import BasePairwiseJudge, OnlineDPOConfig, OnlineDPOTrainer",
             "from trl.experimental.online_dpo import OnlineDPOConfig, OnlineDPOTrainer"),
            (JUDGE, SHORT),
            ("judge=ShortJudge()", "reward_funcs=short"),
        ),
    ),
)  # fmt: skip
