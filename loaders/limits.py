"""How much an archive may ask of the machine that reads it.

Every limit is a refusal with a clear message, never a silent cut. The defaults leave room for an archive some forty
times the size of the published ones (1.4 GB decompressed, 21,376 members, ratio 8.5: release format 1.6).
"""

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


@dataclass(frozen=True)
class Limits:
    """Upper bounds of one load; all sizes in bytes.

    decompressed_bytes   the whole tar stream after decompression
    compression_ratio    decompressed / compressed, judged once `ratio_floor_bytes` have come out
    ratio_floor_bytes    below this much output no ratio is judged: small archives of zeros are harmless
    window_bytes         memory a Zstandard frame may require of its reader
    members              members of one archive; each costs a few hundred bytes of bookkeeping
    member_bytes         one member
    path_bytes           one member name or link text
    header_bytes         one extended tar header (pax record set, GNU long name)
    manifest_bytes       the in-archive manifest
    record_bytes         one JSON, JSON-lines, CSV or accounting member; they are held whole while read
    log_bytes            one training log; held whole while read
    line_bytes           one line of a trace; a longer one is rejected without being held
    text_bytes           text of one line that is kept in a raw row; the rest is cut and marked
    trace_piece_bytes    how much of a trace is in memory at once
    pending_trace_bytes  parsed traces that wait for their siblings before they are reduced to digests
    rejects_per_member   rejected lines of one member that are listed; further ones are counted
    stage_words          distinct stage words of one archive
    """

    decompressed_bytes: int = 64 * GIB
    compression_ratio: int = 200
    ratio_floor_bytes: int = 64 * MIB
    window_bytes: int = 128 * MIB
    members: int = 250_000
    member_bytes: int = 4 * GIB
    path_bytes: int = 4 * KIB
    header_bytes: int = MIB
    manifest_bytes: int = 64 * MIB
    record_bytes: int = 16 * MIB
    log_bytes: int = 32 * MIB
    line_bytes: int = MIB
    text_bytes: int = 16 * KIB
    trace_piece_bytes: int = 4 * MIB
    pending_trace_bytes: int = 64 * MIB
    rejects_per_member: int = 10_000
    stage_words: int = 200


DEFAULTS = Limits()
