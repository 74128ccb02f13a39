import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inWords } from '../../data/api.ts';
import { type FilePreview, previewFile } from '../../data/preview.ts';
import { Problem, Spinner } from '../../parts/layout.tsx';
import { number } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';
import type { PickedFile } from './use-dropped-files.ts';

const FILES_SHOWN = 200;
const VIEWS = ['blocks', 'chunks'] as const;

/** Chooses one of the files and shows what would be read from it. */
export function Previews({ files }: { files: readonly PickedFile[] }) {
  const [path, setPath] = useState('');
  const chosen = files.find((one) => one.path === path);
  if (files.length === 0) return null;
  return (
    <div className="mt-3">
      <label className="flex items-center gap-2">
        <span className="shrink-0 text-xs text-ink-2">{say('preview.choose')}</span>
        <select
          value={path}
          onChange={(event) => setPath(event.target.value)}
          className="field h-8 min-w-0 flex-1 px-2"
        >
          <option value="">{say('preview.none')}</option>
          {files.slice(0, FILES_SHOWN).map((one) => (
            <option key={one.path} value={one.path}>
              {one.path}
            </option>
          ))}
        </select>
      </label>
      {chosen && <Preview key={chosen.path} picked={chosen} />}
    </div>
  );
}

function Preview({ picked }: { picked: PickedFile }) {
  const { file, path } = picked;
  const query = useQuery({
    queryKey: ['preview', path, file.size, file.lastModified],
    queryFn: ({ signal }) => previewFile(file, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const problem = query.isError
    ? inWords(query.error)
    : query.data?.problem && `${sayOfService(query.data.problem.title)}. ${query.data.problem.message}`;
  return (
    <section aria-label={say('preview.title')} className="mt-2 rounded-lg border border-line bg-surface">
      {query.isPending ? (
        <div className="p-3">
          <Spinner label={say('preview.reading')} />
        </div>
      ) : problem ? (
        <div className="p-3">
          <Problem text={problem} />
        </div>
      ) : (
        query.data && <Pieces preview={query.data} />
      )}
    </section>
  );
}

function Pieces({ preview }: { preview: FilePreview }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('blocks');
  const totals = { blocks: preview.blocks_total, chunks: preview.chunks_total };
  const pieces =
    view === 'blocks'
      ? preview.blocks.map((block) => ({ key: block.start_offset, head: kindOf(block), text: block.content }))
      : preview.chunks.map((chunk) => ({
          key: chunk.chunk_index,
          head: [number(chunk.chunk_index + 1), ...chunk.heading_path].join('  ›  '),
          text: chunk.content,
        }));
  const more = totals[view] - pieces.length;
  return (
    <>
      <div className="flex items-center gap-1 border-b border-line px-2 py-1.5">
        {VIEWS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === view}
            onClick={() => setView(one)}
            className={`flex h-6 items-center gap-1.5 rounded-md px-2 text-xs ${one === view ? 'bg-press font-medium text-ink' : 'text-ink-2 hover:bg-hover'}`}
          >
            {say(`preview.${one}`)}
            <span className="num text-ink-3">{number(totals[one])}</span>
          </button>
        ))}
        <span className="ms-auto truncate text-xs text-ink-3">
          {[preview.file_type, preview.language].filter((part) => part !== null).join(' · ')}
        </span>
      </div>
      {preview.warnings.length > 0 && (
        <p className="border-b border-line px-3 py-2 text-xs text-warn" dir="auto">
          {preview.warnings.map(sayOfService).join(' ')}
        </p>
      )}
      <ol tabIndex={0} aria-label={say(`preview.${view}`)} className="scroll max-h-64">
        {pieces.map(({ key, head, text }) => (
          <li key={`${view}-${key}`} className="border-b border-line px-3 py-2 last:border-b-0">
            <p className="truncate text-2xs text-ink-3" dir="auto">
              {head}
            </p>
            <p className="mt-0.5 line-clamp-6 break-words whitespace-pre-line text-ink-2" dir="auto">
              {text}
            </p>
          </li>
        ))}
        {more > 0 && <li className="px-3 py-2 text-xs text-ink-3">{say('preview.more', { n: more })}</li>}
      </ol>
    </>
  );
}

function kindOf({ kind, level, pages }: FilePreview['blocks'][number]): string {
  const name = level === null ? kind : `${kind} ${level}`;
  return pages?.[0] === undefined ? name : `${name} · ${say('search.page', { page: pages[0] })}`;
}
