"""The `holdshort` command, one file per verb."""
