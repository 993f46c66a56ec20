"""A word is none of those that TRL knows for this argument.

The config accepts every text. TRL refuses an unknown word when it makes its trainer, or in a step
after the first completions were generated: "Unknown importance sampling level: foo". A
`train_sampling_strategy` that transformers does not know is not refused: the rows are drawn at
random. A `log_level` is a word in small letters: "KeyError: 'INFO'".

Remedy: write one of the words that the finding lists.

Versions: words that no release from trl 0.12.2 to 1.16.0 knows; for `packing_strategy` and
`f_divergence_type` also those that 0.19.1 or 0.24.0 lacks. `truncation_mode` of DPO is refused
before trl 1.12.0 only by a row that is cut. `loss_type`, `vllm_mode` and the arguments of
transformers have rules of their own.

Seen: reproduced with SFT, DPO and GRPO of trl 0.24.0 and 1.16.0: each fails with an unknown word,
and trains with a known one; `log_level` and `fsdp` with SFT. `train_sampling_strategy: sequental`
trains in the same order as `random`.
"""

from collections.abc import Iterator

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.placeholders import is_placeholder
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of


class Words(Struct, frozen=True):
    """The words of an argument of some trainers, which counts if `switch` is on.

    `later` are the last releases known to lack a word, `gone` the first ones. An unknown word ends
    the run from release `ends` on; before it does not always.
    """

    key: str
    trainers: tuple[str, ...]
    known: tuple[str, ...]
    switch: str = ""
    later: dict[str, str] = {}
    gone: dict[str, str] = {}
    ends: str = "0"


STRATEGY = "train_sampling_strategy"
NEVER, ALWAYS = "9999", "0"
ALL = ("sft", "dpo", "kto", "reward", "grpo", "rloo")
LEVELS = ("detail", "debug", "info", "warning", "error", "critical", "passive")
ARGUMENTS = (
    Words("importance_sampling_level", ("grpo",), ("token", "sequence")),
    Words("scale_rewards", ("grpo",), ("group", "batch", "none")),
    Words("multi_objective_aggregation", ("grpo",), ("sum_then_normalize", "normalize_then_sum")),
    Words("truncation_mode", ("sft", "dpo"), ("keep_start", "keep_end"), ends="1.12.0"),
    Words("f_divergence_type", ("dpo",),
          ("reverse_kl", "forward_kl", "js_divergence", "alpha_divergence"),
          later={"forward_kl": "0.24.0"}),
    Words("packing_strategy", ("sft",), ("bfd", "wrapped", "bfd_split", "bfd-requeue", "ffd"),
          "packing", {"bfd": "0.19.1", "bfd_split": "0.24.0", "bfd-requeue": "0.24.0"},
          {"ffd": "0.24.0"}),
    Words("log_level", ALL, LEVELS),
    Words("log_level_replica", ALL, LEVELS),
    Words(STRATEGY, ("sft", "dpo", "reward"),
          ("random", "sequential", "group_by_length", "batch_rebalance"), ends=NEVER),
)  # fmt: skip
SHARDING = "fsdp"
SHARDS = ("full_shard", "shard_grad_op", "no_shard", "hybrid_shard", "hybrid_shard_zero2",
          "offload", "auto_wrap")  # fmt: skip
TEXTS = Version("0.24.0")
"""From this release on `scale_rewards` is known to be a text."""


def check(facts: Facts) -> Iterator[Finding]:
    run, name, trl = facts.run, known_trainer(facts), trl_of(facts)
    _, accepted = known_to_trl(facts)
    if trl is None:
        raise NotConcerned("the release of trl is not known")
    for words in ARGUMENTS:
        if name not in words.trainers or words.key not in accepted.fields:
            continue
        value = run.arguments.get(words.key)
        if not isinstance(value, str) or is_placeholder(value):
            continue
        if (words.switch and not run.flag(words.switch)) or not _is_text(words, trl):
            continue
        known = tuple(word for word in words.known if _has(words, word, trl))
        if value not in known:
            yield _finding(run.place(words.key), words, value, known, trl)
    sharding = run.arguments.get(SHARDING)
    for word in sharding.split() if isinstance(sharding, str) else ():
        if word not in (*SHARDS, "true", "false") and not is_placeholder(sharding):
            yield Finding(
                run.place(SHARDING),
                f"{SHARDING} has the word {word!r:.40}, which transformers does not know",
                evidence=(f"it knows, with spaces between them: {', '.join(SHARDS)}",),
            )


