// A disk of its own for a browser's profile, so small that it can be filled: what a store does then is the browser's own doing.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import path from "node:path";

const MIB = 1024 * 1024;

export class SmallDisk {
  #filled = false;

  constructor(folder) {
    this.folder = folder;
    this.filler = path.join(folder, "filler");
  }

  /** Null: this user may not mount anything here. */
  static mount(folder, mebibytes) {
    return mount("mount", "-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0777`, "outrigger-test", folder) ? new SmallDisk(folder) : null;
  }

  /** To the last byte; again where the browser made room meanwhile. */
  fill() {
    this.#filled = true;
    const file = openSync(this.filler, "a");
    try {
      for (let size = MIB; size >= 512; size /= 2) writeAll(file, Buffer.alloc(size, 1));
    } finally {
      closeSync(file);
    }
  }

  empty() {
    if (this.#filled) rmSync(this.filler, { force: true });
    this.#filled = false;
  }

  unmount() {
    mount("umount", "-l", this.folder);
  }
}

function writeAll(file, bytes) {
  try {
    for (;;) if (writeSync(file, bytes) < bytes.length) return;
  } catch (error) {
    if (error.code !== "ENOSPC") throw error;
  }
}

/** As root, or where nobody is asked for a password. */
function mount(...command) {
  const [program, ...args] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  return process.platform === "linux" && spawnSync(program, args, { stdio: "ignore" }).status === 0;
}
