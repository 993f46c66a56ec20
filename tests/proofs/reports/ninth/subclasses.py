"""Threads of other repositories that plain searches gave: trainers that projects made of TRL's."""

from reports.report import CHATS, PROMPTS, Report, changed

SUPERVISED = """\
import json
from dataclasses import dataclass, field

from torch.utils.data import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import GRPOConfig, GRPOTrainer


@dataclass
class DataArguments:
    data_path: str = field(default="rows.jsonl")


class SupervisedDataset(Dataset):
    def __init__(self, data_path, processor):
        super().__init__()
        with open(data_path) as file:
            self.list_data_dict = [json.loads(line) for line in file]
        self.processor = processor

    def __len__(self):
        return len(self.list_data_dict)

    def __getitem__(self, i):
        user_input, gpt_response = self.list_data_dict[i]["messages"]
        return {
            "prompt": f"<|im_start|>user\\n{user_input['content']}<|im_end|>\\n",
            "answer": gpt_response["content"],
        }


class DataCollatorForSupervisedDataset:
    def __init__(self, pad_token_id):
        self.pad_token_id = pad_token_id

    def __call__(self, examples):
        return examples


def make_supervised_data_module(processor, data_args):
    sft_dataset = SupervisedDataset(data_args.data_path, processor)
    data_collator = DataCollatorForSupervisedDataset(pad_token_id=processor.pad_token_id)
    return dict(
        train_dataset=sft_dataset,
        eval_dataset=None,
        data_collator=data_collator,
    )


class QwenTrainer(GRPOTrainer):
    def __init__(self, processor, *args, **kwargs):
        super().__init__(*args, processing_class=processor, **kwargs)
        self.processor = processor


def reward_len(completions, **kwargs):
    return [-abs(50 - len(completion)) for completion in completions]


def train():
    (data_args,) = HfArgumentParser(DataArguments).parse_args_into_dataclasses([])
    training_args = GRPOConfig(
        output_dir="output/testing_lora",
        num_generations=2,
        max_completion_length=8,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        learning_rate=1e-4,
        max_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
    )
    model = AutoModelForCausalLM.from_pretrained("model")
    processor = AutoTokenizer.from_pretrained("model")
    data_module = make_supervised_data_module(processor, data_args)
    trainer = QwenTrainer(
        model=model,
        processor=processor,
        args=training_args,
        reward_funcs=[reward_len],
        **data_module,
    )
    trainer.train()
    trainer.save_state()


if __name__ == "__main__":
    train()
"""
DIFFUSION = """\
import os

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


class DiffuGRPOTrainer(GRPOTrainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._buffered_inputs = [None] * self.args.gradient_accumulation_steps

    def _prepare_inputs(self, inputs):
        mode = "eval" if self.control.should_evaluate else "train"
        if mode == "train":
            turn = self._step % self.args.gradient_accumulation_steps
            if self.state.global_step % self.num_iterations == 0:
                inputs = self._generate_and_score_completions(inputs)
                self._buffered_inputs[turn] = inputs
            else:
                inputs = self._buffered_inputs[turn]
            self._step += 1
        else:
            # Evaluation makes its own completions
            inputs = self._generate_and_score_completions(inputs)
        return inputs


def correctness_reward(completions, **kwargs):
    return [float(len(completion) % 5) for completion in completions]


def main(max_steps, checkpoint_path=None):
    train_set = load_dataset("json", data_files="rows.jsonl", split="train")
    grpo_config = GRPOConfig(
        output_dir="checkpoint/RUNNAME",
        learning_rate=3e-6,
        num_iterations=2,
        num_generations=2,
        max_completion_length=8,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        max_steps=max_steps,
        save_steps=1,
        logging_steps=1,
        report_to="none",
        use_cpu=True,
        bf16=False,
    )
    trainer = DiffuGRPOTrainer(
        args=grpo_config,
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        reward_funcs=[correctness_reward],
        train_dataset=train_set,
    )
    trainer.train(resume_from_checkpoint=checkpoint_path)


if __name__ == "__main__":
    last = "checkpoint/RUNNAME/checkpoint-1"
    if not os.path.isdir(last):
        main(max_steps=1)
    main(max_steps=2, checkpoint_path=last)
"""
REPORTS = (
    Report(
        "2U1/Qwen-VL-Series-Finetune#62",
        "grpo-first",
        "unexpected keyword argument 'data_collator'",
        "data_collator",
        {"train.py": SUPERVISED, "rows.jsonl": CHATS},
        changed(SUPERVISED, ("        data_collator=data_collator,\n", "")),
    ),
    Report(
        "dllm-reasoning/d1#14",
        "grpo-shapes",
        "'NoneType' object is not subscriptable",
        "_buffered_inputs|_prepare_inputs|resum[^.]*(buffer|num_iterations|completions|inputs)",
        {"train.py": DIFFUSION, "rows.jsonl": PROMPTS},
        changed(
            DIFFUSION,
            (
                "self.num_iterations == 0:",
                "self.num_iterations == 0 or self._buffered_inputs[turn] is None:",
            ),
        ),
        level="",
    ),
)
