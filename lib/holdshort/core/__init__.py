"""Pure rules: no I/O, no clock, no exception for expected input."""
