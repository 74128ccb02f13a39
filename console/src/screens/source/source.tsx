import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { hasNothing, inWords, isTransient } from '../../data/api.ts';
import {
  overlaps,
  type Page,
  readBoxes,
  readPages,
  readSource,
  type Source as SourceFacts,
  type Viewer,
} from '../../data/source.ts';
import { Button, buttonClass, Hint } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, FileGlyph, Header, Problem, Spinner } from '../../parts/layout.tsx';
import { folderOf } from '../../parts/place-line.ts';
import { useScope, useSession } from '../../shell/use-session.ts';
import type { Span } from '../../spans/spans.ts';
import { bytes } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';
import { AsBanner, SeeAs } from './as-principal.tsx';
import { ChunkList } from './chunk-list.tsx';
import { Details } from './details.tsx';
import { isBeingRead } from './new-version.ts';
import { PageView } from './page-view.tsx';
import { isReplaceable, ReplaceButton, ReplaceNote, useReplace } from './replace.tsx';
import { SeenPassages } from './seen-passages.tsx';
import { SourceTables } from './source-tables.tsx';
import { TextView } from './text-view.tsx';
import { useChunks } from './use-chunks.ts';
import { useDownload } from './use-download.ts';

const route = getRouteApi('/sources/$id');
/** The service reads the whole file for the sizes of its pages, which change with the file alone. */
const PAGES_STALE_MS = 5 * 60_000;
/** How often a source is looked at whose file is being read. */
const POLL_MS = 2_000;

