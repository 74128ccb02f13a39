import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { withoutMarkdownMarks } from '../../../../src/client/markdown-marks.ts';
import { inWords, pinakes } from '../../data/api.ts';
import { isMissing } from '../../data/source.ts';
import type { SourceRow } from '../../data/sources.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Problem, Spinner } from '../../parts/layout.tsx';
import { Facts, PanelPart, SidePanel } from '../../parts/side-panel.tsx';
import { useScope } from '../../shell/use-session.ts';
import { bytes, moment, number } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';

const PASSAGES = 4;

/** Shows what a source is and how it begins, beside the list. It follows the row that J and K choose. */
export function Peek({ row, close }: { row: SourceRow; close(): void }) {
  const mayRead = useScope('knowledge:read');
  const name = row.name || say('sources.withheld');
  const state = row.error ? 'failed' : row.state;
  return (
    <SidePanel title={<bdi>{name}</bdi>} close={close}>
      <PanelPart title={say('peek.facts')}>
        <Facts
          rows={[
            [say('column.state'), say(`state.${state}`)],
            [say('sources.group'), row.source_group_name || say('sources.withheld')],
            ...(row.path !== null && row.path !== row.name ? ([[say('peek.path'), row.path]] as const) : []),
            [say('sources.type'), row.file_type === 'unknown' ? say('sources.otherType') : row.file_type],
            [say('column.size'), bytes(row.file_size)],
            [say('column.chunks'), number(row.chunk_count)],
            ...(row.language ? ([[say('peek.language'), row.language]] as const) : []),
            [say('column.changed'), moment(row.content_time)],
          ]}
        />
        <Link to="/sources/$id" params={{ id: row.id }} className={`${buttonClass()} mt-3`}>
          {say('peek.open')}
        </Link>
      </PanelPart>
      {row.error && (
        <PanelPart title={say('column.reason')}>
          <p className="font-medium">{sayOfService(row.error.title)}</p>
          <p dir="auto" className="mt-0.5 break-words text-ink-2">
            {sayOfService(row.error.message)}
          </p>
        </PanelPart>
      )}
      {mayRead && row.chunk_count > 0 && <Beginning id={row.id} fileType={row.file_type} />}
    </SidePanel>
  );
}

function Beginning({ id, fileType }: { id: string; fileType: string }) {
  const chunks = useQuery({
    queryKey: ['peek', id],
    queryFn: () => pinakes.listSourceChunks({ params: { id }, query: { limit: PASSAGES } }),
  });
  const passages = chunks.data?.chunks ?? [];
  return (
    <PanelPart title={say('peek.beginning')}>
      {chunks.isPending && <Spinner label={say('loading')} />}
      {chunks.isError && !isMissing(chunks.error) && <Problem text={inWords(chunks.error)} />}
      {(isMissing(chunks.error) || (chunks.isSuccess && passages.length === 0)) && (
        <p className="text-ink-3">{say('peek.hidden')}</p>
      )}
      <ol className="flex flex-col gap-2.5">
        {passages.map((chunk) => (
          <li key={chunk.id} dir="auto" className="line-clamp-6 break-words whitespace-pre-wrap text-ink-2">
            {withoutMarkdownMarks(chunk.content, fileType)}
          </li>
        ))}
      </ol>
    </PanelPart>
  );
}
