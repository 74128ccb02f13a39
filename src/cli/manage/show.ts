/** `pinakes show`: prints the source group, source, run or chunk with an id. */
import { open, rm } from 'node:fs/promises';
import type { Content, GroupSource, Metadata, Run, SourceGroup } from '../../client/api.ts';
import { countOf } from '../../util/count-of.ts';
import { place } from '../answer.ts';
import { PRINCIPAL_OPTIONS, principalIn } from '../operate/principal.ts';
import type { Client } from '../shared/client.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import { type Command, flagOption, type Invocation, textOption } from '../shared/command.ts';
import { CliError, type Io, usageError } from '../shared/io.ts';
import { groupIdOf } from '../shared/names.ts';
import { LIST_OPTIONS, limitOf, notShown, type PageQuery, pagesOf } from '../shared/pages.ts';
import { printable } from '../shared/printable.ts';
import { formatBytes } from '../shared/progress.ts';
import { errorText, timeText } from '../shared/words.ts';
import { find, KIND_WORDS, type PrincipalQuery } from './find.ts';
import { originOf } from './origin.ts';

const TEXT_PAGE_CODE_POINTS = 200_000;

export const showCommand: Command = {
  name: 'show',
  summary: 'Show the source group, source, run or chunk with an id, or the source group with a name.',
  synopsis: '<id|group name>',
  argumentsMin: 1,
  options: {
    text: { text: 'source only: print its whole extracted text' },
    chunks: { text: 'source only: print its chunks, in order' },
    original: { value: '<file>', text: 'source only: save the file as it was uploaded, also if it could not be read' },
    limit: { ...LIST_OPTIONS['limit']!, text: 'with --chunks: number of chunks to print (default 20)' },
    all: { ...LIST_OPTIONS['all']!, text: 'with --chunks: print all chunks' },
    ...PRINCIPAL_OPTIONS,
    json: { text: 'print one line of JSON: an object with `kind`, or an array with --chunks' },
  },
  details: `
  pinakes show 0199a3c0-0000-7000-8000-000000000002
  pinakes show <source id> --text > page.txt
  pinakes show <source id> --chunks --all --json | jq -r '.[].content'

The commands ls, runs, search and ask --json print ids.`,
  async run(invocation) {
    const { options, io } = invocation;
    const [text, chunks] = [flagOption(options, 'text'), flagOption(options, 'chunks')];
    const original = textOption(options, 'original');
    if (text && chunks) throw usageError('Give --text or --chunks, not both.');
    limitOf(options);
    const principal = principalIn(options);
    const client = await openConfiguredClient();
    const id = await groupIdOf(client, invocation.arguments[0] ?? '');
    const found = await find(client, id, principal);
    const { kind, record } = found;
    if ((text || chunks || original !== undefined) && kind !== 'source') {
      throw usageError(
        `--${text ? 'text' : chunks ? 'chunks' : 'original'} is for sources; ${record.id} is a ${KIND_WORDS[kind]}.`,
      );
    }
    if (original !== undefined) return saveOriginal(client, record.id, principal, original, io);
    if (text) return showText(client, record.id, principal, invocation);
    if (chunks) return showChunks(client, record.id, principal, invocation);
    const facts = await factsOf(client, found);
    if (flagOption(options, 'json')) io.out(`${JSON.stringify({ kind, ...record, ...facts.more })}\n`);
    else print(facts.lines, io);
    if (kind === 'chunk' && !flagOption(options, 'json')) io.out(`\n${printable(record.content)}\n`);
    return 0;
  },
};

type Line = readonly [string, string];

interface Facts {
  lines: readonly Line[];
  /** Members of the JSON, besides those of the record. */
  more: object;
}

function print(lines: readonly Line[], io: Io): void {
  const filled = lines.filter(([, value]) => value !== '');
  const width = Math.max(...filled.map(([name]) => name.length));
  for (const [name, value] of filled) io.out(`${name.padEnd(width)}  ${printable(value)}\n`);
}

async function factsOf(client: Client, found: Awaited<ReturnType<typeof find>>): Promise<Facts> {
  if (found.kind === 'source_group') return groupFacts(client, found.record);
  if (found.kind === 'run') {
    const [id, ...facts] = runLines(found.record, 'run');
    return { lines: [id!, ['source group', found.record.source_group_id], ...facts], more: {} };
  }
  if (found.kind === 'source') return { lines: sourceLines(found.record), more: {} };
  return { lines: chunkLines(found.record), more: {} };
}

async function groupFacts(client: Client, group: SourceGroup): Promise<Facts> {
  const params = { id: group.id };
  const [sources, { runs }, links, { tags }, origin] = await Promise.all([
    client.listSourcesOfSourceGroup({ params, query: { limit: 1 } }),
    client.listRuns({ params, query: { limit: 1, order: 'desc' } }),
    client.listTagLinks({ query: { source_group_id: group.id, limit: 100 } }).catch(() => undefined),
    client.listTags().catch(() => ({ tags: [] })),
    originOf(client, group),
  ]);
  const tagged = new Set(links?.tag_source_groups.map((link) => link.tag_id));
  const names = tags.filter(({ id }) => tagged.has(id)).map(({ name }) => name);
  const [run] = runs;
  const lines: Line[] = [
    ['source group', group.id],
    ['name', group.name],
    ['type', group.source_type],
    ...origin.lines,
    ['status', group.status],
    ['error', group.error === null ? '' : errorText(group.error)],
    ['sources', String(sources.pagination.total)],
    ['tags', names.join(', ')],
    ['metadata', metadataText(group.metadata)],
    ['created', timeText(group.creation_time)],
    ...(run === undefined ? [] : runLines(run, 'latest run', '  ')),
  ];
  const more = { source_count: sources.pagination.total, tags: names, origin: origin.setting, latest_run: run ?? null };
  return { lines, more };
}

