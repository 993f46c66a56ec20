"""A reward function looks for special tokens.

TRL decodes completions with `skip_special_tokens=True`: the texts that a reward function gets never
contain special tokens of the tokenizer. A function that looks for one never finds it. If its reward
depends only on that, all completions get the same reward, and nothing is learnt.

Remedy: add such tokens with `tokenizer.add_tokens([…])`, which are not special, or use tags that
are plain text. Look into `completion_ids`, which the function gets too, for the end of the text.

Versions: GRPO of every trl, RLOO from 0.22.0 on.

Seen: trl#2897. Reproduced with GRPO of trl 1.16.0: a function that counts a special token which the
model writes gives 0 to all; with the same token added as a plain one it counts it. The sources of
0.14.0, 0.15.2, 0.19.1 and 0.24.0 decode in the same way.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CONFIG, RUN, candidate, tokenizer_files

NEW_RLOO = Version("0.22.0")


def check(facts: Facts) -> Iterator[Finding]:
    trainer, trl = known_trainer(facts), trl_of(facts)
    if trainer not in ("grpo", "rloo"):
        raise NotConcerned("only GRPO and RLOO call reward functions")
    if trainer == "rloo" and trl is not None and trl < NEW_RLOO:
        raise NotConcerned(f"RLOOTrainer of trl {trl} is another class")
    looking = [signature for signature in reward_signatures(facts) if signature.sought]
    if not looking:
        return
    special = sorted(token for token in tokenizer_facts(facts)[tokenizer].special if len(token) > 2)
    for signature in looking:
        texts = [text.replace("\\", "") for text in signature.sought]
        if tokens := [token for token in special if any(token in text for text in texts)]:
            reason = "it is a special token" if len(tokens) == 1 else "these are special tokens"
            yield Finding(
                signature.place,
                f"{signature.name} looks for {', '.join(tokens[:3])} in completions, but {reason}, "
                "which TRL leaves out of the texts",
            )


def _files(body: str) -> dict[str, Json]:
    source = f"import re\n\ndef score(completions, **kwargs):\n    return {body}\n"
    return {**FILES, "mine.py": source}


FILES = candidate({**RUN, "reward_funcs": ["mine.score"]}, tokenizer_files(), CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _files("[float('<|im_end|>' in one) for one in completions]"),
            says="mine.score looks for <|im_end|> in completions, but it is a special",
        ),
        Bad(
            _files(
                "[len(re.findall(r'<\\|im_end\\|>', one[0]['content'])) for one in completions]"
            ),
            says="it is a special token",
        ),
        Good(_files("[float('<answer>' in one) for one in completions]")),
        Good(_files("[float(len(one.split('<|im_end|>')[0])) for one in completions]")),
        Good(_files("[float('<|im_end|>' in one) for one in kwargs['prompts']]")),
    ),
)
