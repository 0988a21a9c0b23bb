"""Hostile inputs for every hook: `python -m tests.fire.fuzz`."""
