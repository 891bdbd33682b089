#!/usr/bin/env python3
"""Writes the source of a Windows package (WiX) for a folder with what the Windows archive has.

    installers/msi/wxs.py --tree DIR --version VERSION --out FILE.wxs

File names in it are relative to the tree. It is thin: the files, for this user, below %LOCALAPPDATA%\\Programs\\Outrigger; then `outrigger install`, before the end `outrigger
uninstall`. All ids are made of names and version, so the same tree makes the same source. The schema is WiX 3's, which `wixl` builds on
any system; `wix convert` makes WiX 4 of it.
"""
import argparse
import hashlib
import uuid
from pathlib import Path
from xml.sax.saxutils import quoteattr

SPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "outrigger.dev")


def guid(text):
    return str(uuid.uuid5(SPACE, text)).upper()


def identifier(kind, name):
    return kind + hashlib.sha256(name.encode()).hexdigest()[:24]


def files(folder, place, lines, components):
    """The folder's files, each a component, and its folders."""
    indent = "  " * (6 + place.count("/"))
    for path in sorted(folder.iterdir()):
        name = f"{place}/{path.name}" if place else path.name
        if path.is_dir():
            lines.append(f"{indent}<Directory Id=\"{identifier('D', name)}\" Name={quoteattr(path.name)}>")
            files(path, name, lines, components)
            lines.append(f"{indent}</Directory>")
            continue
        component = identifier("C", name)
        components.append(component)
        key = "Program" if name == "bin/outrigger.exe" else identifier("F", name)
        lines.append(f"{indent}<Component Id=\"{component}\" Guid=\"{guid('file ' + name)}\" Win64=\"yes\">")
        lines.append(f"{indent}  <File Id=\"{key}\" Name={quoteattr(path.name)} Source={quoteattr(name)} KeyPath=\"yes\"/>")
        lines.append(f"{indent}</Component>")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", required=True, type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True, type=Path)
    given = parser.parse_args()
    lines, components = [], []
    files(given.tree, "", lines, components)
    references = "\n".join(f"      <ComponentRef Id=\"{component}\"/>" for component in components)
    template = (Path(__file__).parent / "outrigger.wxs.in").read_text()
    numbers = given.version.split("-")[0].split("+")[0]
    text = (template.replace("@VERSION@", numbers).replace("@PRODUCT@", guid("product " + given.version)).replace("@UPGRADE@", guid("upgrade"))
            .replace("@PACKAGE@", guid("package " + given.version)).replace("@FILES@", "\n".join(lines)).replace("@COMPONENTS@", references))
    given.out.write_text(text)


if __name__ == "__main__":
    main()
