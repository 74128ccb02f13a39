import { Link } from '@tanstack/react-router';
import { withoutMarkdownMarks } from '../../../../src/client/markdown-marks.ts';
import type { AnyChunk, Chunk } from '../../data/source.ts';
import { Icon } from '../../parts/icon.tsx';
import { More } from '../../parts/listing.tsx';
import type { Span } from '../../spans/spans.ts';
import { say } from '../../words/words.ts';
import type { useChunks } from './use-chunks.ts';

type ShownChunk = AnyChunk & Partial<Pick<Chunk, 'chunk_index'>>;

interface ChunkListProps {
  id: string;
  fileType: string | undefined;
  chunks: ReturnType<typeof useChunks>;
  mark: Span | null;
  active: number | null;
  setActive(chunk: number | null): void;
  /** Shows the chunks of this page only; null: all that are loaded. */
  page: number | null;
}

/** The chunks beside the text, with the cited passage above them. */
export function ChunkList({ id, fileType, chunks, mark, active, setActive, page }: ChunkListProps) {
  // A policy that asks about chunks hides the places of all: they then have no numbers.
  const known: readonly ShownChunk[] = chunks.chunks.length > 0 ? chunks.chunks : chunks.seen;
  const shown = known.filter((chunk) => page === null || chunk.pages?.includes(page) === true);
  const cited = mark && chunks.chunks.find((chunk) => chunk.start_offset <= mark.start && mark.end <= chunk.end_offset);
  return (
    <aside aria-label={say('source.chunks')} className="flex min-h-0 flex-col border-s border-line max-xl:hidden">
      {mark && cited && (
        <section aria-label={say('source.passage')} className="border-b border-line p-4">
          <div className="flex items-center gap-1.5 text-xs font-medium text-ink-2">
            <Icon name="quote" size={13} />
            {say('source.passage')}
            <Link
              to="/sources/$id"
              params={{ id }}
              search={({ as, policy }) => ({ as, policy })}
              className="ms-auto font-normal text-ink-3 hover:text-ink"
            >
              {say('source.unmark')}
            </Link>
          </div>
          <blockquote tabIndex={0} dir="auto" className="scroll mt-2 max-h-48 text-base leading-6">
            <mark>
              {[...cited.content].slice(mark.start - cited.start_offset, mark.end - cited.start_offset).join('')}
            </mark>
          </blockquote>
        </section>
      )}
      <div className="flex h-9 shrink-0 items-center px-4 text-xs text-ink-3">
        {say(chunks.hasNextPage ? 'source.chunksLoaded' : 'source.chunkCount', { n: shown.length })}
      </div>
      <ol
        tabIndex={0}
        aria-label={say('source.chunks')}
        className="scroll min-h-0 flex-1 px-2 pb-4 outline-offset-[-2px]"
      >
        {shown.map((chunk) => (
          <ChunkItem
            key={chunk.id}
            chunk={chunk}
            fileType={fileType}
            cited={chunk === cited}
            active={chunk.chunk_index !== undefined && active === chunk.chunk_index}
            setActive={setActive}
          />
        ))}
        <More list={chunks} as="li" className="px-2.5 pt-2" />
      </ol>
    </aside>
  );
}

interface ChunkItemProps {
  chunk: ShownChunk;
  fileType: string | undefined;
  cited: boolean;
  active: boolean;
  setActive(chunk: number | null): void;
}

function ChunkItem({ chunk, fileType, cited, active, setActive }: ChunkItemProps) {
  return (
    <li
      onMouseEnter={() => setActive(chunk.chunk_index ?? null)}
      onMouseLeave={() => setActive(null)}
      className={`rounded-lg px-2.5 py-2.5 ${active ? 'bg-hover' : ''}`}
    >
      <div className="flex items-center gap-2 text-2xs text-ink-3">
        {typeof chunk.chunk_index === 'number' && (
          <span
            className={`num grid h-4 min-w-4 place-items-center rounded-sm px-1 font-medium ${cited ? 'bg-mark text-mark-ink' : 'bg-press text-ink-2'}`}
          >
            {chunk.chunk_index + 1}
          </span>
        )}
        <bdi className="min-w-0 truncate">{chunk.heading_path.at(-1) ?? ''}</bdi>
        <span className="num ms-auto shrink-0">{say('source.characters', { n: [...chunk.content].length })}</span>
      </div>
      <p dir="auto" className="mt-1 line-clamp-3 text-ink-2">
        {withoutMarkdownMarks(chunk.content, fileType)}
      </p>
    </li>
  );
}
