import type { Answer, Citation } from '../../data/turns.ts';
import { Icon } from '../../parts/icon.tsx';
import { FileGlyph } from '../../parts/layout.tsx';
import { areOfSeveralGroups, placeLine } from '../../parts/place-line.ts';
import { say, sayOfService } from '../../words/words.ts';
import { useOpenCitation } from './use-open-citation.ts';

/** The passages that the last answer cites: each verified, or why not. */
export function CitationList({
  answer,
  chosen,
  choose,
}: {
  answer: Answer | undefined;
  chosen: number | null;
  choose(number: number | null): void;
}) {
  const citations = answer?.citations ?? [];
  const withGroup = areOfSeveralGroups(citations.filter((one) => 'heading_path' in one));
  return (
    <aside
      aria-label={say('ask.citations')}
      className={`flex min-h-0 flex-col border-line bg-sunken max-xl:max-h-[35dvh] max-xl:border-t xl:border-s ${citations.length === 0 ? 'max-xl:hidden' : ''}`}
    >
      <h2 className="flex h-9 shrink-0 items-center px-4 text-xs font-medium text-ink-2">
        {citations.length === 0 ? say('ask.citations') : say('ask.citationCount', { n: citations.length })}
      </h2>
      {citations.length === 0 && <p className="px-4 text-xs text-ink-3">{say('ask.citationsText')}</p>}
      <ol
        tabIndex={0}
        aria-label={say('ask.citations')}
        className="scroll min-h-0 flex-1 px-2 pb-4 outline-offset-[-2px]"
      >
        {citations.map((citation) => (
          <li key={citation.citation.number}>
            <Passage
              citation={citation}
              withGroup={withGroup}
              chosen={chosen === citation.citation.number}
              choose={choose}
            />
          </li>
        ))}
      </ol>
    </aside>
  );
}

function Passage({
  citation,
  withGroup,
  chosen,
  choose,
}: {
  citation: Citation;
  withGroup: boolean;
  chosen: boolean;
  choose(number: number | null): void;
}) {
  const open = useOpenCitation();
  const { number, quote } = citation.citation;
  const page = 'pages' in citation ? citation.pages?.[0] : undefined;
  const place = 'heading_path' in citation ? placeLine(citation, withGroup) : '';
  return (
    <button
      type="button"
      onClick={() => open(citation)}
      onMouseEnter={() => choose(number)}
      onMouseLeave={() => choose(null)}
      className={`w-full rounded-lg px-2.5 py-2.5 text-start ${chosen ? 'bg-press' : 'hover:bg-hover'}`}
    >
      <span className="flex items-center gap-2">
        <span className="num grid h-4 min-w-4 place-items-center rounded-sm bg-accent-soft px-1 text-2xs font-semibold text-accent-ink">
          {number}
        </span>
        {'file_type' in citation && <FileGlyph type={citation.file_type} />}
        <bdi className="min-w-0 truncate font-medium">{citation.name}</bdi>
        {page !== undefined && (
          <span className="num ms-auto shrink-0 text-2xs text-ink-3">{say('search.page', { page })}</span>
        )}
      </span>
      {place !== '' && (
        <span dir="auto" className="mt-1 block truncate text-2xs text-ink-3">
          {place}
        </span>
      )}
      <span dir="auto" className="mt-1.5 block break-words text-ink-2">
        <mark className="text-ink">{quote}</mark>
      </span>
      <Verdict citation={citation.citation} />
    </button>
  );
}

/** Green only for verified. */
function Verdict({ citation }: { citation: Citation['citation'] }) {
  if (citation.verified)
    return (
      <span className="mt-2 flex items-center gap-1.5 text-xs font-medium text-ok">
        <Icon name="circle-check" size={13} />
        {say(
          citation.quoted ? 'ask.quoted' : citation.verified_by === 'model' ? 'ask.verifiedByModel' : 'ask.verified',
        )}
      </span>
    );
  return (
    <span className="mt-2 flex items-start gap-1.5 text-xs text-warn">
      <Icon name="triangle-alert" size={13} className="mt-0.5" />
      <span dir="auto">
        {say('ask.unverified')}
        {citation.reason !== null && <span className="text-ink-2"> {sayOfService(citation.reason)}</span>}
      </span>
    </span>
  );
}
