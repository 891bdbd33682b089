/** Other arguments for a call that waits. Nothing runs from here: the host plans anew, and its fresh card is what can be allowed. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { parseArgs } from "../../lib/parse-args.ts";
import { Button } from "../common/button.tsx";
import { focusOnMount } from "../common/focus-on-mount.ts";
import { forgetKept, useKept } from "../common/use-kept.ts";
import { useText } from "../text/use-text.ts";
import { ArgField } from "./arg-field.tsx";
import { flattenArgs, withValue } from "./flatten-args.ts";

interface ArgsEditorProps {
  /** What is typed belongs to these arguments of this call, and outlives a look at another screen. */
  owner: string;
  argsText: string;
  /** Resolves to false where they were not taken. */
  onSend: (argsText: string) => Promise<boolean>;
  onCancel: () => void;
}

export function ArgsEditor({ owner, argsText, onSend, onCancel: close }: ArgsEditorProps) {
  const text = useText();
  const words = text.cards;
  const start = parseArgs(argsText);
  const [args, setArgs] = useKept<unknown>(owner, "args", () => start);
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  // What the model wrote may be no JSON at all: then only the text itself can be mended.
  const [raw, setRaw] = useKept<string | null>(owner, "raw", () => (start === null ? argsText : null));
  const [sent, setSent] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector<HTMLElement>("textarea, input")?.focus(), []);
  const isBad = raw === null ? broken.size > 0 : parseArgs(raw) === null;
  const now = raw ?? JSON.stringify(args);
  const onCancel = () => {
    forgetKept(owner);
    close();
  };
  const send = async () => {
    if (isBad || sent) return;
    setSent(true);
    if (await onSend(now)) forgetKept(owner);
    else setSent(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are shortcuts for the two buttons inside.
    <div ref={box} data-testid="args-editor" onKeyDown={onKeyDown} className="flex flex-col gap-2 px-3 py-2">
      <p className="flex items-center justify-between gap-2 text-xs">
        <span className="font-medium">{words.editTitle}</span>
        {start !== null && (
          <Button weight="quiet" data-testid="args-raw" disabled={isBad} onClick={() => (raw === null ? setRaw(JSON.stringify(args, null, 2)) : (setArgs(parseArgs(raw)), setRaw(null)))}>
            {raw === null ? words.editRaw : words.editFields}
          </Button>
        )}
      </p>
      {raw === null ? (
        flattenArgs(args as Record<string, unknown>).map((field) => (
          <ArgField
            key={field.name}
            field={field}
            onChange={(value) => {
              setBroken(new Set([...broken].filter((name) => name !== field.name).concat(value === undefined ? field.name : [])));
              if (value !== undefined) setArgs(withValue(args, field.path, value));
            }}
          />
        ))
      ) : (
        <textarea ref={focusOnMount} aria-label={words.editTitle} aria-invalid={isBad} data-testid="args-text" spellCheck={false} value={raw} onChange={(event) => setRaw(event.target.value)} className="field-sizing-content max-h-72 min-h-24 w-full resize-none rounded-md border border-edge bg-surface px-2 py-1.5 font-mono text-xs aria-invalid:border-bad" />
      )}
      <p className={isBad ? "text-2xs text-bad" : "text-2xs text-soft"}>{isBad ? words.editBad : words.editHint}</p>
      <div className="flex gap-1.5">
        <Button weight="primary" data-testid="args-send" disabled={isBad || sent} onClick={() => void send()}>{words.editSend}</Button>
        <Button weight="quiet" onClick={onCancel}>{text.common.cancel}</Button>
      </div>
    </div>
  );
}
