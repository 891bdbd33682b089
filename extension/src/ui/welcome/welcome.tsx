/** After the install: opens the panel at a press, and shows how to find it again. */
import { Check, PanelRight, Pin, Puzzle, Settings } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { PanelPlace } from "../../app/toolbar.ts";
import { BrandMark } from "../common/brand-mark.tsx";
import { classNames } from "../common/class-names.ts";
import { useText } from "../text/use-text.ts";

interface WelcomeProps {
  isFirefox: boolean;
  openPanel: () => Promise<void>;
  follow: (tell: (place: PanelPlace) => void) => () => void;
}

export function Welcome({ isFirefox, openPanel, follow }: WelcomeProps) {
  const words = useText().welcome;
  const [{ isOpen, isPinned }, setPlace] = useState<PanelPlace>({ isOpen: false, isPinned: false });
  useEffect(() => follow(setPlace), [follow]);
  useEffect(() => {
    document.title = words.title;
  }, [words]);
  const open = () => void openPanel().then(() => setPlace((before) => ({ ...before, isOpen: true })));
  const side = isFirefox ? words.firefox : words.chromium;
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-120 flex-col justify-center gap-6 px-6 py-10">
        <header className="flex flex-col gap-2">
          <BrandMark size={40} />
          <h1 className="mt-2 text-xl font-semibold tracking-tight">{words.title}</h1>
          <p className="text-base text-soft">{words.intro}</p>
        </header>
        <div className="flex flex-col gap-2">
          <button type="button" data-testid="welcome-open" onClick={open} className="inline-flex min-h-10 items-center justify-center gap-2 rounded-md bg-accent px-4 text-base font-medium text-on-accent transition-colors hover:opacity-90">
            <PanelRight aria-hidden size={16} className={isFirefox ? "-scale-x-100" : ""} />
            {side.open}
          </button>
          <output data-testid="welcome-state" className="min-h-5 text-xs text-soft">{isOpen ? side.isOpen : words.next}</output>
        </div>
        <section aria-labelledby="later" className="flex flex-col gap-2">
          <h2 id="later" className="text-sm font-semibold">{words.later}</h2>
          <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
            <Step icon={<Puzzle aria-hidden size={16} />}>{side.list}</Step>
            <Step icon={isFirefox ? <Settings aria-hidden size={16} /> : <Pin aria-hidden size={16} />} isDone={isPinned} done={words.isPinned}>{side.pin}</Step>
            <Step icon={<BrandMark size={16} />}>{side.press}</Step>
          </ol>
        </section>
      </div>
    </main>
  );
}

function Step({ icon, isDone = false, done, children }: { icon: ReactNode; isDone?: boolean; done?: string; children: ReactNode }) {
  return (
    <li data-done={isDone} className="flex items-start gap-3 px-3 py-2.5">
      <span className={classNames("inline-flex size-7 shrink-0 items-center justify-center rounded-md border border-line bg-canvas", isDone ? "text-good" : "text-soft")}>{isDone ? <Check aria-hidden size={16} /> : icon}</span>
      <span className="min-w-0 flex-1 self-center">{children}{isDone && <span className="block text-xs text-good">{done}</span>}</span>
    </li>
  );
}
