/** What other sessions want, said by the announcer; and a short sound where the person wants to hear it. */
import { useEffect, useState } from "react";
import type { PanelClient } from "../../app/panel-client.ts";
import { useText } from "../text/use-text.ts";

export function useAttention(client: PanelClient, shown: string | null): string {
  const text = useText();
  const [message, setMessage] = useState("");
  useEffect(
    () =>
      client.onAttention?.((attention) => {
        if (attention.sound) playCall();
        // Of the session on the screen the boundary itself is told.
        if (attention.session !== shown) setMessage(text.announce.elsewhere[attention.kind](attention.title || text.header.untitled));
      }),
    [client, shown, text],
  );
  return message;
}

/** Two soft notes, made here so that nothing has to be loaded. */
function playCall(): void {
  try {
    const audio = new AudioContext();
    for (const [place, pitch] of [660, 880].entries()) {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      const from = audio.currentTime + place * NOTE_S;
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(VOLUME, from);
      volume.gain.exponentialRampToValueAtTime(0.001, from + NOTE_S);
      tone.connect(volume).connect(audio.destination);
      tone.start(from);
      tone.stop(from + NOTE_S);
    }
    setTimeout(() => void audio.close(), 2 * NOTE_S * 1000 + 200);
  } catch {
    // A page that may make no sound still says it on the screen.
  }
}

const NOTE_S = 0.16;
const VOLUME = 0.08;
