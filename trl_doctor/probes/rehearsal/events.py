"""The events that a rehearsed process tells, and what is in each."""

from __future__ import annotations

OF_ALL = ("kind", "rank", "time", "process", "of")
"""What `Record.add` gives to each; `of` is the number of the trainer at work, 0 for none."""

EVENTS = {
    "started": "a process of the command begins: its `argv`, its `folder`; writes are `confined`",
    "launch": "a launcher starts `processes`; `by` names it",
    "short": "a data set has fewer rows than in the job",
    "data": "a data set is loaded: its `name`, `columns`, and its `origin` (made, stand-in, …)",
    "model": "a small model is made of a named one: its `name`, `origin`, sizes",
    "loaded": "a model is loaded by its `name`; `origin` is the small one, or what it was saved of",
    "nameless": "a model or a tokenizer of the name None is loaded",
    "tokenizer": "the script sets something of a tokenizer: `edit` names it",
    "resized": "the script resizes the embedding of a model",
    "adapter": "the script makes the config of an adapter",
    "hub adapter": "an adapter of the Hub, by its `name`, is not here, and gets a new one",
    "config": "the script makes its trainer's config: `given` are its own arguments",
    "changed": "a rehearsal has replaced the value `given` by the value `used`; `why`",
    "kept away": "a login, an upload or a write (`what`) that was kept away, or moved",
    "trainer": "a trainer is about to be built, with all that it was given",
    "built": "its constructor has come to its end",
    "training": "`train` begins; `resume` is the checkpoint that it was given",
    "reward": "the first call of a reward function: `state`, `returned`, `values` or the error",
    "step": "the steps of a training, as the probe `step` measures them; `done` if all were taken",
    "rewards tried": "the `file` with what the reward functions gave after the step",
    "saved": "whether the trained model `loads` again, and what differs",
    "kept": "the script has saved a model in a `folder`, in a `state` (trained, untouched, …)",
    "generated": "the script generates texts by itself",
    "mistake": "a mistake of the script: `what`, its `words`, the line `at`",
    "larger fails": "something fails at the sizes of the job, and not at those of a rehearsal",
    "failed": "an error: `type`, `message`, `frames`, and the `stage` in which it was raised",
    "exit": "the script ends itself with a `status`",
}
"""By kind, what happened. `at` is the user's line, in all that have one."""
