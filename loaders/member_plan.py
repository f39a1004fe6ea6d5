"""Decide for each member of an archive whether and as what it is read, and say so in its row of `members`."""

from collections.abc import Iterator

from loaders import slots
from loaders.archives import Delivery
from loaders.containers.member import DIRECTORY, FILE, Member
from loaders.findings import Finding
from loaders.limits import Limits
from loaders.member_manifest import MANIFEST_PATH, Entry
from loaders.slots import Placement, place

STREAMED = frozenset({"phase_memory", "gpu_memory", "gpu_telemetry"})


class MemberPlan:
    """What is read of an archive. `want` is asked once for each file in archive order; the rest when all have come."""

    def __init__(self, limits: Limits):
        self._limits = limits
        self._placements: dict[str, Placement] = {}
        self._read_as: dict[str, str] = {}
        self._first_of: dict[tuple[str | None, ...], str] = {}
        self._repeated: list[tuple[str, str]] = []

    def want(self, member: Member) -> Delivery:
        """How the member's content is delivered."""
        placement = self._placements[member.path] = place(member.path)
        self._read_as[member.path] = reason = self._decision(member, placement)
        if reason != placement.kind or not placement.is_read:
            return Delivery.NONE
        return Delivery.STREAM if reason in STREAMED else Delivery.WHOLE

    def placement(self, path: str) -> Placement:
        """Where a member belongs; links and folders were never asked for."""
        return self._placements.get(path) or place(path)

    def rows(self, members: dict[str, Member], entries: dict[str, Entry]) -> Iterator[dict[str, object]]:
        """One row for each member."""
        for member in members.values():
            reason = {DIRECTORY: "folder", FILE: self._read_as.get(member.path, "listed")}.get(member.kind, "link")
            entry = entries.get(member.path)
            yield self.placement(member.path)._asdict() | {
                "member_path": member.path,
                "member_type": member.kind,
                "byte_offset": member.offset,
                "link_target": member.link_target,
                "size_bytes": member.size,
                "sha256": member.sha256,
                "category": entry.category if entry else None,
                "read_as": "manifest" if member.path == MANIFEST_PATH else reason,
            }

    def findings(self, members: dict[str, Member]) -> Iterator[Finding]:
        """What the layout as a whole shows."""
        for first, second in self._repeated:
            if members[first].sha256 != members[second].sha256:
                detail = f"another record of the same attempt, and it differs from {first}, which was read"
                yield Finding("second_record", second, None, detail)
        for path, reason in self._read_as.items():
            if reason == "too_large":
                yield Finding("member_too_large", path, None, f"{members[path].size} bytes; it was not read")
        groups = {placed.run_group for placed in self._placements.values() if placed.group_status == slots.UNKNOWN}
        for group in sorted(groups):
            yield Finding("unknown_run_group", f"output/{group}", None, "read, but of no known study")
        yield from self._unexpected_layouts(members)

    def _unexpected_layouts(self, members: dict[str, Member]) -> Iterator[Finding]:
        """The estimation panels have one attempt folder a slot and no trial beside it (release format 2.1)."""
        attempts: dict[tuple[str | None, str | None], str | None] = {}
        for path in members:
            placement = self.placement(path)
            if placement.study not in slots.ONE_ATTEMPT_STUDIES or placement.kind != "trial":
                continue
            if placement.level == slots.SLOT:
                yield Finding("unexpected_trial_link", path, None, "this study has trials in attempt folders only")
            elif (
                attempts.setdefault((placement.run_group, placement.experiment_id), placement.job_id)
                != placement.job_id
            ):
                yield Finding("second_attempt", path, None, "this study has one attempt a slot")

    def _decision(self, member: Member, placement: Placement) -> str:
        if not placement.is_read:
            if placement.kind == slots.PICKLE:
                return slots.PICKLE
            return slots.UNCOUNTED if placement.group_status == slots.UNCOUNTED else "listed"
        limit = self._limits.log_bytes if placement.kind == "training_log" else self._limits.record_bytes
        if placement.kind not in STREAMED and member.size > limit:
            return "too_large"
        if placement.job_id is not None and placement.experiment_id is not None and placement.kind != "allocator_trace":
            # A link's copy beside its target is the same record: one attempt, one row.
            identity = (placement.run_group, placement.experiment_id, placement.job_id, placement.kind)
            first = self._first_of.setdefault(identity, member.path)
            if first != member.path:
                self._repeated.append((first, member.path))
                return "repeated"
        return placement.kind
