"""Searching transcripts: only what was gained, whatever the size, nothing torn taken for whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holdshort.adapters import transcripts
from holdshort.adapters.transcripts import BUFFER, agents_by_call, binding_of, records_naming

if TYPE_CHECKING:
    from pathlib import Path


def lines(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def found(path: Path, *needles: str, start: int = 0) -> list[object]:
    return records_naming(str(path), needles, start)


def test_records_that_name_a_needle_are_found_in_order(tmp_path: Path) -> None:
    path = lines(tmp_path / "t", {"a": "toolu_1"}, {"b": 2}, {"c": "agent9"}, {"d": "toolu_1"})

    assert found(path, "toolu_1", "agent9") == [{"a": "toolu_1"}, {"c": "agent9"}, {"d": "toolu_1"}]


def test_a_record_with_several_hits_is_one_record(tmp_path: Path) -> None:
    path = lines(tmp_path / "t", {"a": "toolu_1 toolu_1", "b": "agent9"})

    assert len(found(path, "toolu_1", "agent9")) == 1


def test_what_stood_there_before_is_not_searched(tmp_path: Path) -> None:
    path = lines(tmp_path / "t", {"a": "toolu_1"})
    start = path.stat().st_size
    with path.open("a") as file:
        file.write('{"b": "toolu_1"}\n')

    assert found(path, "toolu_1", start=start) == [{"b": "toolu_1"}]


def test_a_file_that_shrank_is_another_file(tmp_path: Path) -> None:
    path = lines(tmp_path / "t", {"a": "toolu_1"})

    assert found(path, "toolu_1", start=10_000) == [{"a": "toolu_1"}]


@pytest.mark.parametrize("shift", range(-12, 3))
def test_a_needle_across_two_buffers_is_found(tmp_path: Path, shift: int) -> None:
    filler = "x" * (BUFFER + shift - 20)
    path = lines(tmp_path / "t", {"f": filler}, {"a": "toolu_12"})

    assert found(path, "toolu_12") == [{"a": "toolu_12"}]


def test_a_record_larger_than_the_buffer_is_read_whole(tmp_path: Path) -> None:
    record = {"before": "x" * BUFFER, "id": "toolu_1", "after": "y" * (2 * BUFFER)}
    path = lines(tmp_path / "t", {"a": 1}, record, {"id": "toolu_1"})

    assert [record, {"id": "toolu_1"}] == found(path, "toolu_1")


def test_a_record_past_the_bound_is_left_out_and_the_next_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "LONGEST_LINE", BUFFER)
    path = lines(tmp_path / "t", {"id": "toolu_1", "f": "x" * (4 * BUFFER)}, {"id": "toolu_1"})

    assert found(path, "toolu_1") == [{"id": "toolu_1"}]


def test_a_torn_last_line_is_no_evidence_yet(tmp_path: Path) -> None:
    path = lines(tmp_path / "t", {"a": "toolu_1"})
    with path.open("a") as file:
        file.write('{"type":"user","id":"toolu_1","con')

    assert found(path, "toolu_1") == [{"a": "toolu_1"}]


def test_lines_that_are_no_utf8_or_no_json_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b'\xff\xfe toolu_1\n{"a": toolu_1}\n{"b": "toolu_1"}\n')

    assert found(path, "toolu_1") == [{"b": "toolu_1"}]


def test_only_so_many_bytes_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "FARTHEST", 10)
    path = lines(tmp_path / "t", {"f": "x" * 50}, {"a": "toolu_1"})

    assert found(path, "toolu_1") == []


@pytest.mark.parametrize("path", ["/does/not/exist", "", "a\0b", "/", "/dev/zero"])
def test_what_cannot_be_read_is_no_evidence(path: str) -> None:
    assert records_naming(path, ("toolu_1",), 0) == []


def test_without_a_needle_nothing_is_found(tmp_path: Path) -> None:
    assert found(lines(tmp_path / "t", {"a": 1}), "", "") == []


def meta(home: Path, agent: str, **fields: object) -> None:
    directory = home / "session" / "subagents"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"agent-{agent}.meta.json").write_text(json.dumps(fields))


def test_an_agent_is_bound_to_its_call_by_its_meta_file(tmp_path: Path) -> None:
    transcript = str(tmp_path / "session.jsonl")
    meta(tmp_path, "a1", toolUseId="toolu_1", parentAgentId="p1")
    meta(tmp_path, "a2", toolUseId="toolu_2", finished=True)
    meta(tmp_path, "a3", toolUseId="toolu_3", stoppedByUser=True)

    assert (binding_of(transcript, "a1") or ())[:3] == ("toolu_1", "p1", False)
    assert (binding_of(transcript, "a2") or ())[:3] == ("toolu_2", None, True)
    assert (binding_of(transcript, "a3") or ())[:3] == ("toolu_3", None, True)
    assert agents_by_call(transcript) == {"toolu_1": "a1", "toolu_2": "a2", "toolu_3": "a3"}


@pytest.mark.parametrize("agent", ["../../x", "", "a/b", "a\0b", "..", "é"])
def test_a_hostile_agent_id_names_no_file(tmp_path: Path, agent: str) -> None:
    (tmp_path / "x.meta.json").write_text('{"toolUseId": "toolu_1"}')

    assert binding_of(str(tmp_path / "session.jsonl"), agent) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"toolUseId": 3}', "{"])
def test_a_damaged_meta_file_binds_nothing(tmp_path: Path, text: str) -> None:
    meta(tmp_path, "a1")
    (tmp_path / "session" / "subagents" / "agent-a1.meta.json").write_text(text)

    assert binding_of(str(tmp_path / "session.jsonl"), "a1") is None
