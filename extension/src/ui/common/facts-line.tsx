/** Facts in a row, a dot between each two; where the row breaks, no dot is left over. What is null, false or empty is left out. */
import { Children, isValidElement, type ReactNode } from "react";

export function FactsLine({ children }: { children: ReactNode }) {
  const facts = Children.toArray(children).filter((fact) => fact !== "");
  return (
    // The dot before each fact lies in the margin, which is cut away where a line begins.
    <span className="block min-w-0 overflow-x-clip">
      <span className="-ms-4 flex flex-wrap">
        {facts.map((fact, place) => (
          <span key={isValidElement(fact) ? fact.key : String(fact)} className="flex max-w-full min-w-0">
            <span className="w-4 shrink-0 text-center">{place > 0 && " · "}</span>
            <span className="min-w-0 break-words">{fact}</span>
          </span>
        ))}
      </span>
    </span>
  );
}
