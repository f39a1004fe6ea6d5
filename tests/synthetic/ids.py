"""The hashed identifiers of the release, by the recipes of release format 4.1."""

import hashlib
import json


def hashed(kind: str, value: object) -> str:
    """`<kind>-` and sixteen digits of the SHA-256 of `value` as compact JSON with sorted keys."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True)
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def configuration_id(settings: dict[str, str]) -> str:
    """Of all settings as text; capacity and limit are hashed as numbers."""
    numbers = {name: int(settings[name]) for name in ("device_capacity_mib", "margin_limit_mib")}
    return hashed("cfg", settings | numbers)


def case_id(settings: dict[str, str]) -> str:
    """Of what the settings of one case have in common."""
    names = ("study", "model_family", "workload_id", "gpu_count", "total_training_steps")
    return hashed("case", {name: settings[name] for name in names})
