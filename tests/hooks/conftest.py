"""What the tests of the write guard begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.hooks.test_write_holds import at_work

if TYPE_CHECKING:
    from tests.harness import Harness


@pytest.fixture
def held(harness: Harness) -> Harness:
    """Agent `one` holds src/a.py and docs/; `two` works in lib/."""
    at_work(harness, "one", "src/a.py", "docs/")
    at_work(harness, "two", "lib/")
    return harness
