"""What every end-to-end test starts from: the real client and a scratch home and repository."""

import os
from pathlib import Path

import pytest
from tests.e2e.claude import CHECKOUT, ClientMissing, Scratch, find_client
from tests.e2e.stage import Stage


@pytest.fixture(scope="session")
def client() -> Path:
    """The real client's binary; without it the test is skipped and says why."""
    try:
        return find_client()
    except ClientMissing as missing:
        pytest.skip(f"no Claude Code here: {missing}")


@pytest.fixture
def plugin() -> Path:
    """The suite under test, as a plugin directory."""
    return Path(os.environ.get("HOLDSHORT_PLUGIN", CHECKOUT))


@pytest.fixture
def stage(client: Path, plugin: Path, tmp_path: Path) -> Stage:
    """Everything a scenario needs to be played."""
    return Stage(client, Scratch.make(tmp_path / "scratch"), (plugin,))
