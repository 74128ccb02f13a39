import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { inWords, isTransient, PinakesError } from '../../data/api.ts';
import { type Box, type Chunk, overlaps, type Page, readBoxes, readPageImage, type Viewer } from '../../data/source.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Span } from '../../spans/spans.ts';
import { say } from '../../words/words.ts';

interface PageViewProps {
  id: string;
  viewer: Viewer;
  name: string;
  pages: readonly Page[];
  number: number;
  mark: Span | null;
  borders: boolean;
  chunks: readonly Chunk[];
  active: number | null;
  setActive(chunk: number | null): void;
}

/** A page as it looks, with the borders of its chunks. A passage is marked where the service found it exactly, or not at all. */
export function PageView({ id, viewer, name, pages, number, mark, borders, chunks, active, setActive }: PageViewProps) {
  const page = pages.find((one) => one.number === number) ?? pages[0];
  const range = mark && page && overlaps(mark, page) ? mark : null;
  const outlines = useQuery({
    queryKey: ['boxes', id, number, viewer],
    queryFn: () => readBoxes(id, number, null, viewer),
    enabled: borders,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const quote = useQuery({
    queryKey: ['boxes', id, number, viewer, range],
    queryFn: () => readBoxes(id, number, range, viewer),
    enabled: range !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const marked = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (quote.data) marked.current?.scrollIntoView({ block: 'center' });
  }, [quote.data]);
  if (!page) return null;
  const indexOf = new Map(chunks.map((chunk) => [chunk.id, chunk.chunk_index]));
  return (
    <section
      tabIndex={0}
      aria-label={say('source.page', { n: number })}
      className="scroll min-h-0 bg-canvas px-8 py-5 outline-offset-[-2px]"
    >
      <nav
        aria-label={say('source.pages')}
        className="mx-auto mb-3 flex max-w-[760px] items-center gap-1 text-xs text-ink-3"
      >
        <Turn id={id} to={number - 1} pages={pages} icon="chevron-left" label={say('source.previousPage')} />
        <span className="num px-1">{say('source.pageOf', { n: number, total: pages.length })}</span>
        <Turn id={id} to={number + 1} pages={pages} icon="chevron-right" label={say('source.nextPage')} />
        {range && quote.data?.boxes.length === 0 && <span className="ms-auto">{say('source.notMarked')}</span>}
      </nav>
      <div
        dir="ltr"
        className="relative mx-auto max-w-[760px] overflow-hidden rounded-md bg-white shadow-2"
        style={{ aspectRatio: `${page.width} / ${page.height}` }}
      >
        <Picture
          key={`${number} ${viewer.principal_id} ${viewer.authz_policy}`}
          {...{ id, number, viewer }}
          alt={say('source.pageImage', { n: number, name })}
        />
        {borders &&
          outlines.data?.chunks?.map(({ chunk_id, boxes }) => {
            const index = indexOf.get(chunk_id);
            return index === undefined ? null : (
              <Outline key={chunk_id} index={index} boxes={boxes} active={active === index} setActive={setActive} />
            );
          })}
        {range &&
          quote.data?.boxes.map((box, at) => (
            <div
              key={`${box.x}-${box.y}`}
              ref={at === 0 ? marked : undefined}
              data-mark
              className="pointer-events-none absolute rounded-[2px] bg-[oklch(0.88_0.16_90/0.55)] mix-blend-multiply"
              style={place(box)}
            />
          ))}
      </div>
    </section>
  );
}

/** The picture of a page, or the reason why the service does not show it. */
function Picture({ id, number, viewer, alt }: { id: string; number: number; viewer: Viewer; alt: string }) {
  const {
    data: picture,
    error,
    refetch,
  } = useQuery({
    queryKey: ['picture', id, number, viewer],
    queryFn: ({ signal }) => readPageImage(id, number, viewer, signal),
    refetchOnWindowFocus: false,
    staleTime: 0,
  });
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!picture) return;
    const made = URL.createObjectURL(picture);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  if (error && (!picture || !isTransient(error))) {
    return (
      <div
        role="alert"
        className="relative z-10 flex w-fit flex-col items-start gap-3 bg-white p-8 text-sm text-[oklch(0.35_0.02_266)]"
      >
        {error instanceof PinakesError && error.status === 404 ? say('source.pageHidden') : inWords(error)}
        {isTransient(error) && (
          <button type="button" onClick={() => refetch()} className="rounded-sm underline">
            {say('action.retry')}
          </button>
        )}
      </div>
    );
  }
  if (address === undefined) return <p className="p-8 text-sm text-[oklch(0.45_0.02_266)]">{say('source.drawing')}</p>;
  return <img src={address} alt={alt} className="block w-full select-none" />;
}

function Turn({
  id,
  to,
  pages,
  icon,
  label,
}: {
  id: string;
  to: number;
  pages: readonly Page[];
  icon: 'chevron-left' | 'chevron-right';
  label: string;
}) {
  const content = <Icon name={icon} size={14} className="rtl:-scale-x-100" />;
  if (to < 1 || to > pages.length)
    return <span className={`${buttonClass('ghost', 'small', true)} opacity-40`}>{content}</span>;
  return (
    <Link
      to="/sources/$id"
      params={{ id }}
      search={(old) => ({ ...old, page: to })}
      aria-label={label}
      className={buttonClass('ghost', 'small', true)}
    >
      {content}
    </Link>
  );
}

function Outline({
  index,
  boxes,
  active,
  setActive,
}: {
  index: number;
  boxes: readonly Box[];
  active: boolean;
  setActive(chunk: number | null): void;
}) {
  const around = union(boxes);
  if (!around) return null;
  return (
    <div
      data-chunk={index}
      onMouseEnter={() => setActive(index)}
      onMouseLeave={() => setActive(null)}
      className={`absolute -m-1 box-content rounded-sm border p-1 ${active ? 'border-solid border-[oklch(0.49_0.16_266)] bg-[oklch(0.49_0.16_266/0.06)]' : 'border-dashed border-[oklch(0.49_0.16_266/0.35)]'}`}
      style={place(around)}
    >
      <span aria-hidden="true" className="num absolute end-full -top-px me-1 text-2xs text-[oklch(0.45_0.16_266)]">
        {index + 1}
      </span>
    </div>
  );
}

function union(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

function place({ x, y, width, height }: Box): React.CSSProperties {
  return { insetInlineStart: `${x * 100}%`, top: `${y * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` };
}
