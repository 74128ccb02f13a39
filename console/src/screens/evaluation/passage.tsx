import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Hit } from '../../data/search.ts';
import { Icon } from '../../parts/icon.tsx';
import { FileGlyph } from '../../parts/layout.tsx';
import { say } from '../../words/words.ts';
import { excerptOf } from '../search/excerpt.ts';

interface PassageProps {
  hit: Hit;
  rank: number;
  /** Undefined: not judged. */
  relevant: boolean | undefined;
  judge(relevant: boolean | null): void;
}

/** A passage with its judgement. A second press on a judgement takes it back. */
export function Passage({ hit, rank, relevant, judge }: PassageProps) {
  const row = useRef<HTMLAnchorElement>(null);
  const { sentence = null, words = [] } = hit.highlights ?? {};
  const { pieces, before, after } = excerptOf(hit.content, sentence, words, hit.file_type);
  const { start_offset: start, end_offset: end } = hit;
  const choices = [
    [true, 'check', say('evaluation.relevant'), 'bg-ok-soft text-ok'],
    [false, 'x', say('evaluation.notRelevant'), 'bg-bad-soft text-bad'],
  ] as const;
  return (
    <li
      data-chunk={hit.id}
      className="-mx-3 rounded-lg border-s-2 border-transparent px-3 py-3.5 focus-within:border-s-accent focus-within:bg-hover"
    >
      <div className="flex items-center gap-2">
        <span className="num w-4 text-xs text-ink-3">{rank}</span>
        <FileGlyph type={hit.file_type} />
        <h2 className="min-w-0 truncate px-1 font-medium">
          <Link
            ref={row}
            data-row
            className="-mx-1 scroll-mt-6 scroll-mb-44 px-1 outline-offset-[-2px]"
            to="/sources/$id"
            params={{ id: hit.source_id }}
            search={start === null || end === null ? {} : { start, end }}
          >
            <bdi>{hit.name}</bdi>
          </Link>
        </h2>
        <span className="ms-auto flex shrink-0 gap-1">
          {choices.map(([value, icon, name, tone]) => (
            <button
              key={icon}
              type="button"
              aria-pressed={relevant === value}
              onClick={() => {
                judge(relevant === value ? null : value);
                // J and K go on from this passage.
                row.current?.focus();
              }}
              className={`inline-flex h-6 items-center gap-1 rounded-md px-2 text-xs font-medium ${relevant === value ? tone : 'text-ink-2 hover:bg-press hover:text-ink'}`}
            >
              <Icon name={icon} size={12} />
              {name}
            </button>
          ))}
        </span>
      </div>
      {hit.heading_path.length > 0 && (
        <p className="mt-1 truncate ps-6 text-xs text-ink-3" dir="auto">
          {hit.heading_path.join('  ›  ')}
        </p>
      )}
      <p dir="auto" className="mt-1.5 ps-6 text-base leading-6 break-words text-ink-2">
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
    </li>
  );
}
