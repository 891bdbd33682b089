#!/usr/bin/env python3
"""Makes two builds of one MSI the same: `wixl` writes the time of day and a random number into it.

    installers/msi/steady.py FILE.msi

The number (the package code, which has to differ between packages that differ) becomes one made of the rest of the file, the times become
SOURCE_DATE_EPOCH. What is not found exactly where it is expected is an error, not a guess.
"""
import datetime
import hashlib
import os
import re
import struct
import subprocess
import sys
import uuid
from pathlib import Path


def filetime(seconds):
    return struct.pack("<Q", (seconds + 11644473600) * 10_000_000)


def main():
    file = Path(sys.argv[1])
    told = subprocess.run(["msiinfo", "suminfo", file], capture_output=True, text=True, check=True, env={**os.environ, "TZ": "UTC", "LC_ALL": "C"}).stdout
    code = re.search(r"^Revision number \(UUID\): (\{[0-9A-F-]{36}\})$", told, re.M).group(1).encode()
    date = filetime(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    content = file.read_bytes()
    for what in ("Created", "Last saved"):
        words = re.search(rf"^{what}: (.+)$", told, re.M).group(1)
        moment = datetime.datetime.strptime(words, "%a %b %d %H:%M:%S %Y").replace(tzinfo=datetime.timezone.utc)
        content = content.replace(filetime(int(moment.timestamp())), date)
    if content.count(code) != 1 or content.count(date) < 2:
        raise SystemExit(f"steady.py: {file} does not have its number and its times where wixl 0.101 puts them")
    rest = content.replace(code, b"")
    number = uuid.UUID(bytes=hashlib.sha256(rest).digest()[:16], version=5)
    file.write_bytes(content.replace(code, ("{" + str(number).upper() + "}").encode()))


if __name__ == "__main__":
    main()
