"""A reward function of the run cannot be imported.

TRL looks up a name among its own reward functions, and imports a name with a dot from the Python
path and the working folder. If that fails, the run fails when it starts. If the function imports a
missing package when it is called, the run fails at the first step, after the model was loaded.

Remedy: write the path as `module.function`, start the run in the folder of the module, and install
what it imports into the environment of the run.

Versions: every trl whose script takes reward_funcs, 0.18.0 or newer.

Seen: reproduced with trl 1.16.0 and 0.24.0: "Could not load reward function 'nosuch'"; "No module
named 'rewards'"; accuracy_reward without math_verify: "ImportError: Please install the
`math_verify` package" at the first step. With math_verify 0.9.0 and antlr4-python3-runtime 4.7.2,
or without latex2sympy2_extended, trl 0.24.0 fails at its start: "Unsupported ANTLR version 4.7.2".
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import Unavailable, several
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import unknown_arguments
from trl_doctor.facts.measured.known_errors import known
from trl_doctor.facts.measured.reward_words import at, place, unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import RewardError, RewardTrial

from ..._recorded.rewards import FILES, TRL, answers, raised, returned

TOLD = ("reward-not-found",)
"""The rule that finds the same in the source of the modules."""


def check(facts: Facts) -> Iterator[Finding]:
    reasons = []
    for function in facts[rewards].functions:
        if function.state == "unknown name" and (reason := _not_ours(facts, function)):
            reasons.append(f"{function.name}: {reason}")
        elif function.state == "unknown name":
            yield _unknown(facts, function)
        elif (error := function.trial.error) and (
            function.state == "not imported" or _imports(function, error)
        ):
            yield _missing(facts, function, error)
        elif function.state in ("held back", "not called"):
            reasons.append(f"{function.name}: {unjudged(function)}")
    if reasons:
        raise several(reasons)


def _imports(function: Reward, error: RewardError) -> bool:
    """Whether it is an import inside the function that fails."""
    return function.state == "raised" and error.on_import


def _not_ours(facts: Facts, function: Reward) -> str:
    """Why TRL's script does not have to know the name; "" if it has to."""
    if function.trial.known is None:
        return f"trl {facts.environment.version('trl')} has no reward_funcs"
    try:
        script = unknown_arguments(facts).script
    except Unavailable as reason:
        return str(reason)
    return f"the run file is for another script than TRL's: it has {script}" if script else ""


def _unknown(facts: Facts, function: Reward) -> Finding:
    """A name without a dot that TRL's script does not know."""
    names = function.trial.known or ()
    near = similar(function.name, names)
    remedy = f'write "{near[0]}"' if near else f'write its module too: "module.{function.name}"'
    return Finding(
        place(facts, function),
        f"{function.name} is neither a reward function of trl "
        f"{facts.environment.version('trl')} nor a path",
        (f"TRL's script has {', '.join(names)}", "it raises: Could not load reward function"),
        remedy=f"{remedy}: TRL's script imports a name with a dot",
    )


def _missing(facts: Facts, function: Reward, error: RewardError) -> Finding:
    raised = error.line
    module = error.lacks or "".join(re.findall(r"install.*?`([\w-]+)`", raised)[:1])
    own = function.name.split(".")
    if error.type == "ModuleNotFoundError" and module in _parents(own):
        remedy = f"start the run in the folder that has {module.replace('.', '/')}.py"
        missing = f"{function.name}: there is no module {module}"
        return Finding(place(facts, function), missing, (raised,), remedy=remedy, follows=TOLD)
    frames = [f"{at(file, line)}: {source}" for file, line, _, source in error.frames[-1:]]
    if module and error.on_import:
        package = module.split(".")[0]
        python, translation = facts.environment.python, known(raised)
        message = f"{function.name} needs {package}, which {python} does not have"
        remedy = translation.remedy if translation else f"{python} -m pip install {package}"
        return Finding(place(facts, function), message, (raised, *frames), remedy=remedy)
    message, translation = f"{function.name} cannot be imported: {raised}", known(raised)
    return Finding(
        place(facts, function),
        message,
        (*((f"cause: {translation.cause}",) if translation else ()), *frames),
        remedy=translation.remedy if translation else "",
        follows=TOLD,
    )


def _parents(parts: list[str]) -> set[str]:
    """The modules that importing a dotted name imports."""
    return {".".join(parts[:end]) for end in range(1, len(parts))}


LACKS = "Please install the `math_verify` package to use accuracy_reward"
ANTLR = "Unsupported ANTLR version 4.7.2, only 4.9.3, 4.11.0, and 4.13.2 runtime versions are"
NOT_IMPORTED = "not imported"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(raised("ImportError", LACKS)),
            says="mine.score needs math_verify, which python does not have",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(
                raised(
                    "ModuleNotFoundError",
                    "No module named 'mine'",
                    lacks="mine",
                    state=NOT_IMPORTED,
                )
            ),
            says="mine.score: there is no module mine",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(
                raised(
                    "AttributeError", "module 'mine' has no attribute 'score'", state=NOT_IMPORTED
                )
            ),
            says="cannot be imported: AttributeError: module 'mine' has no attribute 'score'",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(
                RewardTrial("acuracy_reward", "unknown name", known=("accuracy_reward",))
            ),
            says="acuracy_reward is neither a reward function of trl 1.16.0 nor a path",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(raised("SyntaxError", "\n\n", state=NOT_IMPORTED)),
            says="mine.score cannot be imported: SyntaxError",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(raised("ImportError", ANTLR, state=NOT_IMPORTED)),
            says="cannot be imported: ImportError: Unsupported ANTLR version 4.7.2",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(
            FILES,
            versions=TRL,
            answers=answers(RewardTrial("mine.score", "not called")),
            skipped="not called: set dataset_format",
        ),
        Good(FILES, versions=TRL, skipped="this example has no answers of probes"),
        Good(
            FILES,
            versions={"trl": "0.15.2"},
            answers=answers(RewardTrial("score", "unknown name")),
            skipped="trl 0.15.2 has no reward_funcs",
        ),
    ),
)
