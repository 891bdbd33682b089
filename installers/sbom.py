#!/usr/bin/env python3
"""Writes what the packages are made of, as CycloneDX 1.6 (JSON): the crates of the host, and the npm packages of the extension.

    installers/sbom.py --out FILE [--target TRIPLE] [--binary FILE]

Crates: those that `cargo metadata` resolves for the target, tests left out, with the checksums of Cargo.lock. Packages: those of
extension/package-lock.json that are no development dependency, with the lock file's integrity. Nothing is downloaded. The same input
makes the same bytes: there is no date but SOURCE_DATE_EPOCH, and the serial number is made of the content.
"""
import argparse
import base64
import datetime
import hashlib
import json
import os
import subprocess
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def crates(target):
    """The components and edges of the host, and its own reference."""
    words = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", target]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"sbom.py: cargo metadata failed: {done.stderr.strip()}\nsbom.py: `cargo fetch --locked` downloads the crates of all systems")
    metadata = json.loads(done.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(package["name"], package["version"]): package.get("checksum") for package in locked}
    # What is resolved is more than what is built: features that are off have their crates in it, too.
    words = ["cargo", "tree", "--locked", "--offline", "--target", target, "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]
    tree = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    built = {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}
    packages = {name: package for name, package in packages.items() if (package["name"], f"v{package['version']}") in built}
    root, found, waiting = metadata["resolve"]["root"], {}, [metadata["resolve"]["root"]]
    while waiting:
        this = waiting.pop()
        if this in found:
            continue
        # What only tests need is in no package.
        needed = [edge["pkg"] for edge in nodes[this]["deps"] if edge["pkg"] in packages and any(kind["kind"] != "dev" for kind in edge["dep_kinds"])]
        found[this] = sorted(needed)
        waiting.extend(needed)

    def reference(package):
        return f"pkg:cargo/{package['name']}@{package['version']}"

    components = []
    for name in found:
        if name == root:
            continue
        package = packages[name]
        component = {"type": "library", "bom-ref": reference(package), "name": package["name"], "version": package["version"],
                     "scope": "required", "purl": reference(package)}
        if package.get("license"):
            component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        checksum = sums.get((package["name"], package["version"]))
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    edges = [{"ref": reference(packages[name]), "dependsOn": sorted({reference(packages[to]) for to in needed})} for name, needed in found.items()]
    return packages[root], reference(packages[root]), components, edges


def npm():
    """The components of the extension's bundle."""
    lock = json.loads((ROOT / "extension/package-lock.json").read_text())
    components = {}
    for place, package in lock["packages"].items():
        if not place or package.get("dev") or package.get("devOptional") or package.get("optional") or package.get("link"):
            continue
        name = package.get("name") or place.rsplit("node_modules/", 1)[1]
        reference = f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"
        component = {"type": "library", "bom-ref": reference, "name": name, "version": package["version"], "scope": "required", "purl": reference}
        if package.get("license"):
            component["licenses"] = [{"expression": package["license"]}]
        algorithm, _, digest = package.get("integrity", "").partition("-")
        if algorithm == "sha512":
            component["hashes"] = [{"alg": "SHA-512", "content": base64.b64decode(digest).hex()}]
        components[reference] = component
    return list(components.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--target", help="the target triple (default: this machine's)")
    parser.add_argument("--binary", type=Path, help="the host, whose SHA-256 is told")
    given = parser.parse_args()
    target = given.target
    if target is None:
        told = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
        target = next(line.split()[1] for line in told.splitlines() if line.startswith("host:"))
    package, reference, components, edges = crates(target)
    extension = json.loads((ROOT / "extension/package.json").read_text())
    packed = npm()
    bundle = f"pkg:generic/outrigger-extension@{package['version']}"
    direct = {component["name"]: component["bom-ref"] for component in packed}
    edges.append({"ref": bundle, "dependsOn": sorted({direct[name] for name in extension.get("dependencies", {}) if name in direct})})
    components.append({"type": "application", "bom-ref": bundle, "name": "outrigger-extension", "version": package["version"],
                       "components": sorted(packed, key=lambda component: component["bom-ref"])})
    main_component = {"type": "application", "bom-ref": reference, "name": package["name"], "version": package["version"],
                      "licenses": [{"expression": package["license"]}], "purl": reference,
                      "properties": [{"name": "outrigger:target", "value": target}]}
    if given.binary:
        main_component["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(given.binary.read_bytes()).hexdigest()}]
    date = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"timestamp": date.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": main_component},
        "components": sorted(components, key=lambda component: component["bom-ref"]),
        "dependencies": sorted(edges, key=lambda edge: edge["ref"]),
    }
    content = json.dumps(document, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}"
    given.out.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
