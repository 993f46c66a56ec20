"""What the real libraries do with this run: facts that ask probes.

- the request: `candidate`, `given`, `processing`; of a script what it changes `in_memory`, and its
  `own_code` for the rows
- before the step: `config`, `load`, `checkpoints`, `start`, `forward`, `forward_place`, `data`,
  `contradictions`, `termination`
- the step: `step`, `step_failure`, `error_place`, `known_errors` with `known_error` and
  `known_image_errors`; `beginnings`, `turns`, `row_losses`, `weights_that_move`
- rewards: `rewards`, `reward_scales`, `reward_words`
- vLLM: `engine`, `engine_parts`, `engine_tokenizer`, `server`, `own_server`
- memory and time: `fit`, `formula`, `full`
- a rehearsed command: `rehearsal`, `intentions`; a live trainer: `live`
"""
