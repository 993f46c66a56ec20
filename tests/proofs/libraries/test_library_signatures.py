"""Signatures of installed libraries: the reported calls fail, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran, reports
from laid import ROOT, Interpreter

CALLS = {
    "peft.LoraConfig(r=4, target_modules=['q_proj'], task_type='CAUSAL_LM')": False,
    "peft.LoraConfig(targets=['q_proj'])": True,
    "peft.get_peft_model(None)": True,
    "peft.prepare_model_for_kbit_training(None, 1, None, True, 2)": True,
    "datasets.Dataset.from_dict({'text': ['a']})": False,
    "datasets.Dataset.from_dict({'text': ['a']}, feature=None)": True,
    "datasets.concatenate_datasets()": True,
    "datasets.Dataset.from_dict({'text': ['a']}).map(dict, batched=True, num_proc=None)": False,
    "datasets.Dataset.from_dict({'text': ['a']}).map(dict, batch=True)": True,
    "datasets.Dataset.from_dict({'text': ['a']}).shuffle(seed=1).select([0], indexes=1)": True,
    "datasets.Dataset.from_dict({'text': ['a', 'b']}).train_test_split(test_sise=1)": True,
    "datasets.DatasetDict({}).map(dict, cache_file_names={})": False,
    "datasets.DatasetDict({}).filter(dict, num_procs=2)": True,
    "datasets.Dataset.from_dict({'text': ['a']}).to_list().sort(key=str)": False,
    "transformers.set_seed(1)": False,
    "transformers.set_seed(1, True, 2)": True,
    "transformers.set_seed(seeds=1)": True,
    "transformers.BitsAndBytesConfig(anything=1)": False,
    "transformers.GenerationConfig(anything=1)": False,
    "accelerate.Accelerator(mixed_precision='no')": False,
    "accelerate.Accelerator(mixed_precison='no')": True,
}
"""Calls, and whether each is refused with a TypeError."""

RULE = "argument-not-in-signature"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four", "ppo-first"])
def test_reported_calls_are_refused(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    has_peft = ran(python, "-c", "import peft", cwd=tmp_path).returncode == 0
    calls = {call: bad for call, bad in CALLS.items() if has_peft or not call.startswith("peft.")}
    imports = "import datasets, transformers, accelerate" + (", peft" if has_peft else "")
    script = tmp_path / "train.py"
    lines = "\n".join(calls)
    script.write_text(f"{imports}\n{lines}\nfrom trl import SFTTrainer\nSFTTrainer('model')\n")
    (report,) = reports([script], python, "--level", "files", statuses=(0, 1, 2, 3))
    (check,) = (check for check in report["checks"] if check["rule"] == RULE)
    numbers = {finding["line"] - 2 for finding in check["findings"]}
    tried = "\n".join(
        f"try:\n    {call}\nexcept TypeError:\n    print({number})"
        for number, call in enumerate(calls)
    )
    process = ran(python, "-c", f"{imports}\n{tried}", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    refused = set(map(int, process.stdout.split()))
    assert refused == {number for number, bad in enumerate(calls.values()) if bad} == numbers


MODEL = (
    "use_auth_token='x'", "use_flash_attention_2=True", "token=None", "resume_download=True",
    "llm_int8_threshold=6.0", "bnb_4bit_use_double_quant=True", "attn_implementaton='eager'",
    "attn_implementation='eager'", "max_seq_length=64", "device_map=None", "use_cache=False",
    "attention_dropout=0.1", "low_cpu_mem_usage=True", "load_in_4bit=True",
)  # fmt: skip
DATA = ("split='train'", "spilt='train'", "use_auth_token=True", "ignore_verifications=True",
        "verification_mode='no_checks'", "field=None", "trust_remote_code=False")  # fmt: skip
"""Arguments of loading: some that every release takes, some that only older ones take, or none."""

ELSEWHERE = ("bitsandbytes", "FlashAttention2")
"""What a release asks for that takes the argument."""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four", "ppo-first"])
def test_what_a_loader_does_not_take_is_refused(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, model = interpreter(environment), str(ROOT / "fixtures/models/healthy")
    (tmp_path / "rows.jsonl").write_text('{"text": "a"}\n')
    head = "from transformers import AutoModelForCausalLM\nfrom datasets import load_dataset\n"
    head += "from trl import SFTTrainer\n"
    calls = [f"load_dataset('json', data_files='rows.jsonl', {words})" for words in DATA]
    calls += [f"AutoModelForCausalLM.from_pretrained({model!r}, {words})" for words in MODEL]
    script = tmp_path / "train.py"
    script.write_text(head + "model = " + "\nmodel = ".join(calls) + "\nSFTTrainer(model)\n")
    (report,) = reports([script], python, "--level", "files", statuses=(0, 1, 2, 3))
    rule = "argument-refused-by-loader"
    (check,) = (check for check in report["checks"] if check["rule"] == rule)
    lines = [finding["line"] - head.count("\n") - 1 for finding in check["findings"]]
    tried = "\n".join(
        f"try:\n    {call}\nexcept TypeError:\n    print('refused', {number})\n"
        f"except Exception as error:\n    assert any(word in str(error) for word in {ELSEWHERE})"
        for number, call in enumerate(calls)
    )
    process = ran(python, "-c", head + tried, cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    refused = [line for line in process.stdout.splitlines() if line.startswith("refused ")]
    assert sorted(lines) == [int(line.split()[1]) for line in refused], "each has one finding"
    assert {"spilt='train'", "attn_implementaton='eager'"} <= {(*DATA, *MODEL)[n] for n in lines}
