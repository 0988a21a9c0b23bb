"""The documents are held to the code."""

from __future__ import annotations

import json
import subprocess
import tomllib
from typing import TYPE_CHECKING

import click
import pytest
from tests.harness import CHECKOUT

from holdshort.cli.main import cli
from holdshort.core.codes import CODES
from holdshort.core.policy import policy_of

if TYPE_CHECKING:
    from pathlib import Path

DOCS = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")])
README = CHECKOUT / "README.md"


def links_in(text: str) -> list[str]:
    prose = "".join("".join(text.split("```")[::2]).split("`")[::2])
    parts = prose.split("](")[1:]
    return [part.partition(")")[0].partition("#")[0] for part in parts]


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    local = [link for link in links_in(path.read_text()) if link and "://" not in link]

    assert [link for link in local if not (path.parent / link).exists()] == []


def test_the_readme_is_short() -> None:
    assert len(README.read_text().splitlines()) < 150


@pytest.mark.parametrize("verb", sorted(cli.commands))
def test_every_verb_is_documented_and_has_help(verb: str) -> None:
    command = cli.commands[verb]

    assert f"holdshort {verb}" in README.read_text()
    assert command.get_short_help_str()
    assert all(option.help for option in command.params if isinstance(option, click.Option))


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_is_documented_as_it_is_explained(code: str) -> None:
    title, story, advice = CODES[code]
    text = (CHECKOUT / "docs" / "codes.md").read_text()

    assert f"## {code}\n\n**{title}** {story}\n\n*What to do:* {advice}\n" in text


def test_every_code_that_is_said_is_explained() -> None:
    said = subprocess.run(
        ["grep", "-rhoE", "HS[0-9]{3}", "lib", "hooks"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert set(said) <= set(CODES)


def test_every_hook_is_registered_documented_and_there() -> None:
    hooks = json.loads((CHECKOUT / "hooks.json").read_text())["hooks"]
    registered = {h["args"][-1] for groups in hooks.values() for g in groups for h in g["hooks"]}

    assert registered == {path.stem for path in (CHECKOUT / "hooks").glob("*.py")}
    for name in registered:
        assert (CHECKOUT / "docs" / "hooks" / f"{name}.md").exists()
        assert f"docs/hooks/{name}.md" in README.read_text()


def test_the_settings_shown_in_the_readme_are_settings() -> None:
    text = README.read_text()
    block = text[text.index("```toml") + 7 :]

    policy, faults = policy_of(tomllib.loads(block[: block.index("```")]))

    assert faults == ()
    assert policy.dispatch == "enforce"


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_a_page_speaks_of_the_project_alone(path: Path) -> None:
    text = path.read_text()

    assert not any(
        word in text for word in ("/root/", "/work/", "/home/", "localhost", "127.0.0.1")
    )


def test_every_module_stands_in_the_architecture() -> None:
    text = (CHECKOUT / "docs" / "architecture.md").read_text()
    modules = [
        path.stem
        for layer in ("core", "adapters", "gather")
        for path in (CHECKOUT / "lib" / "holdshort" / layer).glob("*.py")
        if not path.stem.startswith(("_", "scope_"))
    ]

    assert [
        name for name in modules if f"`{name}`" not in text and f"`{name}.py`" not in text
    ] == []


def test_the_versions_agree() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
    plugin = json.loads((CHECKOUT / ".claude-plugin" / "plugin.json").read_text())["version"]

    assert project == plugin
