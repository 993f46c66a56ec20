"""The arguments of generation that transformers reads."""

from __future__ import annotations

import re
from functools import lru_cache

from trl_doctor.facts.library.module import read_source
from trl_doctor.machine.environment import Environment

FILE = "generation/configuration_utils.py"
READ = re.compile(r"""kwargs\.pop\(\s*["'](\w+)["']""")

USUAL = frozenset([
    "assistant_confidence_threshold", "assistant_early_exit", "assistant_lookbehind",
    "bad_words_ids", "begin_suppress_tokens", "bos_token_id", "cache_config",
    "cache_implementation", "compile_config", "constraints", "decoder_start_token_id",
    "disable_compile", "diversity_penalty", "do_sample", "dola_layers", "early_stopping",
    "encoder_no_repeat_ngram_size", "encoder_repetition_penalty", "eos_token_id",
    "epsilon_cutoff", "eta_cutoff", "exponential_decay_length_penalty", "forced_bos_token_id",
    "forced_decoder_ids", "forced_eos_token_id", "force_words_ids", "guidance_scale",
    "is_assistant", "length_penalty", "low_memory", "max_length", "max_matching_ngram_size",
    "max_new_tokens", "max_time", "min_length", "min_new_tokens", "min_p",
    "no_repeat_ngram_size", "num_assistant_tokens", "num_assistant_tokens_schedule",
    "num_beam_groups", "num_beams", "num_return_sequences", "output_attentions",
    "output_hidden_states", "output_logits", "output_scores", "pad_token_id", "penalty_alpha",
    "prefill_chunk_size", "prompt_lookup_num_tokens", "remove_invalid_values",
    "renormalize_logits", "repetition_penalty", "return_dict_in_generate", "return_legacy_cache",
    "sequence_bias", "stop_strings", "suppress_tokens", "target_lookbehind", "temperature",
    "token_healing", "top_h", "top_k", "top_p", "typical_p", "use_cache", "use_model_defaults",
    "watermarking_config",
])  # fmt: skip
"""The arguments of transformers 4.46.3 to 5.23.0 together."""


@lru_cache(maxsize=8)
def arguments(environment: Environment) -> frozenset[str]:
    """The arguments that the target's transformers reads, and all that any release read."""
    folder = environment.source("transformers")
    if folder is None or not (folder / FILE).is_file():
        return USUAL
    return USUAL | frozenset(READ.findall(read_source(folder / FILE)))
