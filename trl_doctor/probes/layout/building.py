"""The lines of a script that build a trainer, as TRL's own script of the release would."""

from __future__ import annotations

from collections.abc import Iterator

from .plan import Plan
from .spelled import spelled

CAUSAL, SCORER = "AutoModelForCausalLM", "AutoModelForSequenceClassification"
SEES = "AutoModelForImageTextToText"
COLLATOR = "DataCollatorWithPadding"
OLD_NAMES = {"model": "policy", "ref_model": "ref_policy", "args": "config"}
"""What constructors of before trl 0.13.0 call them."""

EVALUATED = 2
"""Rows of the evaluation."""

ROLES = {"reference": "ref_model", "reward": "reward_model", "value": "value_model"}


def lines(plan: Plan) -> list[str]:
    """The body of `build`: rows are known as `rows`, the folder as `HERE`."""
    return [*_tokenizer(plan), *_token_ids(plan), *_config(plan), *_trainer(plan), "return trainer"]


def of_token_ids(plan: Plan) -> bool:
    """PPO, and RLOO as it was before trl 0.22: rows of token ids, and models that score."""
    return plan.trainer in ("ppo", "rloo") and not plan.rewards


def _passes_tokenizer(plan: Plan) -> bool:
    needed = bool(plan.processing) or plan.habits.tokenizer or plan.own_tokenizer
    return needed or of_token_ids(plan)


def _by_path(plan: Plan) -> bool:
    """Whether the trainer is given the model's path, and loads it itself."""
    return plan.habits.by_path and not plan.loader


def _tokenizer(plan: Plan) -> Iterator[str]:
    if not _passes_tokenizer(plan):
        return
    folder = "tokenizer" if plan.own_tokenizer else "model"
    side = ', padding_side="left"' if of_token_ids(plan) else ""
    trusted = ", trust_remote_code=True" if plan.trusted else ""
    kind = plan.processing or "AutoTokenizer"
    yield f'tokenizer = {kind}.from_pretrained(str(HERE / "{folder}"){side}{trusted})'
    if plan.habits.pad == "always":
        yield "tokenizer.pad_token = tokenizer.eos_token"
    elif plan.habits.pad == "where missing":
        yield "if tokenizer.pad_token is None:"
        yield "    tokenizer.pad_token = tokenizer.eos_token"


def _token_ids(plan: Plan) -> Iterator[str]:
    if not of_token_ids(plan):
        return
    yield 'texts = [row.get("prompt", row.get("messages")) for row in rows]'
    if plan.conversational:
        yield "texts = ["
        yield "    tokenizer.apply_chat_template(one, tokenize=False, add_generation_prompt=True)"
        yield "    for one in texts"
        yield "]"
    yield 'rows = [{"input_ids": tokenizer(one)["input_ids"]} for one in texts]'


def _config(plan: Plan) -> Iterator[str]:
    yield f'args = {plan.config}(output_dir=str(HERE / "output"), **ARGUMENTS)'
    if _by_path(plan) and plan.options:
        options = ", ".join(f'"{name}": {value}' for name, value in plan.options.items())
        yield f"args.model_init_kwargs = {{{options}, **(args.model_init_kwargs or {{}})}}"


def _loaded(plan: Plan, role: str) -> str:
    """The expression that loads the model of a role."""
    has_folder = role in plan.models and role != "policy"
    folder = role if has_folder else "model"
    scores = role in ("reward", "value") or plan.trainer == "reward"
    plain = role in ("policy", "reference") or of_token_ids(plan)
    call_arguments = [f'str(HERE / "{folder}")']
    call_arguments += [f"{name}={value}" for name, value in plan.options.items()] if plain else []
    call_arguments += ["num_labels=1"] if scores else []
    call_arguments += ["trust_remote_code=True"] if plan.trusted else []
    kind = SCORER if scores else plan.loader or CAUSAL
    return f"{kind}.from_pretrained({', '.join(call_arguments)})"


def _trainer(plan: Plan) -> Iterator[str]:
    if not _by_path(plan):
        yield f"model = {_loaded(plan, 'policy')}"
    if plan.trainer == "reward" and not plan.habits.found:
        yield "model.config.pad_token_id = tokenizer.pad_token_id"
    yield f"trainer = {plan.class_name}("
    for name, value in _trainer_arguments(plan):
        keyword = name if name in plan.parameters else OLD_NAMES.get(name, name)
        yield f"    {keyword}={value},"
    if plan.own:
        yield "    **OWN,"
    yield ")"


def _trainer_arguments(plan: Plan) -> Iterator[tuple[str, str]]:
    """The constructor's arguments, by the names of the newest trl."""
    yield "model", 'str(HERE / "model")' if _by_path(plan) else "model"
    if plan.rewards:
        yield "reward_funcs", f"[{', '.join(plan.rewards)}]"
    else:
        yield from _models(plan)
    yield "args", "args"
    yield "train_dataset", _data_set(plan, "rows")
    if of_token_ids(plan) or plan.evaluates:
        yield "eval_dataset", _data_set(plan, f"rows[:{EVALUATED}]" if plan.evaluates else "rows")
    if _passes_tokenizer(plan):
        yield "processing_class", "tokenizer"
    if plan.adapter:
        config = f"get_peft_config(ModelConfig(**{spelled(plan.adapter)!r}))"
        yield "peft_config", f"replace({config}, task_type=None)" if plan.task_open else config
    if "data_collator" in plan.parameters and of_token_ids(plan):
        yield "data_collator", f"{COLLATOR}(tokenizer)"


def _data_set(plan: Plan, rows: str) -> str:
    return f"data({rows})" if plan.pictures else f"Dataset.from_list({rows})"


def _models(plan: Plan) -> Iterator[tuple[str, str]]:
    """The models besides the policy; None if the run names none. A teacher is the student."""
    if "teacher_model" in plan.parameters:
        yield "teacher_model", 'str(HERE / "model")'
    for role, name in ROLES.items():
        if not {name, OLD_NAMES.get(name)} & plan.parameters:
            continue
        if role != "reference":
            yield name, _loaded(plan, role) if role in plan.models else "None"
        elif (plan.habits.reference or of_token_ids(plan)) and not plan.adapter:
            yield name, _loaded(plan, role)
