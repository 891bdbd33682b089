/** The canoe and its outrigger, seen from above. */
export function BrandMark({ size = 20 }: { size?: number }) {
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 128 128" className="shrink-0 text-accent">
      <g transform="rotate(38 64 64) translate(-4 0)" fill="currentColor">
        <path d="M50 -6c18 28 18 112 0 140C32 106 32 22 50 -6Z" />
        <path d="M102 24c11 20 11 60 0 80-11-20-11-60 0-80Z" />
        <g fill="none" stroke="currentColor" strokeWidth="8" strokeLinecap="round">
          <path d="M50 48c19-8 33-7 52 0" />
          <path d="M50 80c19-8 33-7 52 0" />
        </g>
      </g>
    </svg>
  );
}
