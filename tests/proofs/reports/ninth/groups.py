"""Threads of other repositories that plain searches gave: groups and their rewards."""

from reports.report import ASKED, Report, changed, rows

CHINESE = '''\
import re

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

SYSTEM_PROMPT = """
Answer like this:
<think>
...
</think>
<answer>
...
</answer>
"""


def process_data(data):
    data = data.map(lambda x: {
        "prompt": [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": x["question_zh-cn"]},
        ],
        "answer": x["answer_only"],
    })
    return data


def extract_answer(text):
    answer = text.split("<answer>")[-1]
    answer = answer.split("</answer>")[0]
    return answer.strip()


def mark_num(text):
    reward = 0
    for mark in ("<think>\\n", "</think>\\n", "<answer>\\n", "</answer>\\n"):
        if text.count(mark) == 1:
            reward += 0.125
    return reward


def correctness_reward(prompts, completions, answer, **kwargs):
    responses = [completion[0]["content"] for completion in completions]
    extracted_responses = [extract_answer(r) for r in responses]
    return [
        2.0 if response == str(ans) else 0.0
        for response, ans in zip(extracted_responses, answer)
    ]


# The answer may be wrong and still be a number
def digit_reward(completions, **kwargs):
    responses = [completion[0]["content"] for completion in completions]
    return [0.5 if extract_answer(r).isdigit() else 0.0 for r in responses]


def soft_format_reward(completions, **kwargs):
    pattern = r"<think>.*?</think>\\s*<answer>.*?</answer>"
    responses = [completion[0]["content"] for completion in completions]
    return [0.5 if re.match(pattern, response) else 0.0 for response in responses]


def mark_reward(completions, **kwargs):
    responses = [completion[0]["content"] for completion in completions]
    return [mark_num(response) + len(response) / 1000 for response in responses]


if __name__ == "__main__":
    model_name = "model"
    model = AutoModelForCausalLM.from_pretrained(model_name)
    tokenizer = AutoTokenizer.from_pretrained(model_name)

    ds = load_dataset("json", data_files={"train": "rows.jsonl"})
    data = process_data(ds["train"])
    output_dir = "output"

    training_args = GRPOConfig(
        output_dir=output_dir,
        learning_rate=5e-6,
        adam_beta1=0.9,
        adam_beta2=0.99,
        weight_decay=0.1,
        warmup_ratio=0.1,
        lr_scheduler_type="cosine",
        logging_steps=1,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=4,
        num_generations=16,
        max_prompt_length=256,
        max_completion_length=8,
        max_steps=1,
        save_steps=100,
        max_grad_norm=0.1,
        log_on_each_node=False,
        use_vllm=False,
        report_to="none",
        use_cpu=True,
        bf16=False,
    )
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=[mark_reward, soft_format_reward, digit_reward, correctness_reward],
        args=training_args,
        train_dataset=data,
    )
    trainer.train()
    trainer.save_model(output_dir)
'''
GOLD = """\
import copy
import json
import re

from torch.utils.data import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

SYSTEM_MESSAGE = "You are a helpful assistant."
ROLES = {"human": "user", "gpt": "assistant"}


class GRPODataset(Dataset):
    def __init__(self, data_path, processor):
        super().__init__()
        self.processor = processor
        self.list_data_dict = [json.loads(line) for line in open(data_path)]

    def __len__(self):
        return len(self.list_data_dict)

    def __getitem__(self, i):
        sources = copy.deepcopy(self.list_data_dict[i]["conversations"])
        turns = [{"role": ROLES[one["from"]], "content": one["value"]} for one in sources]
        user_input, gpt_response = turns[0], turns[1]
        system_message = f"<|im_start|>system\\n{SYSTEM_MESSAGE}<|im_end|>\\n"
        user_message = (
            f"<|im_start|>{user_input['role']}\\n{user_input['content']}<|im_end|>\\n"
            f"<|im_start|>{gpt_response['role']}\\n"
        )
        return dict(
            prompt=system_message + user_message,
            solution=gpt_response["content"],
        )


def accuracy_reward(completions, assistant, **kwargs):
    rewards = []
    for completion, sol in zip(completions, assistant):
        rewards.append(float(completion.strip().lower() == sol.strip().lower()))
    return rewards


def format_reward(completions, **kwargs):
    pattern = r"^<think>\\n.*?\\n</think>\\n<answer>\\n.*?\\n</answer>$"
    found = [re.match(pattern, content, re.DOTALL | re.MULTILINE) for content in completions]
    return [1.0 if one else len(text) / 1000 for one, text in zip(found, completions)]


def make_grpo_data_module(processor, data_path):
    return dict(train_dataset=GRPODataset(data_path, processor), eval_dataset=None)


def train():
    model = AutoModelForCausalLM.from_pretrained("model")
    processor = AutoTokenizer.from_pretrained("model")
    training_args = GRPOConfig(
        output_dir="output/test_grpo",
        num_generations=2,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        max_completion_length=8,
        learning_rate=5e-6,
        remove_unused_columns=False,
        weight_decay=0.1,
        lr_scheduler_type="cosine",
        logging_steps=1,
        max_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    )
    dataset_module = make_grpo_data_module(processor, "rows.jsonl")
    trainer = GRPOTrainer(
        model=model,
        train_dataset=dataset_module["train_dataset"],
        eval_dataset=dataset_module["eval_dataset"],
        processing_class=processor,
        reward_funcs=[accuracy_reward, format_reward],
        args=training_args,
    )
    trainer.train()
    trainer.save_state()


if __name__ == "__main__":
    train()
"""
SUMS = rows(*({"question_zh-cn": asked, "answer_only": str(n)} for n, asked in enumerate(ASKED)))
TALKS = rows(
    *(
        {
            "id": str(n),
            "conversations": [
                {"from": "human", "value": asked},
                {"from": "gpt", "value": f"<answer>\n{n}\n</answer>"},
            ],
        }
        for n, asked in enumerate(ASKED)
    )
)
REPORTS = (
    Report(
        "wyf3/llm_related#13",
        "grpo-first",
        "must be evenly divisible by the number of generations",
        "num_generations|generations",
        {"train.py": CHINESE, "rows.jsonl": SUMS},
        changed(CHINESE, ("train_batch_size=1,", "train_batch_size=16,")),
    ),
    Report(
        "2U1/Qwen-VL-Series-Finetune#234",
        "four",
        "missing 1 required positional argument: 'assistant'",
        "(column|argument|parameter|rows|give).{0,60}\\bassistant\\b|['`]assistant['`]",
        {"train.py": GOLD, "rows.jsonl": TALKS},
        changed(GOLD, ('solution=gpt_response["content"]', 'assistant=gpt_response["content"]')),
        level="",
    ),
)
