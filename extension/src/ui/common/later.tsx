/**
 * A part that is loaded when it is needed, or when there is time: what a person sees first is not kept waiting for what they may never open.
 *
 * Once loaded it is drawn at once, without an empty moment before it.
 */
import { type ComponentType, lazy, Suspense, useState } from "react";

export type Later<Props> = ComponentType<Props> & { readonly load: () => Promise<void> };

const loads: (() => Promise<unknown>)[] = [];

/** When there is time: what is opened then comes without waiting. */
export async function loadLater(): Promise<void> {
  await Promise.all(loads.map((load) => load()));
}

/** At the top of a module. `room`: it holds its place while it is on the way; a sheet over everything needs none. */
export function later<Props extends object>(read: () => Promise<ComponentType<Props>>, { room = true } = {}): Later<Props> {
  let loaded: ComponentType<Props> | null = null;
  const fetched = async () => {
    loaded ??= await read();
    return { default: loaded };
  };
  function Part(props: Props) {
    // Kept while it stands: what waited for it does not begin anew when it has come. What failed is asked for again by the next one.
    const [Body] = useState<ComponentType<Props>>(() => loaded ?? (lazy(fetched) as unknown as ComponentType<Props>));
    return (
      <Suspense fallback={room && <div className="flex-1" />}>
        <Body {...props} />
      </Suspense>
    );
  }
  loads.push(fetched);
  return Object.assign(Part, { load: async () => void (await fetched()) });
}
