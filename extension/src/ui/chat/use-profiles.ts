/** The profiles there are. The built-in ones are known at once; the person's own are asked for when someone looks, or one of them is in use. */
import { useCallback, useEffect, useState } from "react";
import { BUILT_IN_PROFILES, type Profile } from "../../agent/profile.ts";
import { REFUSED, type SendIntent } from "../panel/use-intents.ts";

export function useProfiles(send: SendIntent, chosen: string | undefined): { profiles: readonly Profile[]; look: () => void } {
  const [profiles, setProfiles] = useState<readonly Profile[]>(BUILT_IN_PROFILES);
  const look = useCallback(() => {
    void send("listProfiles", {}).then((found) => found !== REFUSED && found !== null && setProfiles(found.profiles));
  }, [send]);
  const isKnown = chosen === undefined || BUILT_IN_PROFILES.some(({ id }) => id === chosen);
  useEffect(() => {
    if (!isKnown) look();
  }, [isKnown, look]);
  return { profiles, look };
}
