/** The one voice for screen readers: boundaries only (a turn ended, a person is needed), never the stream. */
export function Announcer({ message }: { message: string }) {
  return (
    <output aria-live="polite" className="sr-only">
      {message}
    </output>
  );
}
