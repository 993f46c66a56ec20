"""A reward function fails when it is called as TRL calls it.

TRL calls every reward function with keyword arguments: prompts, completions, all other columns of
the data set, and in newer releases completion_ids, trainer_state, log_extra and log_metric. A
function that does not accept them all, or that fails on a completion, ends the run at the first
step in which that happens, perhaps after hours of generation. One that crashes or exits ends the
training process. In conversations each completion is a list of messages. What a `rollout_func`
returns besides its ids and log-probabilities is passed, too.

Remedy: give each parameter the name of a column, add `**kwargs` to the function, read
`completion[0]["content"]` of conversations, return 0.0 for what cannot be parsed, and return one
number for each completion.

Versions: every trl with GRPOTrainer. Which arguments are passed depends on the release; the rule
uses the installed one.

Seen: trl#4939, trl#4202, FareedKhan-dev/train-deepseek-r1#2, ms-swift#4751. Reproduced with trl
1.16.0, 0.24.0, 0.19.1 and 0.15.2: the training steps fail with the same errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trl_doctor.core.finding import Finding
from trl_doctor.core.process_end import ended
from trl_doctor.core.unavailable import several
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.measured.rehearsal import rehearsed
from trl_doctor.facts.measured.reward_words import (
    HERE,
    KILLED,
    column_renamed,
    correction,
    defined,
    first_names,
    form,
    in_file,
    kinds,
    of_trl,
    own_columns,
    place,
    unjudged,
)
from trl_doctor.facts.measured.rewards import Reward, Rewards, rewards
from trl_doctor.facts.rewards.calls import passed_names
from trl_doctor.facts.rewards.needs import and_kwargs, named_as_column, quoted, unmet_need
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rule import Bad, Examples, Files, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.scripts import script

if TYPE_CHECKING:
    from trl_doctor.probes.answers.rewards import RewardError, RewardTrial

NOTHING = ("'NoneType' object is not iterable", "infer dtype of NoneType")
"""The trainer's error for a function without a `return`."""


def check(facts: Facts) -> Iterator[Finding]:
    reported = set()
    for name, shown in _by_text(facts):
        reported.add(name)
        yield shown
    run_rewards = facts[rewards]
    unclear = []
    for reward in run_rewards.functions:
        if reward.name in reported:
            continue
        if reward.state == "ended the process" and reward.trial.status != KILLED:
            finding = _deadly(facts, reward)
        elif reward.state == "raised" and (error := reward.trial.error) and not error.on_import:
            finding = (
                _signature(facts, run_rewards, reward, error)
                or _output(facts, reward, error)
                or _inside(facts, run_rewards, reward, error)
            )
        else:
            if reward.state != "raised" and (reason := unjudged(reward)):
                unclear.append(f"{reward.name}: {reason}")
            continue
        if run_rewards.measured.rows or reward.trial.unexpected or reward.trial.importing:
            yield finding
        else:
            does = "raises" if reward.state == "raised" else "ends its process"
            unclear.append(f"{reward.name} {does}, but {HERE}")
    if unclear:
        raise several(unclear)


def _by_text(facts: Facts) -> Iterator[tuple[str, Finding]]:
    """What the source of a function shows: an argument it does not accept, or no return value."""
    answered = _answered(facts)
    for signature in facts[reward_signatures]:
        if signature.name.rpartition(".")[2] in answered:
            continue
        names = facts[passed_names].names
        calls = f"{trainer(facts)} calls it with {', '.join(f'{n}=…' for n in names)}"
        evidence: tuple[str, ...] = (calls,)
        needs = unmet_need(facts, signature, names)
        refused = [name for name in names if name not in signature.takes and not signature.others]
        if refused:
            problem = f"does not take {first_names(refused)}, which {trainer(facts)} passes"
            remedy = f"accept all others: def {signature.name.rpartition('.')[2]}(…, **kwargs)"
            if needs is not None:
                evidence = f"it {problem}", *evidence
            needs = (needs[0], and_kwargs(needs[1])) if needs else (problem, remedy)
        if needs is not None:
            message = f"{signature.name} {needs[0]}"
            yield (
                signature.name,
                Finding(signature.place, message, evidence, remedy=needs[1]),
            )


def _answered(facts: Facts) -> set[str]:
    """The functions that returned rewards where the script's own trainer called them."""
    called = facts.get(rewards) if rehearsed(facts) else None
    functions = called.functions if called else ()
    return {reward.name.rpartition(".")[2] for reward in functions if reward.state == "returned"}


def _deadly(facts: Facts, reward: Reward) -> Finding:
    """The function ended its process without an error."""
    end = ended(reward.trial.status).removeprefix("it ")
    message = f"{reward.name} ends the process that calls it, which {end}"
    return Finding(
        place(facts, reward),
        message,
        defined(reward),
        remedy="run the part that crashes in a child process",
    )


