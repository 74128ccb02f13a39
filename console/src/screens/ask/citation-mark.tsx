import { Tooltip } from '@base-ui/react/tooltip';
import type { Citation } from '../../data/turns.ts';
import { say } from '../../words/words.ts';
import { useOpenCitation } from './use-open-citation.ts';

/** The number of a citation in the answer. It opens the source at the passage. */
export function CitationMark({
  citation,
  chosen,
  choose,
}: {
  citation: Citation;
  chosen: boolean;
  choose(number: number | null): void;
}) {
  const open = useOpenCitation();
  const { number, verified, quote } = citation.citation;
  const tone = chosen
    ? 'bg-accent text-surface'
    : verified
      ? 'bg-accent-soft text-accent-ink hover:bg-accent hover:text-surface'
      : 'bg-warn-soft text-warn hover:bg-warn hover:text-surface';
  return (
    <Tooltip.Root>
      <Tooltip.Trigger
        render={
          <button
            type="button"
            aria-label={say(verified ? 'ask.openVerified' : 'ask.openUnverified', { number, name: citation.name })}
            onClick={() => open(citation)}
            onMouseEnter={() => choose(number)}
            onMouseLeave={() => choose(null)}
            onFocus={() => choose(number)}
            onBlur={() => choose(null)}
            className={`num ms-1 inline-grid h-4 min-w-4 place-items-center rounded-sm px-1 align-[1px] text-2xs leading-none font-semibold transition-colors ${tone}`}
          >
            {number}
          </button>
        }
      />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup className="pop max-w-96 rounded-lg bg-raised p-3 text-sm shadow-2">
            <p className="truncate font-medium">
              <bdi>{citation.name}</bdi>
            </p>
            <p dir="auto" className="mt-1 line-clamp-5 text-ink-2">
              {quote}
            </p>
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
