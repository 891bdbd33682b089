// A screen that nobody sees: Xvfb, and pictures of all that is on it, so that a whole browser window can be looked at.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";
import path from "node:path";
import { findProgram } from "./places.mjs";

export class Screen {
  #process;
  #folder;

  /** Null where this machine has no Xvfb. */
  static async start(folder, { width = 1300, height = 900 } = {}) {
    const program = findProgram(["Xvfb"]);
    if (program === null) return null;
    const screen = new Screen();
    screen.#folder = folder;
    // `-displayfd` lets the server choose a free number; `-fbdir` keeps its picture in a file; `-noreset`: one that resets itself when its last client leaves refuses whoever comes at that moment.
    screen.#process = spawn(program, ["-displayfd", "3", "-noreset", "-fbdir", folder, "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
    screen.display = `:${await displayNumber(screen.#process)}`;
    return screen;
  }

  picture(file) {
    writeFileSync(file, pngFromXwd(readFileSync(path.join(this.#folder, "Xvfb_screen0"))));
  }

  async close() {
    const gone = new Promise((resolve) => {
      this.#process.once("exit", resolve);
    });
    this.#process.kill("SIGTERM");
    await gone;
  }
}

function displayNumber(child) {
  return new Promise((resolve, reject) => {
    let number = "";
    let words = "";
    child.stderr.on("data", (data) => {
      words += data;
    });
    child.stdio[3].on("data", (data) => {
      number += data;
      if (number.includes("\n")) resolve(number.trim());
    });
    child.once("exit", (code) => reject(new Error(`Xvfb ended with ${code}: ${words.trim()}`)));
    child.once("error", reject);
  });
}

/** X's own dump format (`XWDFile.h`): a header of big-endian words, a colour table, rows of pixels. */
export function pngFromXwd(dump) {
  const word = (index) => dump.readUInt32BE(index * 4);
  const [headerSize, width, height, byteOrder, bitsPerPixel, bytesPerLine, colours] = [word(0), word(4), word(5), word(7), word(11), word(12), word(19)];
  if (bitsPerPixel !== 32 || byteOrder !== 0) throw new Error(`a screen of ${bitsPerPixel} bits a pixel in byte order ${byteOrder} is not read here`);
  const start = headerSize + colours * 12;
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    let to = y * (1 + width * 3) + 1;
    for (let x = 0, from = start + y * bytesPerLine; x < width; x += 1, from += 4) {
      rows[to++] = dump[from + 2];
      rows[to++] = dump[from + 1];
      rows[to++] = dump[from];
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), block("IHDR", header), block("IDAT", deflateSync(rows)), block("IEND", Buffer.alloc(0))]);
}

function block(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