def _signature(
    facts: Facts, run_rewards: Rewards, reward: Reward, error: RewardError
) -> Finding | None:
    """The arguments that it does not accept, or that it requires and does not get."""
    unexpected, missing = reward.trial.unexpected, reward.trial.missing
    if error.type != "TypeError" or error.frames or not (unexpected or missing):
        return None
    short = reward.name.rpartition(".")[2]
    names = ", ".join(run_rewards.measured.columns) or "only prompt"
    message = remedy = ""
    if unexpected:
        message = (
            f"{reward.name} does not take {first_names(unexpected)}, which {trainer(facts)} passes"
        )
        remedy = f"accept all others: def {short}(…, **kwargs)"
    if missing:
        message = f"{reward.name} needs {quoted(missing)}, but the columns are {names}"
        remedy = named_as_column(missing, run_rewards.measured.columns or ("prompt",))
        if unexpected:
            remedy = and_kwargs(remedy)
        if of_trl(reward):
            remedy = column_renamed(run_rewards, missing)
        if facts.run.flag("remove_unused_columns"):
            remedy = "remove_unused_columns: false passes the columns of the data set on"
    evidence = (error.line, *defined(reward), f"columns of the rows: {names}")
    return Finding(place(facts, reward), message, evidence, remedy=remedy)


def _output(facts: Facts, reward: Reward, error: RewardError) -> Finding | None:
    """The trainer refuses what the function returns."""
    if error.frames:
        return None
    message = f"{reward.name} returns a value that {trainer(facts)} refuses: {error.line}"
    evidence = defined(reward)
    remedy = "return a list with one float for each completion"
    if "not callable" in error.message:
        message, remedy = f"{reward.name} is not a function: {error.line}", "name a function"
    if "coroutine" in error.message:
        remedy = "write it without async: this release does not await it"
    if any(text in error.message for text in NOTHING):
        message = f"{reward.name} returns None, not one reward for each completion"
        evidence = (error.line, *evidence)
        remedy = "the function returns None; let it return a list of numbers"
    elif "NoneType" in error.message:
        remedy = "return 0.0 instead of None, which this release refuses"
    return Finding(place(facts, reward), message, evidence, remedy=remedy)


def _inside(facts: Facts, run_rewards: Rewards, reward: Reward, error: RewardError) -> Finding:
    on = kinds(reward.trial.on)
    message = f"{reward.name} raises {error.line}" + (f" (on: {on})" if on else "")
    frames = error.frames
    own_frames = tuple(frame for frame in frames if frame[0] == reward.trial.file)
    shown = [*own_frames[-1:], *(frames[-1:] if frames[-1:] != own_frames[-1:] else [])]
    evidence = [
        f"{in_file(reward, file, line)} in {name}: {source}" for file, line, name, source in shown
    ]
    translation = known(error.line)
    cause = (f"cause: {translation.cause}",) if translation else ()
    remedy = translation.remedy if translation else correction(reward, error)
    seen = (*cause, *evidence, *own_columns(facts, run_rewards), *form(facts))
    return Finding(place(facts, reward), message, seen, remedy=remedy)


def examples() -> Examples:
    from ..._recorded import rewards as made

    def bad(trial: RewardTrial, says: str, **more: int) -> Bad:
        return Bad(made.FILES, versions=made.TRL, answers=made.answers(trial, **more), says=says)

    def good(trial: RewardTrial, skipped: str = "", **more: int) -> Good:
        answers = made.answers(trial, **more)
        return Good(made.FILES, versions=made.TRL, answers=answers, skipped=skipped)

    def rolled_out(key: str, returned: str = "ids") -> Files:
        rollout = f"def roll(prompts, trainer):\n    ids = {{}}\n    ids['{key}'] = []\n"
        before = f"{made.MADE}{rollout}    return {returned}\n"
        return script("GRPO", f"{made.GIVEN}, rollout_func=roll", before=before)

    def files(before: str) -> Files:
        return script("GRPO", made.GIVEN, before=before)

    renamed = "score requires the column answer, which is renamed to gold"
    well = made.answers(made.returned())
    return (
        bad(made.UNEXPECTED, "mine.score does not take completion_ids, prompts, which GRPOTrainer"),
        bad(made.MISSING, 'mine.score needs "answer", but the columns are '),
        bad(made.UNEXPECTED, "does not take", rows=0),
        bad(made.NOT_NAMED, 'accuracy_reward needs "solution", but the columns are '),
        bad(made.NO_RETURN, "mine.score returns None, not one reward for each completion"),
        bad(made.STRINGS, "refuses: ValueError: too many dimensions 'str'"),
        bad(made.NO_MATCH, "has no attribute 'group' (on: garbage, empty)"),
        bad(made.CRASHED, "mine.score ends the process that calls it, which was killed by SIGSEGV"),
        Bad(made.OTHER_NAME, versions=made.TRL, says='needs "answers", but the columns are prompt'),
        Bad(files(made.RENAMED), "train.py", versions=made.TRL, says=renamed),
        Bad(files(made.MADE), "train.py", versions=made.TRL, says="that the script makes (prompt)"),
        Good(files(made.KEPT), "train.py", versions=made.TRL, answers=well),
        Good(files(made.PERHAPS), "train.py", versions=made.TRL, answers=well),
        Bad(rolled_out("steps"), "train.py", versions=made.TRL, says="requires the column answer"),
        Good(rolled_out("answer"), "train.py", versions=made.TRL, skipped="rollout_func gives"),
        Good(rolled_out("steps", "{**ids}"), "train.py", versions=made.TRL, skipped="gives"),
        good(made.returned()),
        good(made.KILLED, skipped="memory ran out"),
        good(made.NO_MATCH, skipped="not on this machine", rows=0),
        good(made.NOT_CALLED, skipped="set dataset_format"),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
