"""A secret never leaves (bad input A10)."""

import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.logs.secrets import MARK, Secret, redact, redact_all, redact_columns

HF = "hf_" + "AbCdEfGhIjKlMnOp" * 2
AWS = "AKIA" + "IOSFODNN7EXAMPLE"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("HF_TOKEN=abc123", "abc123"),
        ("export HF_TOKEN='abc123'", "abc123"),
        ('{"HF_TOKEN": "abc123"}', "abc123"),
        ('{\\"HF_TOKEN\\": \\"abc123\\"}', "abc123"),
        ("env\\nHF_TOKEN=abc123\\nPATH=x", "abc123"),
        ("WANDB_API_KEY: 0123abcd", "0123abcd"),
        ("aws_secret_access_key = wJalr/XUt+nFEMI", "wJalr/XUt+nFEMI"),
        ("AWS_SECRET_ACCESS_KEY=wJalr/XUt+nFEMI", "wJalr/XUt+nFEMI"),
        (f"login with {HF} done", HF),
        (f"key {AWS} used", AWS),
        ("Authorization: Bearer eyJhbGci.abc-def", "eyJhbGci.abc-def"),
        ("authorization: bearer eyJhbGci.abc-def", "eyJhbGci.abc-def"),
        ("git clone https://user:s3cret@host/x", "s3cret"),
        ("ghp_" + "a1" * 18, "ghp_" + "a1" * 18),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n", "MIIEow"),
    ],
)
def test_a_secret_is_removed_and_its_line_told(text, secret):
    clean, found = redact(f"first line\n{text}\nlast".encode())
    assert secret not in clean.decode()
    assert MARK in clean.decode() and clean.startswith(b"first line\n") and clean.endswith(b"\nlast")
    assert found[0].line == 2


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=512 tokenizer_mode=auto pad_token='<s>' eos_token_id: 2",
        "hf_overrides={} hf_config hf_rate_limit",
        "HF_TOKEN= other=1",
        "HF_TOKEN=None WANDB_API_KEY=null HF_TOKEN=***",
        "see https://host:8080/path and tcp://10.0.0.1:29500",
        "the bearer of news",
        "cache_key mismatch",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redact(text.encode()) == (text.encode(), [])


def test_lines_of_several_secrets():
    data = f"a\nHF_TOKEN=one1\nb {HF}\n\n{AWS}\n".encode()
    assert redact(data)[1] == [
        Secret(2, "environment variable"),
        Secret(3, "hugging face token"),
        Secret(5, "AWS key id"),
    ]


def test_many_members_are_screened_together():
    clean = redact_all([b"plain", b"HF_TOKEN=abc", b""])
    assert [data for data, _ in clean] == [b"plain", f"HF_TOKEN={MARK}".encode(), b""]


def test_the_last_gate_finds_what_was_escaped():
    columns = {"a": pa.array(["x", None, f"see {HF}"]), "b": pa.array(["y", "z", None])}
    (name, column, rows), *rest = redact_columns(columns)
    assert (name, column.to_pylist(), rows, rest) == ("a", ["x", None, f"see {MARK}"], [2], [])


@given(st.binary(max_size=300))
def test_any_bytes_are_taken(data):
    clean, _ = redact(data + b" HF_TOKEN=zzz123 " + data)
    assert b"zzz123" not in clean


@pytest.mark.parametrize(
    "text", [b"A" * 2_000_000, b"hf_" + b"a" * 2_000_000, b"_KEY" * 500_000, b"://" * 700_000, b"bearer " * 300_000]
)
def test_hostile_text_takes_linear_time(text):
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 5
