/** `pinakes parse`: the blocks and chunks that the service sees in a file. Needs no service. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { type Inspection, inspectFile } from '../ingest/inspect-file.ts';
import { type Command, flagOption, textOption } from './command.ts';
import { CliError, usageError } from './io.ts';

export const parseCommand: Command = {
  name: 'parse',
  summary: 'Show what the service sees in a file.',
  synopsis: '<file>',
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    chunks: { type: 'boolean', text: 'show the chunks instead of the blocks' },
    name: { type: 'string', value: '<name>', text: 'read it as if it were called so' },
    json: { type: 'boolean', text: 'print blocks, chunks and metadata as one line of JSON' },
  },
  async run({ arguments: [path = ''], options, io }) {
    const file = statSync(path, { throwIfNoEntry: false });
    if (!file?.isFile()) throw usageError(`There is no file ${JSON.stringify(path)}.`);
    const name = textOption(options, 'name') ?? basename(path);
    const seen = await inspectFile({ path, name, size: file.size, chunkMetadataKeys: [] });
    if (!seen.ok) throw new CliError(`${seen.failure.title}: ${seen.failure.message}`);
    if (flagOption(options, 'json')) io.out(`${JSON.stringify(asJson(seen))}\n`);
    else io.out(flagOption(options, 'chunks') ? chunksText(seen) : blocksText(seen));
    for (const warning of seen.parsed.warnings) io.err(`Warning: ${warning}\n`);
    return 0;
  },
};

type Seen = Extract<Inspection, { ok: true }>;

/** Members are named as in the API. */
function asJson({ parsed, language, blocks, chunks }: Seen) {
  return {
    file_type: parsed.fileType,
    title: parsed.title ?? null,
    language,
    metadata: parsed.metadata,
    warnings: parsed.warnings,
    blocks: blocks.map(({ startOffset, endOffset, ...block }) => ({
      ...block,
      start_offset: startOffset,
      end_offset: endOffset,
    })),
    chunks: chunks.map((chunk) => ({
      chunk_index: chunk.ordinal,
      start_offset: chunk.startOffset,
      end_offset: chunk.endOffset,
      pages: chunk.pages,
      heading_path: chunk.headingPath,
      context: chunk.context,
      metadata: chunk.metadata,
      content: chunk.content,
    })),
  };
}

function blocksText(seen: Seen): string {
  const parts = seen.blocks.map(({ kind, level, startOffset, endOffset, pages, content }) => {
    const label = level === undefined ? kind : `${kind} ${level}`;
    return `<!-- ${label} ${place(startOffset, endOffset, pages)} -->\n${content}\n`;
  });
  return [headLine(seen), ...parts].join('\n');
}

function chunksText(seen: Seen): string {
  const parts = seen.chunks.map((chunk) => {
    const path = chunk.headingPath.length > 0 ? ` ${chunk.headingPath.join(' > ')}` : '';
    const where = place(chunk.startOffset, chunk.endOffset, chunk.pages);
    return `<!-- chunk ${chunk.ordinal} ${where}${path} -->\n${chunk.content}\n`;
  });
  return [headLine(seen), ...parts].join('\n');
}

function place(start: number, end: number, pages: readonly number[] | null): string {
  return `${start}..${end}${pages === null ? '' : ` p. ${pages.join(', ')}`}`;
}

function headLine({ parsed, language, blocks, chunks }: Seen): string {
  const title = parsed.title === undefined ? '' : `, title ${JSON.stringify(parsed.title)}`;
  return `<!-- ${parsed.fileType}, language ${language ?? 'unknown'}${title}, ${blocks.length} blocks, ${chunks.length} chunks -->\n`;
}
