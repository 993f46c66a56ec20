"""Problem reports whose causes only a rehearsal finds; their healthy forms have no such finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import Interpreter
from rehearsing import findings_by_rule, rehearsal
from reports.collection import of_threads
from reports.report import Report

CAUSES = {
    "PrimeIntellect-ai/prime-rl#2494": "data-column-unused",
    "axolotl-ai-cloud/axolotl#3824": "data-tool-calls-lost",
    "ruimalheiro/gradient-garden#114": "data-system-messages-lost",
    "Liquid4All/liquid-finetune#37": "step-rows-lost",
    "MakazhanAlpamys/Soup#682": "step-loss-reads-masked-tokens",
    "HazyResearch/cartridges#20": "dataloader-workers-cannot-start",
    "OpenSenseNova/SenseNova-SI#31": "script-fails",
    "THUDM/GLM#70": "step-attends-to-padding",
    "choderalab/modelforge#129": "training-rows-never-shuffled",
    "huggingface/trl#5813": "reward-texts-lack-end-token",
    "Roblox/FAI-RL#96": "argument-of-file-never-read",
    "areal-project/AReaL#1427": "step-labels-miss-answers",
    "agokrani/distillKitPlus#5": "step-gradients-grow-with-batches",
    "axolotl-ai-cloud/axolotl#73": "step-raises",
    "datawhalechina/happy-llm#50": "step-rows-lost",
    "foundation-model-stack/fms-hf-tuning#492": "step-rows-lost",
    "fw-ai/cookbook#388": "step-loss-skips-tokens",
    "google-deepmind/gemma#48": "step-loss-leaves-out-rows",
    "herniqeu/extract0#1": "evaluation-of-training-rows",
    "hiyouga/LlamaFactory#4045": "data-labels-in-blocks",
    "huggingface/blog#2005": "argument-function-never-called",
    "huggingface/lerobot#3459": "adapter-replaced-by-another",
    "huggingface/peft#1729": "train-dataset-is-no-dataset",
    "huggingface/peft#2898": "script-fails",
    "huggingface/transformers#12618": "evaluation-never-runs",
    "huggingface/transformers#1726": "step-raises",
    "huggingface/transformers#22634": "evaluation-raises",
    "huggingface/transformers#27517": "step-loss-not-shifted",
    "huggingface/transformers#37593": "evaluation-raises",
    "huggingface/transformers#39736": "evaluation-loses-outputs",
    "huggingface/trl#1053": "evaluation-has-no-loss",
    "huggingface/trl#1724": "data-labels-all-alike",
    "huggingface/trl#3234": "grpo-divergence-has-dropout",
    "huggingface/trl#3318": "step-rows-end-turn-twice",
    "huggingface/trl#6671": "step-rows-lost",
    "lm-sys/FastChat#3063": "step-labels-lack-eos",
    "lsdefine/simple_GRPO#19": "reward-misses-ended-answers",
    "modelscope/ms-swift#7226": "parameter-name-unmatched",
    "modelscope/ms-swift#9611": "data-pairs-begin-differently",
    "oobabooga/textgen#3343": "step-labels-have-prompt",
    "modelscope/ms-swift#9927": "step-loss-mixes-rows-by-shape",
    "natolambert/rlhf-book#503": "data-pairs-are-equal",
    "tloen/alpaca-lora#306": "step-labels-miss-answers",
    "MakazhanAlpamys/Soup#720": "step-gradients-grow-with-batches",
    "ZHZisZZ/dllm#118": "reward-misses-ended-answers",
    "huggingface/trl#2777": "reward-penalty-reversed",
    "unslothai/unsloth#11293": "chat-template-error-caught",
    "verl-project/verl#601": "step-labels-miss-answers",
    "vessl-ai/examples#77": "argument-epochs-cut-short",
    "Chi-Shan0707/TinyLoRA-GRPO-Coder#4": "argument-lacks-its-switch",
    "modelscope/ms-swift#8030": "checkpoint-best-by-loss",
    "Liquid4All/liquid-finetune#35": "argument-of-file-never-read",
    "huggingface/open-r1#312": "reward-rises-again",
    "huggingface/trl#3750": "ppo-penalty-ignores-stop-token",
    "vwxyzjn/lm-human-preference-details#6": "reward-read-at-pad",
}
"""The rule that names the cause; the real runs of these threads are in `test_problem_reports`."""

REMEDIES = {
    "OpenSenseNova/SenseNova-SI#31": "the column image",
    "datawhalechina/happy-llm#50": "with the run's own",
    "foundation-model-stack/fms-hf-tuning#492": "response_template",
    "huggingface/transformers#1726": "max_length",
    "huggingface/transformers#22634": "-100",
    "huggingface/transformers#37593": "eval_do_concat_batches",
}
"""What the remedy has to name, where the rule alone does not say it."""

HEALTHY = (
    "axolotl-ai-cloud/axolotl#3385",
    "hiyouga/LlamaFactory#512",
    "huggingface/trl#2376",
    "huggingface/trl#6307",
)
"""Threads whose healthy forms had a wrong error: rewards of what a rollout returns, a log that is
read, `label` as the column of texts, several streams to evaluate on."""

WRONG = {
    "huggingface/peft#536": ("", "HFValidationError"),
    "lyhue1991/torchkeras#58": ("healthy", "step-gradients-missing"),
}
"""Words that a rehearsal of a form of these threads had, and that were not true: `lora_E` of
AdaLoRA begins at zero, and `get_peft_model` leaves a config on the base model that is trained."""


@pytest.mark.slow
@pytest.mark.parametrize("report", of_threads(WRONG))
def test_what_was_wrong_is_not_said(
    report: Report, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(report.environment)
    form, words = WRONG[report.thread]
    report.lay(tmp_path / "form", healthy=form == "healthy", python=python)
    _, answer = rehearsal(tmp_path / "form", python, "train.py")
    assert words not in str(findings_by_rule(answer))


@pytest.mark.slow
@pytest.mark.parametrize("report", of_threads(HEALTHY))
def test_the_healthy_form_has_no_error(
    report: Report, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(report.environment)
    report.lay(tmp_path / "healthy", healthy=True, python=python)
    _, answer = rehearsal(tmp_path / "healthy", python, "train.py")
    rules = findings_by_rule(answer)
    severities = [each["severity"] for findings in rules.values() for each in findings]
    assert "error" not in severities, rules


@pytest.mark.slow
@pytest.mark.parametrize("report", of_threads(CAUSES))
def test_the_cause_is_found(report: Report, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(report.environment)
    for name, healthy in (("broken", False), ("healthy", True)):
        report.lay(tmp_path / name, healthy=healthy, python=python)
        _, answer = rehearsal(tmp_path / name, python, "train.py")
        rules = findings_by_rule(answer)
        assert (CAUSES[report.thread] in rules) is not healthy, rules
        if not healthy:
            named = REMEDIES.get(report.thread, "")
            assert any(named in each["remedy"] for each in rules[CAUSES[report.thread]]), rules
            continue
        severities = [each["severity"] for findings in rules.values() for each in findings]
        assert "error" not in severities, rules
