"""The Windows archive and the MSI, made of the cross-compiled host: what is in them, their sums, and both installed and removed under Wine.

The archive's scripts run in Wine's own command interpreter, the MSI in Wine's `msiexec`: neither is Windows' own.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

import wine
from native_port import IDS
from wine import ROOT, WINE, Machine

HOST = Path(os.environ.get("OUTRIGGER_BIN") or ROOT / "target/debug/outrigger")
NAME = IDS["host_name"]
KEYS = (r"HKCU\Software\Google", r"HKCU\Software\Chromium", r"HKCU\Software\Microsoft\Edge", r"HKCU\Software\Mozilla", r"HKCU\Software\BraveSoftware",
        r"HKCU\Software\Vivaldi")


def setUpModule():
    global folder, out, machine
    folder = Path(tempfile.mkdtemp(prefix="outrigger-windows-"))
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    named = os.environ.get("OUTRIGGER_WINDOWS_PACKAGES")
    Machine.built = wine.build()
    if named:
        out = Path(named)
    else:
        out = folder / "out"
        program = folder / "outrigger.exe"
        shutil.copy2(Machine.built / "outrigger.exe", program)
        subprocess.run(["x86_64-w64-mingw32-strip", program], check=True)
        builds = []
        for browser in ("chrome", "firefox"):
            build = ROOT / f"extension/.output/{browser}-mv3"
            if not (build / "manifest.json").is_file():
                build = folder / browser
                build.mkdir()
                (build / "manifest.json").write_text('{"manifest_version": 3, "name": "stand-in", "version": "0"}')
            builds += [f"--{browser}", build]
        words = [ROOT / "installers/build.sh", "--binary", HOST, "--windows", program, "--out", out, "--kinds", "windows,msi,definitions", *builds]
        for again in ("", "-again"):
            words[6] = folder / f"out{again}"
            done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1760000000"})
            if done.returncode != 0:
                raise AssertionError(f"{words} failed ({done.returncode}): {done.stderr}")
    machine = Machine()
    unittest.addModuleCleanup(machine.close)
    # Wine lacks a library that Windows has; programs find it where their system keeps its own.
    shutil.copy2(Machine.built / "bcryptprimitives.dll", machine.drive / "windows/system32")


def made(ending):
    found = [path for path in out.iterdir() if path.name.endswith(ending)]
    if not found:
        raise unittest.SkipTest(f"no {ending} was made here: its tool is missing")
    return found[0]


def cmd(*words, timeout=120):
    return subprocess.run([WINE, *map(str, words)], env=machine.environment, capture_output=True, timeout=timeout)


def keys():
    found = {}
    for key in KEYS:
        found.update(machine.registry(key))
    return found


def disk():
    """All of the user's files, beside Windows' own temporary ones."""
    users = machine.drive / "users"
    return sorted(str(path.relative_to(users)) for path in users.rglob("*") if path.is_file() and not {"Temp", "temp"} & set(path.parts))


class WindowsPackages(unittest.TestCase):
    def proven(self):
        """What was installed is right by the registry, the files and its own doctor."""
        program = next((machine.drive / "users").rglob("Programs/Outrigger/bin/outrigger.exe"))
        values = machine.registry(r"HKCU\Software\Google")
        (value,) = [list(values[key].values())[0] for key in values if key.endswith(f"\\{NAME}")]
        manifest = json.loads((machine.drive / value.removeprefix("C:\\").replace("\\", "/")).read_text())
        self.assertTrue(manifest["path"].lower().endswith("outrigger.exe"), manifest)
        answer = json.loads(cmd(program, "doctor", "--json", "--browser", "chrome").stdout)
        checks = {check["id"]: check["verdict"] for check in answer["browsers"][0]["checks"]}
        for check in ("registry.value", "manifest.allowed", "binary.exists", "host.hello", "host.echo", "host.exit"):
            self.assertEqual(checks[check], "ok", answer)
        self.assertTrue((program.parent.parent / "share/outrigger/extension/chrome/manifest.json").is_file())
        return program

    def test_the_archive_has_what_it_says(self):
        sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
        archive = made(".zip")
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        self.assertEqual(sums[archive.name], digest)
        self.assertEqual(json.loads((out / "definitions/scoop/outrigger.json").read_text())["architecture"]["64bit"]["hash"], digest)
        with zipfile.ZipFile(archive) as opened:
            self.assertIsNone(opened.testzip())
            names = {name.split("/", 1)[1] for name in opened.namelist()}
            top = {name.split("/", 1)[0] for name in opened.namelist()}
            bill = json.loads(opened.read(f"{archive.stem}/share/outrigger/doc/sbom.cdx.json"))
            program = opened.read(f"{archive.stem}/bin/outrigger.exe")
        self.assertEqual(top, {archive.stem})
        self.assertLessEqual({"install.cmd", "install.ps1", "uninstall.cmd", "bin/outrigger.exe", "share/outrigger/extension/chrome/manifest.json",
                              "share/outrigger/extension/firefox/manifest.json", "share/outrigger/policies/chrome-managed.json",
                              "share/outrigger/outrigger.ps1", "share/outrigger/doc/install.md"}, names)
        self.assertEqual(program[:2], b"MZ")
        self.assertEqual(bill["metadata"]["component"]["hashes"][0]["content"], hashlib.sha256(program).hexdigest())
        self.assertIn("windows-sys", {part["name"] for part in bill["components"]})

    def test_two_builds_are_the_same(self):
        again = folder / "out-again"
        if not again.is_dir():
            self.skipTest("the packages were named, not built here")
        self.assertEqual((out / "SHA256SUMS").read_text(), (again / "SHA256SUMS").read_text())

    def test_the_archive_is_installed_and_removed(self):
        with zipfile.ZipFile(made(".zip")) as opened:
            opened.extractall(machine.drive)
        before = (keys(), disk())
        tree = "C:\\" + made(".zip").stem
        done = cmd("cmd", "/c", f"{tree}\\install.cmd", "--browser", "chrome,edge,firefox")
        self.assertEqual(done.returncode, 0, done)
        self.proven()
        done = cmd("cmd", "/c", f"{tree}\\uninstall.cmd", "--purge")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual((keys(), disk()), before)

    def test_the_msi_is_installed_and_removed(self):
        msi = made(".msi")
        shutil.copy2(msi, machine.drive / "outrigger.msi")
        self.assertIn(hashlib.sha256(msi.read_bytes()).hexdigest().upper(), (out / "definitions/winget/Outrigger.Outrigger.installer.yaml").read_text())
        before = (keys(), disk())
        (machine.drive / "users" / os.environ.get("USER", "root") / "AppData/Local/Google/Chrome/User Data/Default").mkdir(parents=True)
        done = cmd("msiexec", "/i", "C:\\outrigger.msi", "/qn")
        self.assertEqual(done.returncode, 0, done)
        program = self.proven()
        done = cmd("msiexec", "/x", "C:\\outrigger.msi", "/qn")
        self.assertEqual(done.returncode, 0, done)
        self.assertFalse(program.exists())
        left = [name for name in disk() if name not in before[1] and not re.search(r"outrigger/(state|log|installed\.lock)|/log/", name)]
        self.assertEqual((keys(), left), (before[0], []))


if __name__ == "__main__":
    unittest.main()