function runLines(run: Run, title: string, indent = ''): Line[] {
  const { scanned, added, updated, unchanged, skipped, deleted, failed } = run.statistics;
  const counts = { scanned, added, updated, unchanged, skipped, deleted, failed };
  const positive = Object.entries(counts).filter(([, count]) => count > 0);
  return [
    [title, run.id],
    [`${indent}status`, `${run.status}${run.stage === null ? '' : ` (${run.stage})`}`],
    [`${indent}files`, `${run.files_done} of ${run.files_total}, ${countOf(run.chunks_done, 'chunk')}`],
    [`${indent}counts`, positive.map(([name, count]) => `${count} ${name}`).join(', ')],
    [`${indent}error`, run.error === null ? '' : errorText(run.error)],
    [`${indent}started`, timeText(run.start_time)],
    [`${indent}ended`, timeText(run.end_time)],
  ];
}

function sourceLines(source: GroupSource): Line[] {
  return [
    ['source', source.id],
    ['name', source.name],
    ['path', source.path ?? ''],
    ['address', source.url ?? ''],
    ['source group', source.source_group_id],
    ['inside', source.parent_source_id ?? ''],
    ['type', `${source.file_type} (${source.source_type})`],
    [
      'status',
      source.update_status === null ? source.status : `${source.status} (new version: ${source.update_status})`,
    ],
    ['error', source.error === null ? '' : errorText(source.error)],
    [
      'size',
      `${formatBytes(source.file_size)}, ${countOf(source.text_length, 'character')}, ${countOf(source.chunk_count, 'chunk')}`,
    ],
    ['language', source.language ?? ''],
    ['metadata', metadataText(source.metadata)],
    ['of the file', metadataText(ofFile(source))],
    ['warnings', source.warnings.join(' ')],
    ['changed', timeText(source.content_time)],
    ['created', timeText(source.creation_time)],
  ];
}

function chunkLines(chunk: Content): Line[] {
  return [
    ['chunk', chunk.id],
    ['place', place(chunk)],
    [
      'number',
      chunk.chunk_index === null
        ? 'not shown under this policy'
        : `${chunk.chunk_index}, characters ${chunk.start_offset} to ${chunk.end_offset}`,
    ],
    ['source', chunk.source_id],
    ['source group', `${chunk.source_group_id} ${chunk.source_group_name ?? ''}`.trimEnd()],
    ['tags', chunk.tags.join(', ')],
    ['metadata', [metadataText(chunk.metadata), metadataText(chunk.chunk_metadata)].filter(Boolean).join(', ')],
  ];
}

/** Returns what the file says of itself, without what other lines show. */
function ofFile({ origin_metadata: origin }: GroupSource): Metadata {
  const shown = new Set(['parent_source_id', 'language']);
  return { records: (origin?.records ?? []).filter(({ key }) => !shown.has(key)) };
}

function metadataText({ records }: Metadata): string {
  return records.map(({ key, val }) => `${key}=${val}`).join(', ');
}

/** Saves the original. A file that exists is not replaced. */
async function saveOriginal(client: Client, id: string, principal: PrincipalQuery, path: string, io: Io) {
  const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      error.code === 'EEXIST' ? `${path} exists already.` : `${path} cannot be written: ${error.message}`,
    );
  });
  try {
    const { body } = await client.send('downloadOriginal', { params: { id }, query: { ...principal } });
    await file.writeFile(body ?? '');
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  io.err(`Saved ${path}.\n`);
  return 0;
}

async function showText(client: Client, id: string, principal: PrincipalQuery, invocation: Invocation) {
  const { options, io } = invocation;
  const isJson = flagOption(options, 'json');
  const parts: string[] = [];
  for (let start: number | null = 0; start !== null; ) {
    const range = { start_offset: start, end_offset: start + TEXT_PAGE_CODE_POINTS };
    const page = await client.getSourceText({ params: { id }, query: { ...range, ...principal } });
    if (isJson) parts.push(page.text);
    // A file gets the unchanged text; on a terminal, characters that could control it are replaced.
    else io.out(io.outColumns === undefined ? page.text : printable(page.text));
    start = page.next_offset;
  }
  io.out(isJson ? `${JSON.stringify({ kind: 'text', source_id: id, text: parts.join('') })}\n` : '\n');
  return 0;
}

async function showChunks(client: Client, id: string, principal: PrincipalQuery, { options, io }: Invocation) {
  const isJson = flagOption(options, 'json');
  let [shown, total] = [0, 0];
  const read = (query: PageQuery) => client.listSourceChunks({ params: { id }, query: { ...query, ...principal } });
  const pages = pagesOf('chunks', read, limitOf(options));
  for await (const { rows, pagination } of pages) {
    total = pagination.total;
    for (const chunk of rows) {
      if (isJson) io.out(`${shown === 0 ? '[' : ','}${JSON.stringify(chunk)}`);
      else
        io.out(
          `${shown === 0 ? '' : '\n'}# ${chunk.chunk_index ?? ''}  ${chunk.id}  ${printable(place(chunk))}\n${printable(chunk.content)}\n`,
        );
      shown += 1;
    }
  }
  if (isJson) io.out(shown === 0 ? '[]\n' : ']\n');
  else if (shown === 0) io.err('This source has no chunks.\n');
  if (shown < total) io.err(notShown(shown, total));
  return 0;
}
