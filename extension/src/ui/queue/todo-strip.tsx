/** The agent's own list: in a line what is done and what is under way, opened all of it. */
import { Circle, CircleCheck, CircleDot } from "lucide-react";
import type { Todo } from "../../agent/todos.ts";
import { classNames } from "../common/class-names.ts";
import { Disclosure } from "../common/disclosure.tsx";
import { VisibleText } from "../common/visible-text.tsx";
import { useText } from "../text/use-text.ts";

const icons = {
  pending: <Circle aria-hidden size={12} className="text-soft" />,
  in_progress: <CircleDot aria-hidden size={12} className="text-accent" />,
  done: <CircleCheck aria-hidden size={12} className="text-good" />,
};

export function TodoStrip({ todos }: { todos: readonly Todo[] }) {
  const text = useText();
  const done = todos.filter((todo) => todo.status === "done").length;
  const next = todos.find((todo) => todo.status === "in_progress") ?? todos.find((todo) => todo.status === "pending");
  // A list that is done has said what it had to say.
  if (next === undefined) return null;
  return (
    <section aria-label={text.dock.todo} data-testid="todo-strip" className="rounded-lg border border-line bg-surface px-2.5">
      <Disclosure summary={<span className="flex min-w-0 flex-1 gap-2"><span className="shrink-0 tabular-nums">{text.dock.todoCount(done, todos.length)}</span><span className="truncate text-ink"><VisibleText value={next.text} oneLine /></span></span>}>
        <ol className="flex max-h-40 flex-col gap-1 overflow-y-auto pb-1.5 text-xs">
          {todos.map((todo, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- the list is replaced whole, and its items have no names.
            <li key={`${place} ${todo.text}`} className="flex items-start gap-2">
              <span className="mt-0.5 shrink-0">{icons[todo.status]}</span>
              <span className="sr-only">{text.dock.todoStates[todo.status]}: </span>
              <span className={classNames("min-w-0 break-words", todo.status === "done" && "text-soft line-through")}><VisibleText value={todo.text} oneLine /></span>
            </li>
          ))}
        </ol>
      </Disclosure>
    </section>
  );
}
