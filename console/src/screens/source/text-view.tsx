import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { hasNothing, inWords } from '../../data/api.ts';
import { type Chunk, isMissing, readText, type SourceText, type Viewer } from '../../data/source.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Problem, Spinner } from '../../parts/layout.tsx';
import { More } from '../../parts/listing.tsx';
import { type Block, blocksOfParts, type Span } from '../../spans/spans.ts';
import { say } from '../../words/words.ts';

/** Code points of a request. */
const WINDOW = 12_000;
/** Code points before the marked passage that are loaded with it. */
const BEFORE = 3_000;

interface TextViewProps {
  id: string;
  viewer: Viewer;
  isCode: boolean;
  mark: Span | null;
  /** Offset that is shown first where nothing is marked. */
  at: number;
  borders: boolean;
  chunks: readonly Chunk[];
  /** Loads the chunks up to an offset. */
  reach(offset: number): void;
  active: number | null;
  setActive(chunk: number | null): void;
  /** Stands in place of a text that the viewer may not see as a whole. */
  instead: ReactNode;
}

/** The extracted text around the marked passage. More of it is loaded at both ends. */
export function TextView(props: TextViewProps) {
  const { id, viewer, isCode, mark, at, borders, chunks, reach, active, setActive, instead } = props;
  const from = mark ? Math.max(0, mark.start - BEFORE) : at;
  const query = useInfiniteQuery({
    queryKey: ['text', id, viewer, from, mark],
    queryFn: ({ pageParam: [start, end] }) => readParts({ id, viewer }, start, end, mark),
    initialPageParam: [from, from + WINDOW] as [number, number],
    getNextPageParam: ({ next_offset: next }): [number, number] | undefined =>
      next === null ? undefined : [next, next + WINDOW],
    getPreviousPageParam: ({ start_offset: start }): [number, number] | undefined =>
      start === 0 ? undefined : [Math.max(0, start - WINDOW), start],
  });
  const pages = query.data?.pages;
  const end = pages?.at(-1)?.end_offset ?? 0;
  useEffect(() => reach(end), [reach, end]);
  const blocks = useMemo(() => {
    return blocksOfParts(pages?.flatMap(({ parts }) => parts) ?? [], chunks, mark);
  }, [pages, chunks, mark]);
  const marked = useRef<HTMLElement>(null);
  const ready = query.isSuccess;
  useEffect(() => {
    if (ready) marked.current?.scrollIntoView({ block: 'center' });
  }, [ready]);

  if (query.isPending)
    return (
      <div className="p-6">
        <Spinner label={say('loading')} />
      </div>
    );
  if (isMissing(query.error)) return instead;
  if (hasNothing(query))
    return (
      <div className="p-6">
        <Problem text={inWords(query.error)}>
          <Button size="small" onClick={() => query.refetch()}>
            {say('action.retry')}
          </Button>
        </Problem>
      </div>
    );
  if (blocks.length === 0)
    return <Empty icon="file-text" title={say('source.noText')} text={say('source.noTextWhy')} />;
  return (
    <section
      tabIndex={0}
      aria-label={say('source.text')}
      className="scroll min-h-0 px-6 py-6 outline-offset-[-2px] sm:px-10"
    >
      <div className="mx-auto max-w-3xl">
        <More
          list={{
            hasNextPage: query.hasPreviousPage,
            isFetchingNextPage: query.isFetching,
            fetchNextPage: query.fetchPreviousPage,
          }}
          label="source.earlier"
          className="mb-4"
        />
        <div dir={isCode ? 'ltr' : 'auto'} className="text-base leading-6 break-words whitespace-pre-wrap">
          {blocks.map((block) => (
            <ChunkBlock
              key={block.pieces[0]?.start}
              block={block}
              borders={borders}
              active={active}
              setActive={setActive}
              marked={marked}
            />
          ))}
        </div>
        <More list={{ ...query, isFetchingNextPage: query.isFetching }} label="source.later" className="mt-4" />
      </div>
    </section>
  );
}

interface Parts extends Pick<SourceText, 'start_offset' | 'end_offset' | 'next_offset'> {
  parts: SourceText[];
}

/** Reads a window of the text. The marked passage is a part of its own: redaction before it changes the length of the text. */
async function readParts(
  { id, viewer }: Pick<TextViewProps, 'id' | 'viewer'>,
  start: number,
  end: number,
  mark: Span | null,
): Promise<Parts> {
  const inside = mark ? [mark.start, mark.end].filter((border) => start < border && border < end) : [];
  const borders = [start, ...inside, end];
  const read = await Promise.all(borders.slice(1).map((border, at) => readText(id, borders[at]!, border, viewer)));
  const parts = read.filter(({ start_offset: from, end_offset: to }) => from < to);
  const last = parts.at(-1) ?? read[0]!;
  return { parts, start_offset: start, end_offset: last.end_offset, next_offset: last.next_offset };
}

interface ChunkBlockProps extends Pick<TextViewProps, 'borders' | 'active' | 'setActive'> {
  block: Block;
  marked: React.RefObject<HTMLElement | null>;
}

function ChunkBlock({ block, borders, active, setActive, marked }: ChunkBlockProps) {
  const pieces = block.pieces.map((piece) =>
    piece.marked ? (
      <mark key={piece.start} ref={marked}>
        {piece.text}
      </mark>
    ) : (
      <Fragment key={piece.start}>{piece.text}</Fragment>
    ),
  );
  const { chunk } = block;
  // The borders show where a chunk ends: blank lines between them would be gaps.
  if (borders && chunk === null && block.pieces.every((piece) => piece.text.trim() === '' && !piece.marked))
    return null;
  if (block.redacted) return pieces;
  if (chunk === null) return <span className="text-ink-3">{pieces}</span>;
  if (!borders) return pieces;
  const tone = active === chunk ? 'border-accent bg-accent-soft/60' : 'border-line';
  return (
    <div
      data-chunk={chunk}
      onMouseEnter={() => setActive(chunk)}
      onMouseLeave={() => setActive(null)}
      className={`relative -mx-3 my-1.5 [unicode-bidi:inherit] rounded-md border border-dashed px-3 py-1.5 transition-colors ${tone}`}
    >
      <span
        aria-hidden="true"
        className={`num absolute end-full top-1 me-1.5 text-2xs ${active === chunk ? 'font-medium text-accent-ink' : 'text-ink-3'}`}
      >
        {chunk + 1}
      </span>
      {pieces}
    </div>
  );
}
