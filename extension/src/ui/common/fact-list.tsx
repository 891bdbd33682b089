/** Names and values in two columns; the column of names is as wide as the longest of them. */
import { Fragment, type ReactNode } from "react";

export interface Fact {
  name: string;
  value: ReactNode;
}

export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 px-3 py-2 text-xs">
      {facts.map((fact) => (
        <Fragment key={fact.name}>
          <dt className="text-soft">{fact.name}</dt>
          <dd className="min-w-0 break-words">{fact.value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
