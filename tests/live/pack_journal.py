# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a journal small enough to keep as test data:  pack_journal.py IN.kvcliff OUT.kvcliff.zst [--first-pages]
    [--model CONFIG.json BYTES] [OLD=NEW ...]

Every metrics page, counter snapshot and stream of a journal is a zstd frame of its own, and neighbours are nearly equal.
Rewritten as frames of stored blocks they stay readable for any zstd, and one zstd over the whole file then sees what they
share: a fifth of the size. Takes out nothing, but with --first-pages the raw text of answers, and of metrics pages all but
the first of each session; sealed verdicts do not cover raw text. OLD=NEW replaces paths of the machine that measured in
every text, and the plan's hash follows. --model gives journals of programs that did not yet note their model what later ones
note: its config.json, and the KV bytes per token over all ranks (kvcliff-cli model CONFIG.json) for each arm. A journal that
knows its model keeps what it knows. IN may be packed already. Needs the zstd program.
"""
import hashlib
import json
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile

BLOCK = 128 * 1024  # bytes; the largest block that the format allows


def zstd(*args, data):
    return subprocess.run(["zstd", "-q", *args, "-c"], input=data, capture_output=True, check=True).stdout


def stored_frame(data):
    """A frame (RFC 8878) with an 8-byte content size, one segment, no checksum, and raw blocks only."""
    out = bytearray(struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data)))
    pieces = [data[i:i + BLOCK] for i in range(0, len(data), BLOCK)] or [b""]
    for n, piece in enumerate(pieces):
        out += (len(piece) << 3 | (n == len(pieces) - 1)).to_bytes(3, "little") + piece
    return bytes(out)


def replace_texts(db, pairs):
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall():
        for column in [c[1] for c in db.execute(f"PRAGMA table_info({table})") if c[2] == "TEXT"]:
            for old, new in pairs:
                db.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE instr({column}, ?)", (old, new, old))
    for row, text in db.execute("SELECT id, plan FROM experiments").fetchall():  # canonical JSON as stored
        db.execute("UPDATE experiments SET plan_hash = ? WHERE id = ?", (hashlib.sha256(text.encode()).hexdigest(), row))


def note_model(db, config, bytes_per_token):
    for row, host, plan in db.execute("SELECT id, host, plan FROM experiments").fetchall():
        facts = json.loads(host) or {}
        if "model" in facts:
            continue
        arms = [arm["name"] for arm in json.loads(plan)["arms"]]
        facts["model"] = {"config": config, "kv_bytes_per_token": {arm: bytes_per_token for arm in arms}}
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        db.execute("UPDATE experiments SET host = ? WHERE id = ?", (text, row))


def main(source, target, *rest):
    rest = list(rest)
    model = None
    if "--model" in rest:
        at = rest.index("--model")
        with open(rest[at + 1]) as f:
            model = (json.load(f), int(rest[at + 2]))
        del rest[at:at + 3]
    flags = [a for a in rest if a.startswith("--")]
    pairs = [a.split("=", 1) for a in rest if not a.startswith("--")]
    data = open(source, "rb").read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "journal")
        with open(path, "wb") as f:
            f.write(zstd("-d", "--long=27", data=data) if source.endswith(".zst") else data)
        if os.path.exists(source + "-wal"):  # of a program that was killed: its last pages
            with open(path + "-wal", "wb") as f:
                f.write(open(source + "-wal", "rb").read())
        db = sqlite3.connect(path)
        db.execute("PRAGMA journal_mode=DELETE")
        if "--first-pages" in flags:
            db.execute("UPDATE request_details SET raw_zstd = NULL")
            db.execute("UPDATE scrapes SET raw_zstd = NULL WHERE id NOT IN (SELECT min(id) FROM scrapes GROUP BY session_id)")
        if model:
            note_model(db, *model)
        if pairs:
            replace_texts(db, pairs)
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for column in [c[1] for c in db.execute(f"PRAGMA table_info({table})") if c[1].endswith("_zstd")]:
                for row, blob in db.execute(f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL").fetchall():
                    db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (stored_frame(zstd("-d", data=blob)), row))
        db.commit()
        db.execute("VACUUM")
        db.close()
        with open(target, "wb") as f:
            f.write(zstd("--ultra", "-22", "--long=27", data=open(path, "rb").read()))


if __name__ == "__main__":
    main(*sys.argv[1:])
