export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" className="shrink-0">
      <rect width="24" height="24" rx="6" className="fill-ink" />
      <path
        d="M7.5 17.5v-11h5.8a3.5 3.5 0 0 1 0 7H9.8"
        className="stroke-surface"
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="16.4" cy="17.2" r="1.5" className="fill-mark-line" />
    </svg>
  );
}
