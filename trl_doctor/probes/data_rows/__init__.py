"""The run's own rows: loaded as TRL loads them, prepared as its trainer prepares them."""
