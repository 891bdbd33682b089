/** What the palette offers for what is written: commands, or the choices of one command. Pure. */
export interface PaletteCommand {
  /** What is typed after the slash. */
  readonly name: string;
  readonly title: string;
  readonly hint: string;
  /** Choosing one is the act. */
  readonly choices?: readonly { readonly value: string; readonly label: string; readonly hint?: string }[];
  /** It wants words: what is asked on the side. Without any it opens what takes them. */
  readonly takesText?: boolean;
  /** It does something with words that stand behind it, and needs none. */
  readonly usesText?: boolean;
  readonly run: (rest: string) => void;
}

export interface PaletteEntry {
  readonly key: string;
  readonly title: string;
  readonly hint: string;
  /** Shown at its end: `/name`. */
  readonly typed: string;
  /** Choosing it writes this and goes on, or null: it is done. */
  readonly continues: string | null;
  /** Words behind a command that takes none: they stay in the box. */
  readonly rest?: string;
  readonly run: () => void;
}

/** Null: what is written is no command. */
export function paletteEntries(draft: string, commands: readonly PaletteCommand[]): readonly PaletteEntry[] | null {
  const written = /^\/(\w*)(?:\s([\s\S]*))?$/u.exec(draft);
  if (written === null) return null;
  const [, name = "", rest] = written;
  if (rest === undefined) {
    const wanted = name.toLowerCase();
    const byName = commands.filter((command) => command.name.startsWith(wanted));
    const byTitle = commands.filter((command) => !byName.includes(command) && wanted !== "" && command.title.toLowerCase().includes(wanted));
    return [...byName, ...byTitle].map((command) => ({ key: command.name, title: command.title, hint: command.hint, typed: `/${command.name}`, continues: command.choices || command.takesText ? `/${command.name} ` : null, run: () => command.run("") }));
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return [];
  if (command.choices === undefined) return [{ key: command.name, title: command.title, hint: (command.takesText && rest.trim()) || command.hint, typed: `/${command.name}`, continues: null, ...(command.takesText || command.usesText ? {} : { rest: rest.trimStart() }), run: () => command.run(rest.trim()) }];
  const wanted = rest.trim().toLowerCase();
  return command.choices
    .filter((choice) => choice.label.toLowerCase().includes(wanted) || choice.value.toLowerCase().startsWith(wanted))
    .map((choice) => ({ key: choice.value, title: choice.label, hint: choice.hint ?? "", typed: "", continues: null, run: () => command.run(choice.value) }));
}
