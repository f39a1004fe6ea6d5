"""Scheduler accounting: durations, and spans that are never summed (bad inputs S1, S3)."""

import json

import pytest

from loaders.records.json_text import RecordError
from loaders.records.scheduler import COLUMNS, elapsed_seconds, read_accounting, read_sacct_line


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("05:12", 312), ("27:14:09", 98_049), ("1-03:14:09", 98_049), ("UNLIMITED", None), ("", None), ("300", 300),
        ("00:00:53.250", 53),
        ("10-00:00:00", 864_000), ("Partition_Limit", None), ("0", 0),
    ],
)  # fmt: skip
def test_a_duration_is_whole_seconds_or_none(text, seconds):
    assert elapsed_seconds(text) == seconds


@pytest.mark.parametrize("text", ["abc", "1:2:3:4:5", "-5", "5:1", "1e3"])
def test_another_text_is_no_duration(text):
    with pytest.raises(ValueError, match="no duration"):
        elapsed_seconds(text)


LINES = """7100000_3|7100003|demo|CANCELLED by 17|0:0|2026-09-15T10:00:00|2026-09-15T10:00:53|53|gres/gpu=4|node01|None
7100000_3.batch|7100003.batch|batch|CANCELLED|0:15|2026-09-15T10:00:00|2026-09-15T10:00:56|56|gres/gpu=4|node01|
7100000_3.extern|7100003.extern|extern|COMPLETED|0:0|2026-09-15T10:00:00|2026-09-15T10:00:53|53|cpu=64|node01|
7100000_3|7100003|demo|COMPLETED|0:0|2026-09-15T11:00:00|2026-09-15T11:00:10|10|gres/gpu=4|node02|None""".splitlines()


def test_job_steps_and_a_restart_are_rows_of_their_own():
    rows = [read_sacct_line(line) for line in LINES]
    assert [(row["record_kind"], row["job_id_raw"], row["elapsed_s"]) for row in rows] == [
        ("sacct_job", "7100003", 53),
        ("sacct_batch", "7100003.batch", 56),
        ("sacct_extern", "7100003.extern", 53),
        ("sacct_job", "7100003", 10),
    ]
    assert set(rows[0]) | {"line_number"} == set(COLUMNS)


@pytest.mark.parametrize("line", ["a|b", LINES[0] + "|x", LINES[0].replace("|53|", "|soon|")])
def test_another_form_is_told(line):
    with pytest.raises(RecordError):
        read_sacct_line(line)


def test_an_accounting_document_keeps_its_own_words():
    job = {
        "job_id": "7100003",
        "scheduler_job_id": "7100000_3",
        "started_at_epoch": 1790000000.0,
        "scheduler_state": "FAILED",
        "batch_state": None,
    }
    row = read_accounting(json.dumps([job]).encode())[0]
    assert (row["record_kind"], row["job_id_raw"], row["job_id"], row["started_at"], row["state"]) == (
        "accounting_job", "7100003", "7100000_3", "1790000000.0", "FAILED",
    )  # fmt: skip
    assert '"batch_state": null' in row["record"] and row["elapsed_s"] is None
    with pytest.raises(RecordError, match="list"):
        read_accounting(b"{}")
