"""The small records: trials, environments, devices, allocations, allocator and length traces, control tables."""

import json

import pytest

from loaders.records import allocation, trial
from loaders.records.allocator_trace import read_allocator_line
from loaders.records.control_table import read_control_table
from loaders.records.device_map import read_device_map
from loaders.records.environment import read_devices, read_environment
from loaders.records.json_text import RecordError
from loaders.records.response_lengths import read_response_lengths_line
from loaders.records.trial import read_trial
from tests.synthetic_archive import environment_record, trial_record


def test_a_trial_keeps_its_string_booleans_and_numbers():
    row = read_trial(trial_record("7", 36502, vllm_gpu_memory_utilization=0.60, parameter_offload="False"))
    assert (row["parameter_offload"], row["vllm_gpu_memory_utilization"], row["peak_gpu_memory_mib"]) == (
        "False",
        "0.6",
        "36502",
    )
    assert (row["missing_keys"], row["unknown_keys"]) == ("", None)
    assert tuple(row) == trial.COLUMNS


def test_missing_null_and_unknown_keys_stay_apart():
    row = read_trial(b'{"job_id": "7", "exit_code": null, "peak_gpu_memory_mib": NaN, "new_key": [1.50]}')
    assert (row["exit_code"], row["algorithm"], row["peak_gpu_memory_mib"]) == (None, None, "NaN")
    missing = row["missing_keys"].split(",")
    assert "algorithm" in missing and "exit_code" not in missing
    assert row["unknown_keys"] == '{"new_key": [1.50]}'


def test_an_environment_is_read_by_its_places():
    row = read_environment(environment_record())
    assert (row["hostname"], row["torch"], row["cuda_available"], row["repository_dirty"]) == (
        "node01",
        "2.10.0+cu129",
        "true",
        "false",
    )
    assert row["slurm_job_id"] is None
    assert json.loads(row["document"])["host"]["kernel"] == "6.1"


def test_a_failed_capture_is_no_error():
    row = read_environment(environment_record(software={"capture_error": "timed out", "returncode": 1}))
    assert (row["torch"], row["software_capture_error"]) == (None, "timed out")


def test_devices_come_in_the_order_of_the_text_with_their_unit():
    devices = list(read_devices(read_environment(environment_record())["gpus_csv"]))
    assert [device["gpu_index"] for device in devices] == ["0", "1"]
    assert devices[1] == {
        "gpu_index": "1",
        "device_name": "NVIDIA A100-SXM4-40GB",
        "uuid": "GPU-00000000-0000-0000-0000-000000000001",
        "driver_version": "610.43.02",
        "capacity": "40960 MiB",
    }
    assert list(read_devices(None)) == list(read_devices("broken")) == []


def test_a_device_map_ties_columns_to_devices():
    data = {
        "scope": "task_devices",
        "invocation_id": "e-j7",
        "uuids": ["GPU-a"],
        "columns": [{"gpu_index": 0, "memory_csv_column": 1, "uuid": "GPU-a"}],
    }
    assert list(read_device_map(json.dumps(data).encode())) == [
        {"gpu_index": "0", "memory_csv_column": "1", "uuid": "GPU-a", "scope": "task_devices", "invocation_id": "e-j7"}
    ]
    with pytest.raises(RecordError, match="columns"):
        list(read_device_map(b'{"columns": 5}'))


def test_a_pair_gives_itself_its_periods_and_its_devices():
    data = {
        "pair_id": "p", "job_id": "77", "pair_status": "complete", "hostname": "n", "source_head": "f" * 40,
        "gpus": [[0, "GPU-a", "NVIDIA A100-SXM4-40GB", 40960], [1, "GPU-b", "NVIDIA A100-SXM4-40GB", 40960]],
        "periods": [
            {"experiment_id": "e1", "period": 1, "wrapper_exit_code": 124, "elapsed_seconds": 401.50},
            {"experiment_id": "e2", "period": 2},
        ],
    }  # fmt: skip
    rows = list(allocation.read_pair(json.dumps(data).encode()))
    assert [(row["record_kind"], row["item_number"], row["experiment_id"], row["uuid"]) for row in rows] == [
        ("pair", None, None, None),
        ("pair_period", 1, "e1", None),
        ("pair_period", 2, "e2", None),
        ("pair_device", 1, None, "GPU-a"),
        ("pair_device", 2, None, "GPU-b"),
    ]
    assert all(row["pair_id"] == "p" and row["job_id"] == "77" and tuple(row) == allocation.COLUMNS for row in rows)
    assert (rows[0]["status"], rows[1]["wrapper_exit_code"], rows[1]["elapsed_seconds"]) == ("complete", "124", "401.5")


def test_an_allocation_without_periods_is_one_row():
    assert [
        row["record_kind"] for row in allocation.read_pair(b'{"pair_id": "p", "periods": [], "error": "no gpu"}')
    ] == ["pair"]


def test_a_ledger_gives_its_events_in_order():
    claimed = b'{"event": "pair_claimed", "sequence": 0, "timestamp_ns": 1790000000100000001}\n'
    data = claimed + b'{"event": "spawned", "sequence": 1, "period": 1}\n'
    rows = list(allocation.read_ledger(data))
    assert [
        (row["line_number"], row["event"], row["sequence"], row["timestamp_ns"], row["period"]) for row in rows
    ] == [
        (1, "pair_claimed", "0", "1790000000100000001", None),
        (2, "spawned", "1", None, "1"),
    ]
    with pytest.raises(RecordError, match="line 2"):
        list(allocation.read_ledger(b"{}\n{torn"))


def test_every_allocation_reader_gives_the_same_columns():
    samples = {
        "idle_baseline": b"0, 437\n1, 437\n",
        "ledger": b'{"event": "x"}\n',
        "allocation_trace": b'{"phase": "payload", "gpus": []}\n',
    }
    for kind, reader in allocation.READERS.items():
        rows = list(reader(samples.get(kind, b'{"pair_id": "p", "job_id": "7"}')))
        assert rows and all(tuple(row) == allocation.COLUMNS for row in rows), kind


def test_an_allocator_line_keeps_its_numbers():
    row = read_allocator_line(
        b'{"phase": "rollout", "pid": 4, "allocated_mib": 20500.250, "error_type": "", "extra": 1}'
    )
    assert (row["allocated_mib"], row["error_type"], row["rank"], row["unknown_keys"]) == (
        "20500.250",
        "",
        None,
        '{"extra": 1}',
    )


def test_a_response_length_line_is_kept_whole():
    assert read_response_lengths_line(b'{"lengths": [1, 2]}') == {"record": '{"lengths": [1, 2]}'}


def test_a_control_table_keeps_its_texts():
    rows = list(read_control_table(b'job_id,reason,note\n0071,None,"a, b"\n72,,\n'))
    assert rows == [
        (2, '{"job_id": "0071", "reason": "None", "note": "a, b"}'),
        (3, '{"job_id": "72", "reason": "", "note": ""}'),
    ]


@pytest.mark.parametrize(
    ("data", "told"), [(b"a,a\n1,2\n", "more than once"), (b"a,b\n1\n", "line 2: 1 fields"), (b"\xff\n", "UTF-8")]
)
def test_a_control_table_that_does_not_fit_is_told(data, told):
    with pytest.raises(RecordError, match=told):
        list(read_control_table(data))
