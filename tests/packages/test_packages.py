"""Packages of this checkout's host: made twice, the same both times; installed into a fresh home, proven, taken out again.

Runs with the binary that OUTRIGGER_BIN names, or the debug build. The extension's builds are taken where they are there, else
a stand-in: what is tested is the packaging.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
import zipfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = Path(os.environ.get("OUTRIGGER_BIN") or ROOT / "target/debug/outrigger")


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words} failed ({done.returncode}):\n{done.stdout}\n{done.stderr}")
    return done.stdout


def extension(folder, name):
    built = ROOT / "extension/.output" / name
    if (built / "manifest.json").is_file():
        return built
    stand_in = folder / name
    stand_in.mkdir(parents=True)
    (stand_in / "manifest.json").write_text('{"manifest_version": 3, "name": "stand-in", "version": "0"}')
    return stand_in


def everything(folder):
    """Every name below a folder, with what is in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="outrigger-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        # A smaller binary packs faster; what it does stays the same.
        cls.binary = cls.folder / "outrigger"
        shutil.copy2(BINARY, cls.binary)
        if shutil.which("strip"):
            run("strip", cls.binary)
        cls.outs = []
        for name in ("one", "two"):
            work = cls.folder / name
            (work / "tmp").mkdir(parents=True)
            run(ROOT / "installers/build.sh", "--binary", cls.binary, "--out", work / "out",
                "--chrome", extension(work, "chrome-mv3"), "--firefox", extension(work, "firefox-mv3"),
                env={**os.environ, "TMPDIR": str(work / "tmp"), "SOURCE_DATE_EPOCH": "1760000000", "OUTRIGGER_PACK_LEVEL": "1"})
            cls.outs.append(work / "out")

    def made(self, ending):
        found = [path for path in self.outs[0].iterdir() if path.name.endswith(ending)]
        if not found:
            self.skipTest(f"no {ending} was made here: its tool is missing")
        return found[0]

    def environment(self, home):
        return {"HOME": str(home), "PATH": "/usr/bin:/bin", "USER": "ada"}

    def test_two_builds_in_two_folders_are_the_same(self):
        sums = [(out / "SHA256SUMS").read_text() for out in self.outs]
        self.assertGreaterEqual(len(sums[0].splitlines()), 3)
        self.assertEqual(*sums)
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.outs[0])

    def test_an_archive_is_installed_proven_and_taken_out(self):
        where, home = self.folder / "unpacked", self.folder / "home"
        where.mkdir()
        for trace in (".config/google-chrome/Default", ".mozilla/firefox/x.default"):
            (home / trace).mkdir(parents=True)
        before = everything(home)
        run("tar", "-xf", self.made(".tar.gz"), "-C", where)
        (tree,) = where.iterdir()
        environment = self.environment(home)
        said = run(tree / "install.sh", "--browser", "chrome,firefox", env=environment)
        self.assertIn("chrome://extensions", said)
        # The archive is no longer needed: what was installed stands by itself.
        command = home / ".local/bin/outrigger"
        moved = tree.rename(where / "moved")
        answer = json.loads(run(command, "doctor", "--json", "--browser", "chrome,firefox", env=environment))
        self.assertTrue(all(browser["ok"] for browser in answer["browsers"]), answer)
        self.assertTrue((home / ".local/share/outrigger/extension/chrome/manifest.json").is_file())
        # A newer archive keeps the browsers that were chosen, and who may start it.
        manifest = home / ".config/google-chrome/NativeMessagingHosts/dev.outrigger.host.json"
        written = manifest.read_bytes()
        run(moved / "install.sh", env=environment)
        self.assertEqual(manifest.read_bytes(), written)
        run(moved / "uninstall.sh", env=environment)
        self.assertEqual(everything(home), before)
        # The archive may be gone: the command itself takes everything back.
        run(moved / "install.sh", "--browser", "chrome,firefox", env=environment)
        shutil.rmtree(moved)
        run(command, "uninstall", env=environment)
        self.assertEqual(everything(home), before)

    def test_scripts_of_packages_keep_what_an_administrator_chose(self):
        """An update brings the version only; the scripts are run here with a program that writes down what it is asked."""
        asked = self.folder / "asked"
        program = self.folder / "program"
        program.write_text(f'#!/bin/sh\necho "$*" >>{asked}\n')
        program.chmod(0o755)
        install, update = "install --scope system --all --keep", "update-launcher --scope system"
        text = (ROOT / "installers/deb/postinst").read_text().replace("/usr/bin/outrigger", str(program))
        post = re.search(r"(?ms)^%post$(.*?)^%preun$", (ROOT / "installers/rpm/outrigger.spec").read_text())[1]
        post = post.replace("/usr/bin/outrigger", str(program))
        for script, words, wanted in ((text, ["configure"], install), (text, ["configure", ""], install), (text, ["configure", "0.0.9"], update),
                                      (text, ["abort-remove"], install), (text, ["abort-upgrade", "0.0.9"], ""), (post, ["1"], install), (post, ["2"], update)):
            asked.write_text("")
            run("sh", "-c", script, "sh", *words)
            self.assertEqual(asked.read_text().strip(), wanted, words)

    def test_the_host_needs_nothing_but_libc(self):
        listed = run("readelf", "--dynamic", "--wide", self.binary)
        needed = set(re.findall(r"Shared library: \[([^]]+)\]", listed))
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})

    def test_a_deb_has_what_it_says(self):
        package = self.made(".deb")
        self.assertRegex(run("dpkg-deb", "--field", package, "Depends"), r"^libc6 \(>= 2\.\d+\), libgcc-s1\n$")
        root = self.folder / "deb"
        run("dpkg-deb", "--extract", package, root)
        run("dpkg-deb", "--control", package, root / "DEBIAN")
        version = run(self.binary, "--version").split()[1]
        self.assertEqual(run("dpkg-deb", "--field", package, "Version").strip(), version)
        self.assertEqual(run(root / "usr/bin/outrigger", "--version").split()[1], version)
        for script in ("postinst", "prerm"):
            run("sh", "-n", root / "DEBIAN" / script)
        run("md5sum", "--check", "--strict", "DEBIAN/md5sums", cwd=root)
        for name in ("share/bash-completion/completions/outrigger", "share/man/man1/outrigger.1.gz",
                     "share/outrigger/extension/firefox/manifest.json", "share/outrigger/policies/chrome-managed.json",
                     "share/doc/outrigger/install.md"):
            self.assertTrue((root / "usr" / name).is_file(), name)
        owners = {line.split()[1] for line in run("dpkg-deb", "--contents", package).splitlines()}
        self.assertEqual(owners, {"root/root"})

    def test_an_rpm_goes_in_and_out(self):
        package = self.made(".rpm")
        root = self.folder / "rpm"
        root.mkdir()
        rpm = ("rpm", "--root", root, "--nodeps", "--noscripts", "--nosignature")
        run(*rpm[:3], "--initdb")
        run(*rpm, "--install", package)
        program = root / "usr/bin/outrigger"
        self.assertTrue(program.is_file())
        self.assertIn("outrigger install --scope system", run("rpm", "-qp", "--scripts", package))
        run(*rpm, "--erase", "outrigger")
        left = [path for path in root.rglob("*") if path.is_file() and "outrigger" in str(path.relative_to(root))]
        self.assertEqual(left, [])

    def test_every_package_has_completions_and_pages(self):
        archive = self.made(".tar.gz")
        listed = {
            "archive": {name.split("/", 1)[1] for name in run("tar", "-tf", archive).splitlines()},
            "deb": {line.split()[-1].removeprefix("./usr/") for line in run("dpkg-deb", "--contents", self.made(".deb")).splitlines()},
            "rpm": {name.removeprefix("/usr/") for name in run("rpm", "-qpl", self.made(".rpm")).splitlines()},
        }
        wanted = {"share/bash-completion/completions/outrigger", "share/zsh/site-functions/_outrigger",
                  "share/fish/vendor_completions.d/outrigger.fish", "share/man/man1/outrigger.1.gz", "share/man/man1/outrigger-doctor.1.gz"}
        for kind, names in listed.items():
            self.assertLessEqual(wanted, names, kind)
        root = self.folder / "completed"
        root.mkdir()
        run("tar", "-xf", archive, "-C", root, "--strip-components=1")
        asked = 'source "$1"; COMP_WORDS=(outrigger doct); COMP_CWORD=1; _outrigger outrigger doct outrigger; echo "${COMPREPLY[@]}"'
        self.assertEqual(run("bash", "-c", asked, "bash", root / "share/bash-completion/completions/outrigger"), "doctor\n")
        self.assertIn(".TH outrigger-doctor 1", run("gzip", "--decompress", "--stdout", root / "share/man/man1/outrigger-doctor.1.gz"))

    def test_what_it_is_made_of_is_told_to_the_last_package(self):
        told = json.loads(self.made(".cdx.json").read_text())
        self.assertEqual((told["bomFormat"], told["specVersion"], told["version"]), ("CycloneDX", "1.6", 1))
        self.assertRegex(told["serialNumber"], r"^urn:uuid:[0-9a-f-]{36}$")
        program = told["metadata"]["component"]
        self.assertEqual(program["hashes"], [{"alg": "SHA-256", "content": hashlib.sha256(self.binary.read_bytes()).hexdigest()}])
        # Against cargo's own view of it: normal and build dependencies, on this system.
        crates = {(part["name"], part["version"]) for part in told["components"] if part.get("purl", "").startswith("pkg:cargo/")}
        tree = run("cargo", "tree", "--locked", "--offline", "--edges", "normal,build", "--prefix", "none", "--format", "{p}", cwd=ROOT)
        expected = {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}
        expected = {(name, version.removeprefix("v")) for name, version in expected if name != "outrigger"}
        self.assertEqual(crates, expected)
        sums = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
        sums = {(package["name"], package["version"]): package.get("checksum") for package in sums}
        for part in told["components"]:
            if (part["name"], part["version"]) in crates:
                self.assertEqual(part["hashes"], [{"alg": "SHA-256", "content": sums[part["name"], part["version"]]}])
                self.assertTrue(part["licenses"][0]["expression"], part)
        # And the bundle's packages against the lock file.
        (bundle,) = [part for part in told["components"] if part["name"] == "outrigger-extension"]
        packages = json.loads((ROOT / "extension/package-lock.json").read_text())["packages"]
        wanted = {(place.rsplit("node_modules/", 1)[1], package["version"]) for place, package in packages.items()
                  if place and not any(package.get(word) for word in ("dev", "devOptional", "optional", "link"))}
        self.assertEqual({(part["name"], part["version"]) for part in bundle["components"]}, wanted)
        self.assertGreater(len(wanted), 20)
        # Every edge leads to something that is listed.
        listed = {part["bom-ref"] for part in [program, *told["components"], *bundle["components"]]}
        for edge in told["dependencies"]:
            self.assertLessEqual({edge["ref"], *edge["dependsOn"]}, listed)
        root = self.folder / "bill"
        run("dpkg-deb", "--extract", self.made(".deb"), root)
        self.assertEqual(json.loads((root / "usr/share/doc/outrigger/sbom.cdx.json").read_text()), told)

    def test_definitions_have_the_sums_of_the_files(self):
        out = self.outs[0]
        version = run(self.binary, "--version").split()[1]
        archive = self.made(".tar.gz")
        formula = (out / "definitions/brew/outrigger.rb").read_text()
        self.assertIn(f'sha256 "{hashlib.sha256(archive.read_bytes()).hexdigest()}"', formula)
        self.assertIn(f'url "https://github.com/outrigger-dev/outrigger/releases/download/v{version}/{archive.name}"', formula)
        self.assertNotIn("@", formula)
        # What a formula takes from the archive is in it, and nothing of the archive's folders is forgotten.
        names = {name.split("/", 1)[1].rstrip("/") for name in run("tar", "-tf", archive).splitlines() if name.count("/") > 0}
        taken = set(re.findall(r'"(bin/[^"]*|share/[^"]*)"', formula))
        self.assertLessEqual(taken, names)
        self.assertEqual({name for name in names if re.fullmatch("share/[^/]*", name)} - taken, {"share/bash-completion"})
        self.assertIn('bash_completion.install "share/bash-completion/completions/outrigger"', formula)
        # There is no Windows archive here, so nothing is made up about one.
        self.assertEqual([path.name for path in (out / "definitions").iterdir()], ["brew"])
        self.assertIn("definitions/brew/outrigger.rb", (out / "SHA256SUMS").read_text())
        if shutil.which("ruby"):
            run("ruby", "-c", out / "definitions/brew/outrigger.rb")

    def test_definitions_for_windows_and_macos(self):
        """Of files that stand for the real ones: those are made by `--all` (tests/cross)."""
        out = self.folder / "stand-ins"
        out.mkdir()
        for name in ("outrigger-1.2.3-windows-x86_64.zip", "outrigger-1.2.3-macos-arm64.tar.gz"):
            (out / name).write_bytes(name.encode())
        run(ROOT / "installers/definitions.py", "--artefacts", out, "--version", "1.2.3", "--base-url", "https://example.org/d")
        digest = hashlib.sha256(b"outrigger-1.2.3-windows-x86_64.zip").hexdigest()
        scoop = json.loads((out / "definitions/scoop/outrigger.json").read_text())
        place = scoop["architecture"]["64bit"]
        self.assertEqual((scoop["version"], place["hash"], place["url"]), ("1.2.3", digest, "https://example.org/d/outrigger-1.2.3-windows-x86_64.zip"))
        self.assertEqual(place["extract_dir"], "outrigger-1.2.3-windows-x86_64")
        winget = {path.name: path.read_text() for path in (out / "definitions/winget").iterdir()}
        self.assertEqual(sorted(winget), ["Outrigger.Outrigger.installer.yaml", "Outrigger.Outrigger.locale.en-US.yaml", "Outrigger.Outrigger.yaml"])
        for name, text in winget.items():
            # One key a line, no tabs, the schema's own first lines: what yaml's simplest readers take.
            self.assertRegex(text, r"\A# yaml-language-server: \$schema=https://aka\.ms/winget-manifest\.(version|installer|defaultLocale)\.1\.6\.0\.schema\.json\n")
            self.assertNotIn("\t", text)
            for line in ("PackageIdentifier: Outrigger.Outrigger", "PackageVersion: 1.2.3", "ManifestVersion: 1.6.0"):
                self.assertIn(f"\n{line}\n", text)
        self.assertIn(f"InstallerSha256: {digest.upper()}\n", winget["Outrigger.Outrigger.installer.yaml"])
        formula = (out / "definitions/brew/outrigger.rb").read_text()
        self.assertIn("on_macos do\n    on_arm do\n", formula)
        self.assertNotIn("on_linux", formula)

    def test_the_sources_of_other_packages_are_well_formed(self):
        tree = self.folder / "msi"
        (tree / "bin").mkdir(parents=True)
        (tree / "bin/outrigger.exe").write_bytes(b"MZ")
        (tree / "a & b.txt").write_text("x")
        for name in ("one", "two"):
            run(ROOT / "installers/msi/wxs.py", "--tree", tree, "--version", "1.2.3", "--out", self.folder / f"{name}.wxs")
        source = (self.folder / "one.wxs").read_text()
        self.assertEqual(source, (self.folder / "two.wxs").read_text())
        space = "{http://schemas.microsoft.com/wix/2006/wi}"
        document = ElementTree.fromstring(source)
        components = {node.get("Id") for node in document.iter(f"{space}Component")}
        self.assertEqual(components, {node.get("Id") for node in document.iter(f"{space}ComponentRef")})
        self.assertEqual({node.get("Source") for node in document.iter(f"{space}File")}, {"bin/outrigger.exe", "a & b.txt"})
        self.assertEqual({node.get("ExeCommand") for node in document.iter(f"{space}CustomAction")}, {"install --keep", "uninstall"})
        distribution = ElementTree.parse(ROOT / "installers/macos/distribution.xml").getroot()
        self.assertEqual(distribution.find("pkg-ref[@version]").get("id"), "dev.outrigger.host")

    def test_packages_of_other_systems_have_completions_pages_and_tables(self):
        """Of a program that stands for the real ones: those are made, and the Windows ones installed, by `--all` (tests/cross)."""
        work = self.folder / "others"
        has_wixl = shutil.which("wixl") and shutil.which("msiinfo")
        # Without cargo there is no bill: it would want the crates of all those systems.
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in Path("/usr/bin").iterdir():
            if tool.name != "cargo":
                (tools / tool.name).symlink_to(tool)
        run(ROOT / "installers/build.sh", "--binary", self.binary, "--out", work, "--macos", self.binary, "--windows", self.binary,
            "--kinds", f"macos,windows{',msi' if has_wixl else ''},definitions", "--chrome", extension(self.folder / "others-extension", "chrome-mv3"),
            "--firefox", extension(self.folder / "others-extension", "firefox-mv3"), env={**os.environ, "PATH": str(tools), "OUTRIGGER_PACK_LEVEL": "1"})
        (archive,) = work.glob("*-macos-arm64.tar.gz")
        names = {name.split("/", 1)[1] for name in run("tar", "-tf", archive).splitlines()}
        # `build-pkg.sh` puts `bin` and `share` below /usr/local, where macOS and its shells look.
        self.assertIn('mv "$work/archive/bin" "$work/archive/share" "$work/root/usr/local/"', (ROOT / "installers/macos/build-pkg.sh").read_text())
        self.assertLessEqual({"share/zsh/site-functions/_outrigger", "share/bash-completion/completions/outrigger", "share/man/man1/outrigger.1.gz",
                              "share/fish/vendor_completions.d/outrigger.fish", "release.json"}, names)
        scoop = json.loads((work / "definitions/scoop/outrigger.json").read_text())
        (line,) = [line.strip() for line in scoop["notes"] if "$dir" in line]
        (archive,) = work.glob("*-windows-x86_64.zip")
        with zipfile.ZipFile(archive) as opened:
            names = {name.split("/", 1)[1] for name in opened.namelist()}
            completions = opened.read(f"{archive.stem}/share/outrigger/outrigger.ps1").decode()
        self.assertIn(line.removeprefix('. "$dir\\').removesuffix('"').replace("\\", "/"), names)
        self.assertIn("Register-ArgumentCompleter -Native -CommandName 'outrigger'", completions)
        if not has_wixl:
            self.skipTest("there is no wixl, so no MSI was made")
        (msi,) = work.glob("*.msi")
        table = lambda name: [line.split("\t") for line in run("msiinfo", "export", msi, name).replace("\r", "").splitlines()[3:]]
        told = dict(table("Property"))
        self.assertEqual((told["ProductVersion"], told["ProductName"]), (run(self.binary, "--version").split()[1], "Outrigger"))
        # For this user: no administrator is asked.
        self.assertNotIn("ALLUSERS", told)
        self.assertEqual(re.findall(r"ProductCode: '(.*)'", (work / "definitions/winget/Outrigger.Outrigger.installer.yaml").read_text()), [told["ProductCode"]])
        files = {row[2].split("|")[-1] for row in table("File")}
        self.assertEqual(files, {name.rsplit("/", 1)[-1] for name in names} - {"install.cmd", "install.ps1", "uninstall.cmd"})
        # An older one goes, a newer one stays; both are found by the code that never changes.
        upgrades = table("Upgrade")
        self.assertEqual({row[0] for row in upgrades}, {told["UpgradeCode"]})
        self.assertEqual({(row[1], row[2]) for row in upgrades}, {("", told["ProductVersion"]), (told["ProductVersion"], "")})
        order = {row[0]: (row[1], int(row[2])) for row in table("InstallExecuteSequence")}
        self.assertLess(order["InstallFiles"][1], order["IntoBrowsers"][1])
        self.assertLess(order["OutOfBrowsers"][1], order["RemoveFiles"][1])
        self.assertLess(order["RemoveExistingProducts"][1], order["InstallFiles"][1])
        self.assertEqual((order["IntoBrowsers"][0], order["OutOfBrowsers"][0]), ("NOT REMOVE", 'REMOVE="ALL" AND NOT UPGRADINGPRODUCTCODE'))
        actions = {row[0]: (int(row[1]), row[3]) for row in table("CustomAction")}
        # 18: a program that was installed; 64: what it says stops nothing; 1024: when the files are there.
        self.assertEqual(actions["IntoBrowsers"], (18 + 64 + 1024, "install --keep"))
        self.assertEqual(actions["OutOfBrowsers"], (18 + 64 + 1024, "uninstall"))

    def test_the_policies_name_our_own_ids(self):
        ids = json.loads((ROOT / "manifests/ids.json").read_text())
        policies = json.loads((ROOT / "installers/policies/chrome-managed.json").read_text())
        self.assertEqual(policies["NativeMessagingAllowlist"], [ids["host_name"]])
        self.assertEqual(list(policies["ExtensionSettings"]), [ids["chromium"]["extension_id"]])
        firefox = json.loads((ROOT / "installers/policies/firefox-policies.json").read_text())
        self.assertEqual(list(firefox["policies"]["ExtensionSettings"]), [ids["firefox"]["extension_id"]])
        config = self.folder / "config.toml"
        shutil.copy(ROOT / "installers/policies/config.toml", config)
        config.chmod(0o600)
        run(self.binary, "--config", config, "config", "check")

    def test_scripts_are_well_formed(self):
        for script in ROOT.glob("installers/**/*.sh"):
            shell = "bash" if "bash" in script.read_text().splitlines()[0] else "sh"
            run(shell, "-n", script)


if __name__ == "__main__":
    unittest.main()
