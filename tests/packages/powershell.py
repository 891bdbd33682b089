#!/usr/bin/env python3
"""Reads what packages give to PowerShell as PowerShell would, without running it: the installer's script, completions, Scoop's lines.

    powershell.py OUTRIGGER

Needs tree-sitter and tree-sitter-powershell (`need_powershell_reader` in tests/setup.sh). A grammar is not PowerShell: what it accepts can
still fail there; what it does not accept is wrong.
"""
import re
import subprocess
import sys
from pathlib import Path

import tree_sitter_powershell
from tree_sitter import Language, Parser

ROOT = Path(__file__).resolve().parent.parent.parent
PARSER = Parser(Language(tree_sitter_powershell.language()))


def faults(text):
    """The lines in which something does not belong."""
    # The grammar does not know a block as a method's one argument, which needs no parentheses.
    text = re.sub(r"\.Where(\{[^}]*\})", r".Where(\1)", text)
    found, waiting = [], [PARSER.parse(text.encode()).root_node]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            found.append(node.start_point[0] + 1)
        waiting.extend(child for child in node.children if child.has_error or child.is_missing)
    return sorted(found)


def texts(program):
    yield "installers/archive/install.ps1", (ROOT / "installers/archive/install.ps1").read_text()
    yield "completions", subprocess.run([program, "completions", "powershell"], check=True, capture_output=True, text=True).stdout
    sys.path.insert(0, str(ROOT / "installers"))
    import definitions
    import json
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "outrigger-1.2.3-windows-x86_64.zip").write_bytes(b"x")
        scoop = json.loads(definitions.scoop(Path(folder), "1.2.3", "https://example.org"))
    for key in ("post_install", "pre_uninstall"):
        for line in scoop[key]:
            yield f"Scoop, {key}", line
    yield "Scoop, notes", scoop["notes"][-1]
    for place, line in re.findall(r"^(PS> )(.*)$", (ROOT / "docs/install.md").read_text(), re.M):
        yield "docs/install.md", line


def main():
    # What reads everything proves nothing.
    assert faults("if ($a { b }") and faults('& (Join-Path $PSScriptRoot "install.cmd" @args') and not faults("if ($a) { b }")
    wrong = [f"{name}, line {line}" for name, text in texts(sys.argv[1]) for line in faults(text)]
    for words in wrong:
        print(words)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
