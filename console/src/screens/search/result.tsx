import { Link } from '@tanstack/react-router';
import type { Hit } from '../../data/search.ts';
import { FileGlyph } from '../../parts/layout.tsx';
import { keepsOffsets, type Span } from '../../spans/spans.ts';
import { day, moment, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { excerptOf } from './excerpt.ts';

/** A passage, where it stands, and the scores that brought it here. */
export function Result({
  hit,
  rank,
  place,
  lexicalMax,
}: {
  hit: Hit;
  rank: number;
  place: string;
  lexicalMax: number;
}) {
  const { sentence = null, words = [] } = hit.highlights ?? {};
  const { pieces, before, after } = excerptOf(hit.content, sentence, words, hit.file_type);
  const span = spanOf(hit, sentence);
  const [page] = hit.pages ?? [];
  return (
    <li>
      <article className="group relative -mx-3 rounded-lg px-3 py-3.5 hover:bg-hover">
        <div className="flex items-center gap-2">
          <span className="num w-4 text-xs text-ink-3">{rank}</span>
          <FileGlyph type={hit.file_type} />
          <h2 className="min-w-0 truncate font-medium">
            <Link
              to="/sources/$id"
              params={{ id: hit.source_id }}
              search={{ ...span, ...(span.end === undefined && page !== undefined && { page }) }}
              className="after:absolute after:inset-0"
            >
              <bdi>{hit.name}</bdi>
            </Link>
          </h2>
          {page !== undefined && (
            <span className="num shrink-0 rounded-sm bg-press px-1.5 text-2xs leading-[18px] text-ink-2">
              {say('search.page', { page })}
            </span>
          )}
          <span className="num ms-auto shrink-0 text-xs text-ink-3" title={moment(hit.content_time)}>
            {day(hit.content_time)}
          </span>
          <span className="num text-sm font-medium">{number(hit.score, 2)}</span>
        </div>
        {place !== '' && (
          <p className="mt-1 truncate ps-6 text-xs text-ink-3" dir="auto">
            {place}
          </p>
        )}
        <p dir="auto" className="mt-1.5 line-clamp-4 ps-6 text-base leading-6 break-words text-ink-2">
          {before && '… '}
          {pieces.map(({ text, start: at, marked, word }) => {
            const Part = marked ? 'mark' : 'span';
            return (
              <Part key={at} className={marked || word ? 'text-ink' : undefined}>
                {word ? <b className="font-semibold">{text}</b> : text}
              </Part>
            );
          })}
          {after && ' …'}
        </p>
        <dl className="mt-2.5 flex flex-wrap gap-x-5 gap-y-1 ps-6">
          <Score name={say('score.lexical')} value={hit.scores.lexical} max={lexicalMax} colour="bg-lex" digits={1} />
          <Score name={say('score.semantic')} value={hit.scores.semantic} max={1} colour="bg-sem" digits={2} />
          <Score name={say('score.rerank')} value={hit.scores.rerank} max={1} colour="bg-rer" digits={2} />
        </dl>
      </article>
    </li>
  );
}

/** A score as it is. A stage that did not score the passage has no bar. */
function Score({
  name,
  value,
  max,
  colour,
  digits,
}: {
  name: string;
  value: number | null;
  max: number;
  colour: string;
  digits: number;
}) {
  const share = value === null || max <= 0 ? 0 : Math.min(1, Math.max(0, value / max));
  return (
    <div className="flex items-center gap-1.5 text-2xs">
      <dt className="text-ink-3">{name}</dt>
      <dd className="flex items-center gap-1.5">
        <span className="h-1 w-14 overflow-hidden rounded-full bg-press">
          <span className={`block h-full rounded-full ${colour}`} style={{ width: `${share * 100}%` }} />
        </span>
        <span className="num text-ink-2">{value === null ? '–' : number(value, digits)}</span>
      </dd>
    </div>
  );
}

/** Returns where the best sentence, or else the passage, is in the text; only its beginning if redaction has changed the offsets. */
function spanOf(hit: Hit, sentence: Span | null): Partial<Span> {
  const { start_offset: start, end_offset: end } = hit;
  if (start === null || end === null) return {};
  if (!keepsOffsets(hit)) return { start };
  return sentence ? { start: start + sentence.start, end: start + sentence.end } : { start, end };
}
