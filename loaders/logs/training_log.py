"""Read one training log: its markers, steps, metrics, and the diagnosis of a failure.

Source:  `training-<job>.log` members (release format 2.4): free text, possibly with terminal colours.
Yields:  LogEvent in line order; `event` is a word of EVENTS. All values are text.
Units:   as printed; lines count from 1 and end with a newline (a carriage return starts no line).
Missing: a marker that is absent yields nothing.
Errors:  none. Bytes that are not UTF-8 are shown as escapes; a long line is cut in `text` only.

The diagnosis is the first rule of DIAGNOSIS whose words stand in the lower-cased log. It means something only for a
run whose exit
code is not 0: a log that shows no failure gets the last rule, `runtime`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

EVENTS = (
    "step",  # training/global_step:<n>; name is `exact`, or `glued` when the token is part of a longer one
    "metric",  # a metric of METRICS on a step line
    "completed_step",  # step:<n> - at a word start
    "dataset_len",  # the first, before filtering
    "filter_dataset_len",  # the first, after filtering
    "setting",  # an entry of SETTINGS in the printed configuration, each distinct value once
    "watchdog",  # the launcher killed a stalled payload
    "device_memory_message",  # CUDA out of memory, or torch's OutOfMemoryError, in exactly these letters; the first
    "failure_phrase",  # a phrase of the rule that decides, where it stands first
    "diagnosis",  # name is the failure kind, value the number of the rule
)
METRICS = (
    "response_length/mean", "response_length/max", "response_length/min",
    "prompt_length/mean", "prompt_length/max", "prompt_length/min", "actor/grad_norm",
)  # fmt: skip
SETTINGS = ("total_training_steps", "save_freq", "test_freq", "val_before_train", "merge")

OUT_OF_MEMORY = b"out of memory"
# One rule: the failure kind, and alternatives; an alternative holds when all its phrases stand in the log.
DIAGNOSIS: tuple[tuple[str, tuple[tuple[bytes, ...], ...]], ...] = (
    (
        "instrumentation_missing_phase_hook",
        ((b"has no attribute '_mark_phase'",), (b'has no attribute "_mark_phase"',)),
    ),
    ("model_cache_vocabulary_load", ((b"unable to load vocabulary from file",),)),
    ("hf_rate_limit", ((b"429 too many requests", b"huggingface"),)),
    ("empty_dataloader", ((b"train dataloader is empty",),)),
    ("insufficient_allocated_gpus", ((b"total available gpus", b"is less than total desired gpus"),)),
    (
        "distributed_port_collision",
        tuple(
            (cause, place)
            for cause in (b"eaddrinuse", b"address already in use")
            for place in (b"distnetworkerror", b"tcpstore", b"server socket")
        ),
    ),
    ("launcher_mutation_race", ((b"command not found", b"er.n_gpus_per_node"),)),
    (
        "weight_sync_oom",
        tuple(
            (OUT_OF_MEMORY, place)
            for place in (
                b"actor_rollout_update_weights", b"checkpoint_manager.update_weights(", b"actor_wg.update_weights(",
            )
        ),
    ),
    (
        "rollout_init_memory",
        (
            (b"max seq len", b"kv cache"),
            (b"maximum sequence length", b"kv cache"),
            (b"no available memory for the cache blocks",),
            (b"free memory on device", b"desired gpu memory utilization"),
        ),
    ),
    (
        "rollout_init_memory",
        tuple(
            (OUT_OF_MEMORY, place)
            for place in (
                b"engine core initialization failed", b"compile_or_warm_up_model", b"capture_model",
                b"capturing cuda graphs",
            )
        ),
    ),
    ("cuda_oom", ((OUT_OF_MEMORY,),)),
    ("vllm_executor_failure", ((b"executor failed",),)),
    ("timeout", ((b"timed out",), (b"time limit",))),
    ("environment", ((b"importerror",), (b"modulenotfounderror",))),
    ("configuration", ((b"error executing job with overrides",),)),
    ("runtime", ((),)),
)  # fmt: skip
FEW_SEQUENCES = 8
_CONTROL = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
_NUMBER = re.compile(rb"(?:np\.float(?:32|64)\()?(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|nan|-?inf)")
_METRICS = tuple((name.encode(), name.encode() + b":") for name in METRICS)
# Markers: the literal they begin with, which `bytes.find` seeks faster than any pattern, and what follows it.
_STEP = b"training/global_step:", re.compile(rb"([0-9]+)")
_COMPLETED = b"step:", re.compile(rb"([0-9]+) -")
_LENGTH = b"dataset len: ", re.compile(rb"([0-9]+)")
_WATCHDOG = b"fatal_engine_watchdog:", re.compile(rb"")
_SETTING_VALUE = re.compile(rb"([^,}\s]+)")
_DEVICE_MEMORY = (b"CUDA out of memory", b"torch.OutOfMemoryError", b"torch.cuda.OutOfMemoryError")
# Every alternative of every rule but the last has its first phrase here, and so has every message of device memory.
_SCREEN = (
    "|".join(
        "|".join(re.escape(alternative[0].decode()) for alternative in alternatives)
        for _, alternatives in DIAGNOSIS
        if alternatives != ((),)
    )
    + "|outofmemoryerror"
)


class LogEvent(NamedTuple):
    """One thing the log says. `text` is its line, or the part of it that matters."""

    line_number: int
    event: str
    step: str | None
    name: str | None
    value: str | None
    text: str


class Diagnosis(NamedTuple):
    """The failure kind, the number of the rule in DIAGNOSIS (from 1), and where each deciding phrase stands first."""

    kind: str
    rule: int
    phrases: tuple[tuple[int, bytes], ...]


NO_RULE = Diagnosis(DIAGNOSIS[-1][0], len(DIAGNOSIS), ())


class _Found(NamedTuple):
    position: int
    event: str
    step: bytes | None = None
    name: bytes | None = None
    value: bytes | None = None
    end: int | None = None  # the text ends here; None: it is the whole line


def without_control_sequences(data: bytes) -> bytes:
    """`data` without terminal colours and cursor movements."""
    for _ in range(FEW_SEQUENCES):
        # A log repeats a handful of sequences on every line: replacing each of them everywhere is fastest.
        start = data.find(b"\x1b[")
        if start < 0:
            return data
        if (sequence := _CONTROL.match(data, start)) is None:
            break
        data = data.replace(sequence[0], b"")
    return _CONTROL.sub(b"", data)


def may_show_failures(logs: list[bytes]) -> list[bool]:
    """Whether a rule but the last can hold for each log, or device memory is named.

    One pass of RE2 over all of them, without the interpreter's lock.
    """
    return pc.match_substring_regex(pa.array(logs, pa.large_binary()), _SCREEN, ignore_case=True).to_pylist()


def read_training_log(data: bytes, text_bytes: int, may_show_failure: bool = True) -> Iterator[LogEvent]:
    """Yield the events of a log that is free of control sequences and secrets."""
    found = [*_steps(data), *_settings(data), *_lengths(data)]
    found += [
        _Found(start, "completed_step", step=match[1], end=match.end())
        for start, match in _marked(data, *_COMPLETED)
        if not _continues(data[start - 1 : start])
    ]
    found += [_Found(start, "watchdog") for start, _ in _marked(data, *_WATCHDOG)]
    messages = [
        (start, message) for message in _DEVICE_MEMORY if may_show_failure and (start := data.find(message)) >= 0
    ]
    if messages:
        start, message = min(messages)
        found.append(_Found(start, "device_memory_message", name=message))
    diagnosis = diagnose(data) if may_show_failure else NO_RULE
    found += [_Found(position, "failure_phrase", name=phrase) for position, phrase in diagnosis.phrases]
    line, counted = 1, 0
    for item in sorted(found, key=lambda item: item.position):
        line += data.count(b"\n", counted, item.position)
        counted = item.position
        yield LogEvent(
            line, item.event, _text(item.step), _text(item.name), _text(item.value), _excerpt(data, item, text_bytes)
        )
    last = line + data.count(b"\n", counted) - data.endswith(b"\n") if data else 0
    yield LogEvent(last, "diagnosis", None, diagnosis.kind, str(diagnosis.rule), "")


def diagnose(data: bytes) -> Diagnosis:
    """The first rule that the log fulfils; for runs with a non-zero exit code only."""
    lowered = data.lower()
    places: dict[bytes, int] = {}

    def stands(phrase: bytes) -> bool:
        if phrase not in places:
            places[phrase] = lowered.find(phrase)
        return places[phrase] >= 0

    for number, (kind, alternatives) in enumerate(DIAGNOSIS, 1):
        for phrases in alternatives:
            if all(stands(phrase) for phrase in phrases):
                return Diagnosis(kind, number, tuple((places[phrase], phrase) for phrase in phrases))
    raise AssertionError("the last rule always holds")


def _marked(data: bytes, literal: bytes, value: re.Pattern[bytes]) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Where `literal` stands and what `value` matches right behind it."""
    start = data.find(literal)
    while start >= 0:
        if match := value.match(data, start + len(literal)):
            yield start, match
        start = data.find(literal, start + len(literal))


