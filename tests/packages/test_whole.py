"""Packages as a package manager treats them: installed and removed as root, their scripts with them, on a copy of this system that is thrown
away. What is left afterwards, beside the manager's own notes, is nothing. Part of `tests/run --all`: PACKAGES=all.

The copy is an overlay in a mount namespace: this machine's files are read, never written. Needs root, or says that it is skipped.
"""
import json
import os
import shutil
import subprocess
import unittest

import test_packages

# Notes of the managers about themselves, and of the loader.
NOTES = ("var/lib/dpkg/", "var/lib/rpm/", "var/log/", "var/cache/", "usr/lib/sysimage/", "run/", "tmp/", "root/.rpmdb/", "etc/ld.so.cache")

# $1: a folder for the layers, $2: what to run inside. What was changed is below `upper`.
ON_A_COPY = """
set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mkdir -p "$1/root/mnt/in"
mount --bind "$3" "$1/root/mnt/in"
cp "$2" "$1/root/tmp/script"
chroot "$1/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C sh -e /tmp/script
umount "$1/root/mnt/in"
rm -r "$1/root/mnt/in" "$1/root/tmp/script"
cd "$1/upper"
echo CHANGED
find . -mindepth 1 ! -type d -printf '%P %y\\n' | LC_ALL=C sort
echo FOLDERS
find . -mindepth 1 -type d -printf '%P\\n' | LC_ALL=C sort | while read -r folder; do [ -d "/$folder" ] || echo "$folder"; done
"""


# A session that is open while its package is updated ($1): it goes on, its commands start, and the next one is of the new version.
SESSION = """
import json, struct, subprocess, sys
manifest = json.load(open("/etc/chromium/native-messaging-hosts/dev.outrigger.host.json"))
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}

class Host:
    def __init__(self):
        words = [manifest["path"], manifest["allowed_origins"][0]]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def version(self):
        return self.ask("outrigger/hello", {"protocol": {"min": 1, "max": 1}})["host"]["version"]

    def ask(self, method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).encode()
        self.process.stdin.write(struct.pack("=I", len(body)) + body)
        self.process.stdin.flush()
        while True:
            message = json.loads(self.process.stdout.read(struct.unpack("=I", self.process.stdout.read(4))[0]))
            if message.get("id") == method:
                return message["result"]

    def end(self):
        self.process.stdin.close()
        return self.process.wait(10)

old = Host()
told = {"before": old.version()}
subprocess.run(["sh", "-ec", sys.argv[1]], check=True, stdout=sys.stderr)
told["trial"] = old.ask("outrigger/policy/get", {"try": True, "_meta": META})["trial"]
told["still"] = old.version()
new = Host()
told["after"] = new.version()
told["ends"] = [old.end(), new.end()]
print(json.dumps(told))
"""


def can_copy():
    return os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


