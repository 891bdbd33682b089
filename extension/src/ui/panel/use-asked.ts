/** What the engine answers to a question that changes nothing: asked when the screen opens, and again on `reload` or with another `stamp`. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { IntentName, Intents } from "../../app/bus.ts";
import { refusalLine } from "../common/refusal-words.ts";
import { useText } from "../text/use-text.ts";
import { usePanel } from "./panel-context.ts";

export interface Asked<Result> {
  /** The last answer, which stays in sight while it is asked again. Null: none yet. */
  readonly value: Result | null;
  readonly fault: string | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

export function useAsked<Name extends IntentName>(name: Name, params: Intents[Name]["params"], stamp = ""): Asked<Intents[Name]["result"]> {
  const text = useText();
  const { client } = usePanel();
  const [state, setState] = useState<{ value: Intents[Name]["result"] | null; fault: string | null; loading: boolean }>({ value: null, fault: null, loading: true });
  const newest = useRef(0);
  const key = JSON.stringify(params);
  const ask = useCallback(() => {
    const mine = (newest.current += 1);
    const isNewest = () => mine === newest.current;
    client.send(name, JSON.parse(key) as Intents[Name]["params"]).then(
      (value) => isNewest() && setState({ value, fault: null, loading: false }),
      (error: unknown) => isNewest() && setState((before) => ({ ...before, fault: refusalLine(error, text), loading: false })),
    );
  }, [client, name, key, text]);

  const reload = useCallback(() => {
    setState((before) => (before.loading ? before : { ...before, loading: true }));
    ask();
  }, [ask]);

  useEffect(() => {
    ask();
    return () => {
      newest.current += 1;
    };
  }, [ask]);

  const answeredFor = useRef(stamp);
  useEffect(() => {
    if (answeredFor.current === stamp) return;
    answeredFor.current = stamp;
    reload();
  }, [stamp, reload]);

  return { ...state, reload };
}
