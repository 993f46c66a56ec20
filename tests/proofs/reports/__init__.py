"""Public problem reports of TRL users, rebuilt as small candidates: a folder for each list."""