@unittest.skipUnless(os.environ.get("PACKAGES") == "all", "PACKAGES=all runs it")
@unittest.skipUnless(can_copy(), "only root can lay a copy over this system, in a mount namespace")
class Managed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        test_packages.Packages.setUpClass.__func__(cls)
        # The same program under a number that is newer: a build of its own would take minutes, and differ in nothing else.
        cls.version = test_packages.run(cls.binary, "--version").split()[1]
        cls.newer = "9" + cls.version[1:]
        newer = cls.folder / "newer"
        newer.write_bytes(cls.binary.read_bytes().replace(cls.version.encode(), cls.newer.encode()))
        newer.chmod(0o755)
        test_packages.run(test_packages.ROOT / "installers/build.sh", "--binary", newer, "--out", cls.outs[0] / "newer", "--kinds", "deb,rpm",
                          "--chrome", test_packages.extension(cls.folder / "newer-extension", "chrome-mv3"),
                          "--firefox", test_packages.extension(cls.folder / "newer-extension", "firefox-mv3"))

    def made(self, ending):
        return test_packages.Packages.made(self, ending)

    def on_a_copy(self, script):
        """What the script printed, the files that are different afterwards, and the folders that are new."""
        layers = self.folder / "layers"
        layers.mkdir(exist_ok=True)
        file = self.folder / "script"
        file.write_text(script)
        words = ["unshare", "-m", "sh", "-c", ON_A_COPY, "sh", layers, file, self.outs[0]]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        printed, _, rest = done.stdout.partition("CHANGED\n")
        files, _, folders = rest.partition("FOLDERS\n")
        of_others = lambda line: not (line + "/").startswith(NOTES) and not line.startswith(NOTES)
        return printed, list(filter(of_others, files.splitlines())), list(filter(of_others, folders.splitlines()))

    def managed(self, install, remove):
        look = "find /etc /usr/lib /opt /var/lib/outrigger -name dev.outrigger.host.json 2>/dev/null | sort"
        # A file of somebody else's where a manifest belongs, and one beside it: both have to be there afterwards as they were.
        foreign = "/etc/opt/chrome/native-messaging-hosts"
        before = f"mkdir -p {foreign}; echo mine >{foreign}/dev.outrigger.host.json; echo other >{foreign}/com.example.json"
        after = f"cat {foreign}/dev.outrigger.host.json {foreign}/com.example.json; rm -r /etc/opt/chrome"
        doctor = "OUTRIGGER_STATE_DIR=/tmp/outrigger-state outrigger doctor --scope system --browser chromium,firefox --json || true"
        printed, files, folders = self.on_a_copy(
            f"{before}\n{install}\n{look}\necho DOCTOR\n{doctor}\necho REMOVE\n{remove}\n{look}\necho AFTER\n{after}\n")
        installed, _, rest = printed.partition("DOCTOR\n")
        told, _, rest = rest.partition("REMOVE\n")
        removed, _, kept = rest.partition("AFTER\n")
        for path in ("/etc/chromium/native-messaging-hosts", "/usr/lib/mozilla/native-messaging-hosts", foreign):
            self.assertIn(f"{path}/dev.outrigger.host.json\n", installed)
        for browser in json.loads(told)["browsers"]:
            self.assertTrue(browser["ok"], browser)
        self.assertNotIn("/etc/chromium/native-messaging-hosts/dev.outrigger.host.json", removed)
        self.assertEqual(kept, "mine\nother\n")
        self.assertEqual((files, folders), ([], []))
        return installed

    def test_a_deb_is_installed_and_removed(self):
        self.managed("dpkg --install --force-depends /mnt/in/*.deb >/dev/null", "dpkg --purge outrigger >/dev/null; test ! -e /usr/bin/outrigger")

    def test_an_rpm_is_installed_and_removed(self):
        if not shutil.which("rpm"):
            self.skipTest("there is no rpm")
        self.managed("rpm --initdb; rpm --install --nodeps --nosignature /mnt/in/*.rpm", "rpm --erase outrigger >/dev/null; test ! -e /usr/bin/outrigger")

    def updated(self, install, update, remove):
        """The same with an update in between, during which a session is open."""
        session = self.folder / "session.py"
        session.write_text(SESSION)
        shutil.copy2(session, self.outs[0] / "session.py")
        installed = self.managed(f"{install}; OUTRIGGER_STATE_DIR=/tmp/outrigger-state python3 /mnt/in/session.py '{update}'", remove)
        # Packages have words of their own.
        told = json.loads(next(line for line in installed.splitlines() if line.startswith("{")))
        self.assertEqual((told["before"], told["still"], told["after"], told["ends"]), (self.version, self.version, self.newer, [0, 0]))
        self.assertNotIn("error", told["trial"])

    def test_a_deb_is_updated_under_an_open_session(self):
        dpkg = "dpkg --install --force-depends"
        self.updated(f"{dpkg} /mnt/in/*.deb >/dev/null", f"{dpkg} /mnt/in/newer/*.deb",
                     "dpkg --purge outrigger >/dev/null; test ! -e /usr/bin/outrigger")

    def test_an_rpm_is_updated_under_an_open_session(self):
        if not shutil.which("rpm"):
            self.skipTest("there is no rpm")
        rpm = "--nodeps --nosignature"
        self.updated(f"rpm --initdb; rpm --install {rpm} /mnt/in/*.rpm", f"rpm --upgrade {rpm} /mnt/in/newer/*.rpm",
                     "rpm --erase outrigger >/dev/null; test ! -e /usr/bin/outrigger")

    def test_an_archive_needs_no_root(self):
        printed, files, folders = self.on_a_copy(
            "mkdir -p /home/ada/.config/google-chrome/Default /home/ada/.mozilla/firefox/x.default; chown -R 4711:4711 /home/ada; mkdir /tmp/outrigger-archive\n"
            "tar -xf /mnt/in/outrigger-*-linux-*.tar.gz -C /tmp/outrigger-archive; chmod -R a+rX /tmp/outrigger-archive\n"
            "as() { setpriv --reuid 4711 --regid 4711 --clear-groups env HOME=/home/ada USER=ada \"$@\"; }\n"
            "find /home/ada | sort >/home/before\n"
            "as sh /tmp/outrigger-archive/*/install.sh --browser chrome,firefox >/dev/null\n"
            "as /home/ada/.local/bin/outrigger doctor --browser chrome,firefox --json\n"
            "as sh /tmp/outrigger-archive/*/uninstall.sh --purge >/dev/null\n"
            "find /home/ada | sort >/home/after; diff /home/before /home/after >&2\n"
            "rm -r /home/ada /tmp/outrigger-archive /home/before /home/after\n")
        for browser in json.loads(printed)["browsers"]:
            self.assertTrue(browser["ok"], browser)
        self.assertEqual((files, folders), ([], []))


if __name__ == "__main__":
    unittest.main()
