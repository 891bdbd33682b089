// A mark in each message and each task, by which model, person and judge know what is spoken of. Every one is given out once.

const TAG = /⟦([^⟧#]+)(?:#(\d+))?⟧/gu;

export interface Tag {
  readonly name: string;
  /** Steps that a summary tells of. */
  readonly steps: number;
}

export function marked(name: string, steps = 0): string {
  return steps === 0 ? `⟦${name}⟧` : `⟦${name}#${steps}⟧`;
}

export function tagsIn(text: string): readonly Tag[] {
  return [...text.matchAll(TAG)].map(([, name = "", steps = "0"]) => ({ name, steps: Number(steps) }));
}
