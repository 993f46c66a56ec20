"""How the run trains, from its arguments: batches, steps, schedule, sampling, evaluation."""