/** A source as text or as pages, with the borders of its chunks and the cited passage. */
export function Source() {
  const { id } = route.useParams();
  const { start, end, page, view, as, policy } = route.useSearch();
  const viewer = useMemo<Viewer>(
    () => ({ ...(as !== undefined && { principal_id: as }), ...(policy !== undefined && { authz_policy: policy }) }),
    [as, policy],
  );
  const isAs = as !== undefined || policy !== undefined;
  const source = useQuery({
    queryKey: ['source', id],
    queryFn: () => readSource(id),
    refetchInterval: ({ state }) => state.data !== undefined && isBeingRead(state.data) && POLL_MS,
  });
  const pages = useQuery({
    queryKey: ['pages', id, viewer],
    queryFn: () => readPages(id, viewer),
    staleTime: PAGES_STALE_MS,
    refetchOnWindowFocus: false,
    enabled: source.data?.file_type === 'pdf' && source.data.status === 'ready',
  });
  // Only what was read has chunks, tables and pages.
  const isReady = source.data?.status === 'ready';
  const isWaiting = source.data?.status === 'pending';
  const queries = useQueryClient();
  useEffect(() => {
    // What was asked for before the file was read is asked for again afterwards.
    if (isWaiting) return () => void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === id });
  }, [isWaiting, queries, id]);
  const { authorization } = useSession();
  const original = useDownload(id, source.data?.name || id, viewer);
  const newVersion = useReplace(id, source.data);
  const mayReplace = useScope('ingestion:manage') && !isAs;
  const [borders, setBorders] = useState(true);
  const [active, setActive] = useState<number | null>(null);
  const [details, setDetails] = useState(false);
  const mark: Span | null = start !== undefined && end !== undefined && start < end ? { start, end } : null;
  const chunks = useChunks(id, mark?.end ?? start ?? 0, viewer, isReady);
  const hasPages = (pages.data?.length ?? 0) > 0;
  const asPages = hasPages && view !== 'text';
  const at = start ?? 0;
  const marked = useQuery({
    queryKey: ['marked-page', id, viewer, mark],
    queryFn: () => findMarkedPage({ id, viewer }, pages.data ?? [], mark!),
    enabled: hasPages && mark !== null && page === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const shownPage = page ?? marked.data ?? pageOf(pages.data ?? [], at);
  useEffect(() => {
    if (source.data) document.title = `${source.data.name} · Pinakes`;
  }, [source.data]);

  if (hasNothing(source))
    return (
      <>
        <Header title={<Crumbs />} />
        <Empty icon="circle-slash" title={say('source.missing')} text={inWords(source.error)}>
          {source.error && isTransient(source.error) && (
            <Button onClick={() => source.refetch()}>{say('action.retry')}</Button>
          )}
          <Link to="/sources" className={buttonClass()}>
            {say('notFound.action')}
          </Link>
        </Empty>
      </>
    );
  return (
    <>
      <Header title={<Crumbs {...source.data} />}>
        {source.data && (
          <span className="num me-1 text-xs text-ink-3 max-md:hidden">{bytes(source.data.file_size)}</span>
        )}
        {isReady && !isAs && <SourceTables id={id} />}
        {source.data && (
          <Button look="ghost" icon="info" aria-pressed={details} onClick={() => setDetails(!details)}>
            {say('details.title')}
          </Button>
        )}
        {source.data !== undefined && !isWaiting && (
          <Hint label={say('source.original')}>
            <Button
              look="ghost"
              icon={original.isPending ? 'loader-circle' : 'download'}
              aria-label={say('source.original')}
              busy={original.isPending}
              onClick={original.start}
              className={original.isPending ? 'spin' : ''}
            />
          </Hint>
        )}
        {mayReplace && source.data && isReplaceable(source.data) && (
          <ReplaceButton path={source.data.path!} send={newVersion.send} isPending={newVersion.isPending} />
        )}
        <SeeAs principal={as} policy={policy} />
        {hasPages && (
          <Link
            to="/sources/$id"
            params={{ id }}
            search={(old) => ({ ...old, view: asPages ? ('text' as const) : undefined })}
            className={buttonClass('ghost')}
          >
            <Icon name={asPages ? 'file-text' : 'book-open'} size={14} />
            {say(asPages ? 'source.asText' : 'source.asPages')}
          </Link>
        )}
        <Button
          look="ghost"
          icon="library"
          aria-pressed={borders}
          onClick={() => setBorders(!borders)}
          className={borders ? 'bg-press' : ''}
        >
          {say('source.borders')}
        </Button>
      </Header>
      {original.problem && (
        <div className="border-b border-line px-4 py-2">
          <Problem text={original.problem}>
            <Button look="ghost" size="small" icon="x" aria-label={say('action.close')} onClick={original.forget} />
          </Problem>
        </div>
      )}
      {source.data && <ReplaceNote source={source.data} newVersion={newVersion} />}
      {pages.isError && (
        <div className="border-b border-line px-4 py-2">
          <Problem text={inWords(pages.error)}>
            <Button size="small" onClick={() => pages.refetch()}>
              {say('action.retry')}
            </Button>
          </Problem>
        </div>
      )}
      {isAs && <AsBanner id={id} principal={as} policy={policy} chunks={chunks} />}
      <div className="relative grid min-h-0 flex-1 grid-cols-1 xl:grid-cols-[minmax(0,1fr)_360px]">
        {source.isPending || pages.isLoading || marked.isLoading ? (
          <div className="p-6">
            <Spinner label={say('loading')} />
          </div>
        ) : source.data?.status === 'failed' && source.data.error ? (
          <Empty
            icon="circle-alert"
            title={sayOfService(source.data.error.title)}
            text={sayOfService(source.data.error.message)}
          />
        ) : isWaiting ? (
          <Empty icon="clock" title={say('source.notRead')} text={say('source.notReadText')} />
        ) : asPages ? (
          <PageView
            id={id}
            viewer={viewer}
            name={source.data?.name ?? ''}
            pages={pages.data ?? []}
            number={shownPage}
            mark={mark}
            borders={borders}
            chunks={chunks.chunks}
            active={active}
            setActive={setActive}
          />
        ) : (
          <TextView
            id={id}
            viewer={viewer}
            isCode={source.data?.file_type === 'code'}
            mark={mark}
            at={at}
            borders={borders}
            chunks={chunks.chunks}
            reach={chunks.reach}
            active={active}
            setActive={setActive}
            instead={
              authorization ? (
                <SeenPassages chunks={chunks} isAs={isAs} />
              ) : (
                <Empty icon="file-text" title={say('source.noText')} text={say('source.noTextWhy')} />
              )
            }
          />
        )}
        <ChunkList
          id={id}
          fileType={source.data?.file_type}
          chunks={chunks}
          mark={mark}
          active={active}
          setActive={setActive}
          page={asPages ? shownPage : null}
        />
        {details && source.data && <Details source={source.data} close={() => setDetails(false)} />}
      </div>
    </>
  );
}

function Crumbs({ name, path = null, file_type: type }: Partial<Pick<SourceFacts, 'name' | 'path' | 'file_type'>>) {
  const folder = name === undefined ? '' : folderOf({ name, path });
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Link to="/sources" className="font-normal text-ink-3 hover:text-ink">
        {say('sources.title')}
      </Link>
      <Icon name="chevron-right" size={13} className="text-ink-3 rtl:-scale-x-100" />
      {type !== undefined && <FileGlyph type={type} {...(name !== undefined && { name })} />}
      {name !== undefined && (
        <bdi className="truncate" title={name}>
          {name}
        </bdi>
      )}
      {folder !== '' && <bdi className="min-w-8 shrink-[4] truncate text-xs font-normal text-ink-3">{folder}</bdi>}
    </span>
  );
}

/** Returns the number of the page on which a position of the text stands; the first page if no page has it. */
function pageOf(pages: readonly Page[], position: number): number {
  const found = pages.findLast(({ start_offset }) => start_offset !== null && start_offset <= position);
  return found?.number ?? 1;
}

/** Returns the first page on which a passage is found; null if no page has it. A chunk may go on over several pages. */
async function findMarkedPage(
  { id, viewer }: { id: string; viewer: Viewer },
  pages: readonly Page[],
  mark: Span,
): Promise<number | null> {
  for (const page of pages.filter((one) => overlaps(mark, one)))
    if ((await readBoxes(id, page.number, mark, viewer)).boxes.length > 0) return page.number;
  return null;
}
