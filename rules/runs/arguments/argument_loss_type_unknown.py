"""loss_type names no loss of this release.

Each release has its own list. Another value is accepted by the config and fails in the first step,
for GRPO after the first completions were generated: "Unknown loss type: gspo". Names of papers and
of other libraries are not always those of TRL, and some losses came later or are gone.

Remedy: write one of the values that the finding lists. What GSPO does is
`importance_sampling_level="sequence"`; `kto_pair` of DPO is a trainer of its own, KTOTrainer.

Versions: what 0.12.2, 0.15.2, 0.19.1, 0.24.0, 0.26.2, 0.29.1, 1.0.0 and 1.16.0 lack; for a release
between two of them, losses that came in between are not reported.

Seen: unsloth#3122, trl#1927. Reproduced with GRPO, DPO, KTO and SFT of trl 1.16.0, and with all but
KTO of 0.24.0: each fails with an unknown value, and trains with its default.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.library.releases import newest_release
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of

KEY = "loss_type"
OLDEST, NEVER, ALWAYS = Version("0.12.2"), Version("0"), Version("9999")
PAIRS = ("sigmoid", "hinge", "ipo", "bco_pair", "nca_pair", "robust", "aot", "exo_pair",
         "apo_zero", "apo_down", "discopop", "sppo_hard")  # fmt: skip
KNOWN = {
    "grpo": ("grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "luspo", "vespo"),
    "dpo": (*PAIRS, "kto_pair", "aot_pair", "aot_unpaired", "sft", "sigmoid_norm"),
    "kto": ("kto", "apo_zero_unpaired", "bco"),
    "sft": ("nll", "dft", "chunked_nll"),
}
"""The losses of any release, by trainer."""

LATER = {
    "dapo": "0.19.1", "cispo": "0.24.0", "sapo": "0.24.0", "luspo": "0.26.2", "vespo": "0.29.1",
    "aot_unpaired": "0.26.2", "sft": "0.19.1", "sigmoid_norm": "1.0.0", "chunked_nll": "0.26.2",
}  # fmt: skip
"""The last release that is known to lack a loss that came later."""

GONE = {"kto_pair": "0.12.2", "bco": "0.12.2", "aot_pair": "0.29.1"}
"""The first release that is known to lack a loss that is gone."""


def check(facts: Facts) -> Iterator[Finding]:
    trl, losses = trl_of(facts), KNOWN.get(known_trainer(facts) or "")
    value = facts.run.arguments.get(KEY)
    if value is None or is_placeholder(value):
        raise NotConcerned(f"the run sets no {KEY}")
    if losses is None or trl is None or not OLDEST <= trl <= newest_release():
        raise NotConcerned("the losses of this trainer and this release are not known")
    names = value if isinstance(value, list) else [value]
    known = tuple(name for name in losses if _has(trl, name))
    for name in names:
        if isinstance(name, str) and name not in known and "," not in name:
            yield Finding(
                facts.run.place(KEY),
                f"{KEY} is {name!r:.40}, which trl {trl} does not have",
                evidence=(f"it has: {', '.join(known)}",),
                fix=_fix(facts, name, known) if name is value else None,
            )


def _has(trl: Version, name: str) -> bool:
    """Whether a release may have this loss."""
    later, end = Version(LATER.get(name, str(NEVER))), Version(GONE.get(name, str(ALWAYS)))
    return later < trl < end


def _fix(facts: Facts, name: str, known: tuple[str, ...]) -> Fix | None:
    near, place = similar(name.lower(), known), facts.run.place(KEY)
    if not near:
        return None
    return Fix(f"write {near[0]}", (Put(place.file, place.pointer, near[0]),), safe=False)


def _run(trainer: str, value: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": trainer, "output_dir": "out", KEY: value}}


NOW, OLD = {"trl": "1.16.0"}, {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="loss[ _]type",
    examples=(
        Bad(
            _run("grpo", "DAPO"),
            versions=NOW,
            says="loss_type is 'DAPO', which trl 1.16.0 does not have",
            fixed=_run("grpo", "dapo"),
        ),
        Bad(_run("dpo", ["sigmoid", "kto_pair"]), versions=NOW, says="loss_type is 'kto_pair'"),
        Good(_run("grpo", "cispo"), versions={"trl": "0.26.2"}),
        Good(_run("dpo", ["sigmoid", "sft"]), versions=OLD),
        Good(_run("kto", "apo_zero_unpaired"), versions=NOW),
        Good(_run("rloo", "x"), versions=NOW),
        Good(_run("grpo", "new"), versions={"trl": "99.0.0"}),
    ),
)
