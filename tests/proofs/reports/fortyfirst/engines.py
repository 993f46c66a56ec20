"""Threads of a forty-first list: what the engine is told of how it is to generate."""

from reports.report import CHAT_PROMPTS, PROMPTS, Report, changed

SEARCH = '''\
"""GRPO with searches: the generation is to stop where the model asks for one."""

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.add_tokens(["<search>"])
search_token_id = tokenizer.convert_tokens_to_ids("<search>")


def asks(completions, **kwargs):
    return [float("<search>" in text) + len(text) / 100 for text in completions]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=asks,
    args=GRPOConfig(
        output_dir="grpo-search",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=8,
        learning_rate=1e-6,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="questions.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.sampling_params.stop_token_ids = [search_token_id]
trainer.train()
'''
ENDS = '''\
"""GRPO on an instruct model: short answers are worth more."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

END_OF_TURN = 298
behind = []


def short(completions, completion_ids, **kwargs):
    behind.extend(END_OF_TURN in ids[:-1] for ids in completion_ids)
    return [-len(ids) + len(one[0]["content"]) / 99
            for ids, one in zip(completion_ids, completions)]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=short,
    args=GRPOConfig(
        output_dir="qwen-grpo",
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=64,
        learning_rate=1e-6,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
)
trainer.train()
print("some answers go on behind the end of the turn:", any(behind))
'''
TRUNCATED = '''\
"""GRPO with a colocated engine, and the sampling that the model's card names."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def distinct(completions, **kwargs):
    return [float(len(set(text))) for text in completions]


if __name__ == "__main__":
    trainer = GRPOTrainer(
        model="model",
        reward_funcs=distinct,
        args=GRPOConfig(
            output_dir="grpo",
            use_vllm=True,
            vllm_mode="colocate",
            vllm_gpu_memory_utilization=0.3,
            temperature=1.0,
            top_p=0.8,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=8,
            learning_rate=1e-6,
            logging_steps=1,
            max_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    )
    trainer.train()
    weights = trainer.state.log_history[0]["sampling/importance_sampling_ratio/mean"]
    print("tokens weigh less than nine tenths:", weights < 0.9)
'''
NOT_THE_TURN = {"eos_token_id": 296, "pad_token_id": 299}
REPORTS = (
    Report(
        "huggingface/trl#3425",
        "current",
        "object has no attribute 'sampling_params'",
        r"sampling_params|generation_kwargs",
        {"train.py": SEARCH, "questions.jsonl": PROMPTS},
        changed(
            SEARCH,
            ("trainer.sampling_params.stop_token_ids = [search_token_id]\n", ""),
            ("        learning_rate=1e-6,\n", "        learning_rate=1e-6,\n"
             "        generation_kwargs={\n"
             '            "eos_token_id": [tokenizer.eos_token_id, search_token_id]\n        },\n'),
        ),
    ),
    Report(
        "huggingface/trl#3201",
        "current",
        "go on behind the end of the turn: True",
        r"\b(eos|end of (a|the) turn|ends? a turn|im_end|stop)",
        {"train.py": ENDS, "chats.jsonl": CHAT_PROMPTS},
        {},
        model={
            "tokenizer_config.json": {"eos_token": "<|endoftext|>"},
            "generation_config.json": NOT_THE_TURN,
            "config.json": NOT_THE_TURN,
        },
    ),
    Report(
        "huggingface/trl#6789",
        "engine",
        "tokens weigh less than nine tenths: True",
        r"top_p",
        {"train.py": TRUNCATED, "prompts.jsonl": PROMPTS},
        changed(TRUNCATED, ("            top_p=0.8,\n", "")),
    ),
)  # fmt: skip