def _steps(data: bytes) -> Iterator[_Found]:
    for start, match in _marked(data, *_STEP):
        glued = _continues(data[start - 1 : start]) or _continues(data[match.end() : match.end() + 1])
        yield _Found(start, "step", match[1], b"glued" if glued else b"exact")
        line_start = data.rfind(b"\n", 0, start) + 1
        line_end = data.find(b"\n", match.end())
        if line_end < 0:
            line_end = len(data)
        for name, literal in _METRICS:
            place = data.find(literal, line_start, line_end)
            if place >= 0 and (number := _NUMBER.match(data, place + len(literal), line_end)):
                yield _Found(place, "metric", match[1], name, number[1], number.end())


def _continues(character: bytes) -> bool:
    return character.isalnum() or character in (b"_", b".", b"/")


def _settings(data: bytes) -> Iterator[_Found]:
    for name in SETTINGS:
        seen = set()
        for start, match in _marked(data, f"'{name}': ".encode(), _SETTING_VALUE):
            if match[1] not in seen:
                seen.add(match[1])
                yield _Found(start, "setting", None, name.encode(), match[1], match.end())


def _lengths(data: bytes) -> Iterator[_Found]:
    seen = set()
    for start, match in _marked(data, *_LENGTH):
        event = "filter_dataset_len" if data[max(start - 7, 0) : start] == b"filter " else "dataset_len"
        if event not in seen:
            seen.add(event)
            yield _Found(start, event, value=match[1], end=match.end())


def _excerpt(data: bytes, item: _Found, text_bytes: int) -> str:
    if item.end is not None:
        return _text(data[item.position : min(item.end, item.position + text_bytes)])
    start = max(data.rfind(b"\n", 0, item.position) + 1, item.position - text_bytes // 2)
    end = data.find(b"\n", item.position)
    end = len(data) if end < 0 else end
    return _text(data[start : min(end, start + text_bytes)])


def _text(raw: bytes | None) -> str | None:
    if raw is None:
        return None
    text = raw.decode("utf-8", "backslashreplace").rstrip("\r")
    return text.replace("\0", "\\x00") if "\0" in text else text
