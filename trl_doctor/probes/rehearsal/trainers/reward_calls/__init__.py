"""The script's own reward functions: what they return to the trainer, and what they say when tried.

- `rewards` sees each `call` that the trainer makes, with `reward_objects` and `spread_rewards`
- `trying` calls them after the step, with `probes.reward_functions`; `reshaped` says whether such a
  call is fair, `room` how long a completion may be
"""
