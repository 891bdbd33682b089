#!/usr/bin/env python3
"""Writes the definitions of package managers for the archives in a folder: Homebrew, Scoop, winget.

    installers/definitions.py --artefacts DIR --version VERSION [--base-url URL]

Sums are of the files that are there; what has no file has no definition, and that is said. `--base-url` is where the files will be found
(default: the project's releases on GitHub). The same files make the same definitions.
"""
import argparse
import hashlib
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOMEPAGE = "https://outrigger.dev"
SOURCE = "https://github.com/outrigger-dev/outrigger"
SUMMARY = "Workspace tools for an agent in the browser, with the user in charge"


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def brew(archives, version, url):
    """A formula, with a place for each system whose archive is there."""
    places = []
    for system, machine, name in (("linux", "intel", f"outrigger-{version}-linux-x86_64.tar.gz"), ("linux", "arm", f"outrigger-{version}-linux-aarch64.tar.gz"),
                                  ("macos", "arm", f"outrigger-{version}-macos-arm64.tar.gz")):
        archive = archives / name
        if archive.is_file():
            places.append(f'  on_{system} do\n    on_{machine} do\n      url "{url}/{name}"\n      sha256 "{sha256(archive)}"\n    end\n  end\n')
    if not places:
        return None
    text = (ROOT / "installers/brew/outrigger.rb.in").read_text()
    return text.replace("@VERSION@", version).replace("@PLACES@", "\n" + "\n".join(places))


def scoop(archives, version, url):
    """A manifest; browsers keep a path that Scoop's updates do not move, because `outrigger install` copies the program."""
    name = f"outrigger-{version}-windows-x86_64.zip"
    if not (archives / name).is_file():
        return None
    program = "\"$dir\\bin\\outrigger.exe\""
    manifest = {
        "version": version, "description": SUMMARY, "homepage": HOMEPAGE, "license": "MIT|Apache-2.0",
        "architecture": {"64bit": {"url": f"{url}/{name}", "hash": sha256(archives / name), "extract_dir": name.removesuffix(".zip")}},
        "bin": "bin\\outrigger.exe",
        "post_install": [f"& {program} install"],
        "notes": ["Completions for PowerShell: add this line to your $PROFILE", '    . "$dir\\share\\outrigger\\outrigger.ps1"'],
        "pre_uninstall": [f"if ($cmd -eq 'uninstall') {{ & {program} uninstall }}"],
        "checkver": {"github": SOURCE},
        "autoupdate": {
            "architecture": {"64bit": {"url": f"{SOURCE}/releases/download/v$version/outrigger-$version-windows-x86_64.zip",
                                       "extract_dir": "outrigger-$version-windows-x86_64"}},
            "hash": {"url": "$baseurl/SHA256SUMS"},
        },
    }
    return json.dumps(manifest, indent=4) + "\n"


def product_code(msi):
    told = subprocess.run(["msiinfo", "export", msi, "Property"], capture_output=True, text=True, check=True).stdout
    return next(line.split("\t")[1].strip() for line in told.splitlines() if line.startswith("ProductCode\t"))


def winget(archives, version, url):
    """Three files: version, installer, the words in one language. The MSI where there is one, else the archive's program alone."""
    identifier, schema = "Outrigger.Outrigger", "1.6.0"
    msi, archive = archives / f"outrigger-{version}-windows-x86_64.msi", archives / f"outrigger-{version}-windows-x86_64.zip"

    def document(kind, lines):
        head = f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{schema}.schema.json\n"
        body = [f"PackageIdentifier: {identifier}", f"PackageVersion: {version}", *lines, f"ManifestType: {kind}", f"ManifestVersion: {schema}"]
        return head + "\n".join(body) + "\n"

    if msi.is_file():
        installer = ["InstallerType: msi", "Scope: user", "UpgradeBehavior: install", "Installers:", "- Architecture: x64",
                     f"  InstallerUrl: {url}/{msi.name}", f"  InstallerSha256: {sha256(msi).upper()}", f"  ProductCode: '{product_code(msi)}'"]
    elif archive.is_file():
        installer = ["InstallerType: zip", "NestedInstallerType: portable", "NestedInstallerFiles:",
                     f"- RelativeFilePath: {archive.name.removesuffix('.zip')}\\bin\\outrigger.exe", "  PortableCommandAlias: outrigger",
                     "Installers:", "- Architecture: x64", f"  InstallerUrl: {url}/{archive.name}", f"  InstallerSha256: {sha256(archive).upper()}"]
    else:
        return None
    words = ["PackageLocale: en-US", "Publisher: The Outrigger project", "PackageName: Outrigger", f"PackageUrl: {HOMEPAGE}",
             "License: MIT OR Apache-2.0", f"LicenseUrl: {SOURCE}/blob/main/LICENSE-MIT", f"ShortDescription: {SUMMARY}",
             "Moniker: outrigger", "InstallationNotes: Run `outrigger install` to let your browsers start it, and `outrigger uninstall` before you remove it."]
    return {
        f"{identifier}.yaml": document("version", ["DefaultLocale: en-US"]),
        f"{identifier}.installer.yaml": document("installer", installer),
        f"{identifier}.locale.en-US.yaml": document("defaultLocale", words),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--artefacts", required=True, type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--base-url")
    given = parser.parse_args()
    url = (given.base_url or f"{SOURCE}/releases/download/v{given.version}").rstrip("/")
    for kind, make, name in (("brew", brew, "outrigger.rb"), ("scoop", scoop, "outrigger.json"), ("winget", winget, None)):
        made = make(given.artefacts, given.version, url)
        if made is None:
            print(f"{kind}: there is no archive for it")
            continue
        folder = given.artefacts / "definitions" / kind
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in (made if name is None else {name: made}).items():
            (folder / file).write_text(text)


if __name__ == "__main__":
    main()
