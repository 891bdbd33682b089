/** What stands while something is asked of the engine, where it could not be had, and when it is there. */
import type { ReactNode } from "react";
import type { Asked } from "../panel/use-asked.ts";
import { useText } from "../text/use-text.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { Spinner } from "./spinner.tsx";

export function AskedBody<Result>({ asked, children }: { asked: Asked<Result>; children: (value: Result) => ReactNode }) {
  const text = useText();
  if (asked.value !== null) return children(asked.value);
  if (asked.fault !== null) return <Notice tone="bad" title={asked.fault} actions={<Button onClick={asked.reload}>{text.common.retry}</Button>} />;
  return <p className="flex items-center gap-2 text-xs text-soft"><Spinner />{text.common.loading}</p>;
}