def _finding(
    place: Place, words: Words, value: str, known: tuple[str, ...], trl: Version
) -> Finding:
    near = similar(value.lower(), known)
    edits = (Put(place.file, place.pointer, near[0]),) if near else ()
    random = "; the rows are drawn at random" if words.key == STRATEGY else ""
    return Finding(
        place,
        f"{words.key} is {value!r:.60}, which trl {trl} does not know{random}",
        evidence=(f"it knows: {', '.join(known)}",),
        fix=Fix(f"write {near[0]}", edits, safe=False) if near else None,
        severity="warning" if trl < Version(words.ends) else None,
    )


def _is_text(words: Words, trl: Version) -> bool:
    return words.key != "scale_rewards" or trl >= TEXTS


def _has(words: Words, word: str, trl: Version) -> bool:
    later, gone = words.later.get(word, ALWAYS), words.gone.get(word, NEVER)
    return Version(later) < trl < Version(gone)


def _files(trainer: str, **arguments: Json) -> dict[str, Json]:
    return {"run.json": {"trainer": trainer, "model_name_or_path": "m", **arguments}}


NEW, OLD = ({"trl": trl, "transformers": "5.23.0" if trl == "1.16.0" else "4.57.6"}
            for trl in ("1.16.0", "0.24.0"))  # fmt: skip
LEVEL = "importance_sampling_level"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"Unknown importance sampling level|Invalid value for scale_rewards|"
    r"Unsupported truncation mode|Unknown f_divergence_type|Invalid packing strategy",
    examples=(
        Bad(_files("grpo", **{LEVEL: "sequences"}), versions=NEW,
            says=f"{LEVEL} is 'sequences', which trl 1.16.0 does not know",
            fixed=_files("grpo", **{LEVEL: "sequence"})),
        Bad(_files("grpo", scale_rewards="std"), versions=OLD, says="scale_rewards is 'std'"),
        Bad(_files("sft", packing=True, packing_strategy="ffd"), versions=NEW,
            says="packing_strategy is 'ffd', which trl 1.16.0 does not know",
            fixed=_files("sft", packing=True, packing_strategy="bfd")),
        Bad(_files("dpo", truncation_mode="first"), versions=OLD, severity="warning",
            says="truncation_mode is 'first'"),
        Bad(_files("dpo", f_divergence_type="forward_kl"), versions=OLD, says="forward_kl"),
        Bad(_files("sft", train_sampling_strategy="sequental"), versions=NEW, severity="warning",
            says="'sequental', which trl 1.16.0 does not know; the rows are drawn at random",
            fixed=_files("sft", train_sampling_strategy="sequential")),
        Bad(_files("dpo", log_level="INFO"), versions=NEW, says="log_level is 'INFO', which",
            fixed=_files("dpo", log_level="info")),
        Bad(_files("sft", fsdp="full_shard, auto_wrap"), versions=OLD,
            says="fsdp has the word 'full_shard,', which transformers does not know"),
        Good(_files("dpo", log_level="info", fsdp="full_shard auto_wrap"), versions=OLD),
        Good(_files("sft", packing=True, packing_strategy="bfd_split"), versions=NEW),
        Good(_files("sft", packing_strategy="ffd"), versions=NEW),
        Good(_files("grpo", scale_rewards=False, **{LEVEL: "token"}), versions=NEW),
        Good(_files("dpo", truncation_mode="keep_end"), versions=OLD),
    ),
)  # fmt: skip
