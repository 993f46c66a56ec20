"""Training scripts of a stranger with one mistake each, and what shows it in a real run.

A line that ends in `#~bad` is in the wrong form only, one with `#~good` in the healthy one.
"""

from __future__ import annotations

from two_forms import (
    adapters,
    checkpoints,
    evaluations,
    grpo_answers,
    grpo_classifiers,
    grpo_learns,
    grpo_rewards,
    labels,
    lengths,
    loaders,
    losses,
    map_functions,
    map_results,
    modes,
    pairs,
    pairs_models,
    pipelines,
    prompt_ends,
    scores,
    sft_cleaning,
    sft_models,
    sft_own_code,
    sft_rows,
    sft_splits,
    sft_tables,
    starts,
)

SCRIPTS = (
    *pairs.SCRIPTS,
    *pairs_models.SCRIPTS,
    *map_functions.SCRIPTS,
    *map_results.SCRIPTS,
    *grpo_answers.SCRIPTS,
    *grpo_learns.SCRIPTS,
    *grpo_rewards.SCRIPTS,
    *sft_rows.SCRIPTS,
    *sft_models.SCRIPTS,
    *sft_own_code.SCRIPTS,
    *sft_tables.SCRIPTS,
    *sft_splits.SCRIPTS,
    *sft_cleaning.SCRIPTS,
    *pipelines.SCRIPTS,
    *lengths.SCRIPTS,
    *checkpoints.SCRIPTS,
    *evaluations.SCRIPTS,
    *grpo_classifiers.SCRIPTS,
    *prompt_ends.SCRIPTS,
    *starts.SCRIPTS,
    *adapters.SCRIPTS,
    *labels.SCRIPTS,
    *losses.SCRIPTS,
    *modes.SCRIPTS,
    *loaders.SCRIPTS,
    *scores.SCRIPTS,
)
