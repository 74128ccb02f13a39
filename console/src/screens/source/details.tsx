import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { pinakes } from '../../data/api.ts';
import type { Source } from '../../data/source.ts';
import { Icon } from '../../parts/icon.tsx';
import { FileGlyph } from '../../parts/layout.tsx';
import { Facts, PanelPart, SidePanel } from '../../parts/side-panel.tsx';
import { bytes, moment, number } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';

const CONTAINED_SHOWN = 50;

/** What is known of a source besides its text: where it comes from, its metadata, its warnings, and what it contained. */
export function Details({ source, close }: { source: Source; close(): void }) {
  const { id, source_group_id: groupId, parent_source_id: parentId, metadata, warnings } = source;
  const group = useQuery({
    queryKey: ['group', groupId],
    queryFn: () => pinakes.getSourceGroup({ params: { id: groupId } }),
  });
  const parent = useQuery({
    queryKey: ['source', parentId],
    queryFn: () => pinakes.getSource({ params: { id: parentId ?? '' } }),
    enabled: parentId !== null,
  });
  const contained = useQuery({
    queryKey: ['contained', id],
    queryFn: () => pinakes.listAllSources({ query: { parent_source_id: id, limit: CONTAINED_SHOWN } }),
  });
  const files = contained.data?.sources ?? [];
  const set = new Set(metadata.records.map(({ key }) => key));
  const ofFile = source.origin_metadata?.records.filter(({ key }) => !set.has(key) && key !== 'parent_source_id') ?? [];
  const records = [...metadata.records, ...ofFile];
  const facts: (readonly [string, React.ReactNode])[] = [
    [
      say('sources.group'),
      <Link key="group" to="/sources" search={{ group: groupId }} className="hover:underline">
        <bdi>{group.data ? group.data.name || say('sources.withheld') : '…'}</bdi>
      </Link>,
    ],
    ...(source.path !== null ? [[say('peek.path'), source.path] as const] : []),
    ...(source.url !== null ? [[say('details.address'), <Address key="url" url={source.url} />] as const] : []),
    [say('sources.type'), source.file_type === 'unknown' ? say('sources.otherType') : source.file_type],
    [say('column.size'), bytes(source.file_size)],
    [say('details.length'), say('source.characters', { n: source.text_length })],
    [say('column.chunks'), number(source.chunk_count)],
    ...(source.language !== null ? [[say('peek.language'), source.language] as const] : []),
    [say('details.content'), moment(source.content_time)],
    [say('details.added'), moment(source.creation_time)],
  ];
  return (
    <SidePanel title={say('details.title')} close={close}>
      <PanelPart title={say('peek.facts')}>
        <Facts rows={facts} />
      </PanelPart>
      {warnings.length > 0 && (
        <PanelPart title={say('details.warnings')}>
          <ul className="flex flex-col gap-1.5">
            {warnings.map((warning) => (
              <li key={warning} className="flex gap-2">
                <Icon name="triangle-alert" size={13} className="mt-1 text-warn" />
                <span dir="auto" className="min-w-0 break-words">
                  {sayOfService(warning)}
                </span>
              </li>
            ))}
          </ul>
        </PanelPart>
      )}
      <PanelPart title={say('details.metadata')}>
        {records.length === 0 ? (
          <p className="text-ink-3">{say('details.noMetadata')}</p>
        ) : (
          <Facts rows={records.map(({ key, val }) => [key, val] as const)} />
        )}
      </PanelPart>
      {parent.data && (
        <PanelPart title={say('details.parent')}>
          <FileLink id={parent.data.id} name={parent.data.name} type={parent.data.file_type} />
        </PanelPart>
      )}
      {files.length > 0 && (
        <PanelPart title={say('details.contained', { n: contained.data?.counts.total ?? files.length })}>
          <ul className="flex flex-col gap-1.5">
            {files.map((file) => (
              <li key={file.id}>
                <FileLink id={file.id} name={file.name} type={file.file_type} />
              </li>
            ))}
          </ul>
        </PanelPart>
      )}
    </SidePanel>
  );
}

function FileLink({ id, name, type }: { id: string; name: string; type: string }) {
  return (
    <Link to="/sources/$id" params={{ id }} search={{}} className="flex min-w-0 items-center gap-2 hover:underline">
      <FileGlyph type={type} name={name} />
      <bdi className="truncate">{name || say('sources.withheld')}</bdi>
    </Link>
  );
}

/** Only addresses of the web are links: others could run something. */
function Address({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return <bdi>{url}</bdi>;
  return (
    <a href={url} target="_blank" rel="noreferrer" className="break-all hover:underline">
      <bdi>{url}</bdi>
    </a>
  );
}
