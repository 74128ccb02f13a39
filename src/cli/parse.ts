/** `pinakes parse`: prints the blocks and chunks that the service extracts from a file. Needs no service. */
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { environment, loadToolConfig } from '../config.ts';
import { type Inspection, inspectFile } from '../files/sandbox/inspect-file.ts';
import { openProcessPool } from '../files/sandbox/process-pool.ts';
import { openSandbox } from '../files/sandbox/sandbox.ts';
import { openToolRunner } from '../files/sandbox/tool-runner.ts';
import { countOf } from '../util/count-of.ts';
import { type Command, flagOption, textOption } from './shared/command.ts';
import { CliError, usageError } from './shared/io.ts';
import { printable } from './shared/printable.ts';

export const parseCommand: Command = {
  name: 'parse',
  summary: 'Show what the service extracts from a file.',
  synopsis: '<file>',
  argumentsMin: 1,
  options: {
    chunks: { text: 'show the chunks instead of the blocks' },
    dropped: { text: 'show the text that was left out instead: the navigation of a web page' },
    name: { value: '<name>', text: 'read the file as if it had this name' },
    json: { text: 'print blocks, chunks and metadata as one line of JSON' },
  },
  details: `
  pinakes parse handbook.pdf
  pinakes parse handbook.pdf --chunks
  pinakes parse handbook.pdf --json | jq .title

A block is a heading, a paragraph, a table or the like. A chunk is a part of the text that
search finds and answers cite. The command needs no running service.`,
  async run({ arguments: [path = ''], options, io }) {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) throw usageError(`There is no file ${JSON.stringify(path)}.`);
    if (!file.isFile()) throw usageError(`${JSON.stringify(path)} is not a file: pinakes parse reads one file.`);
    const name = textOption(options, 'name') ?? basename(path);
    const settings = loadToolConfig(environment());
    const sandbox = openSandbox({ mode: settings.sandbox, searchPath: settings.searchPath, hidden: [] });
    const pool = openProcessPool({ children: 1, sandbox, tools: openToolRunner(settings, sandbox) });
    const request = { path: resolve(path), name, size: file.size, chunkMetadataKeys: [] };
    const seen = await inspectFile(pool, request, Number.POSITIVE_INFINITY);
    await pool.close();
    if (!seen.ok) throw new CliError(`${seen.failure.title}: ${seen.failure.message}`);
    if (flagOption(options, 'json')) io.out(`${JSON.stringify(asJson(seen))}\n`);
    else if (flagOption(options, 'dropped')) io.out(printable(droppedText(seen)));
    else io.out(printable(flagOption(options, 'chunks') ? chunksText(seen) : blocksText(seen)));
    for (const warning of seen.file.warnings) io.err(`Warning: ${printable(warning)}\n`);
    return 0;
  },
};

type Seen = Extract<Inspection, { ok: true }>;

/** Returns the JSON of the command. Its members have the same names as in the API. */
function asJson({ file, title, blocks, leftOut }: Seen) {
  return {
    file_type: file.fileType,
    title: title ?? null,
    language: file.language,
    metadata: file.metadata,
    warnings: file.warnings,
    dropped: leftOut,
    blocks: blocks.map(({ startOffset, endOffset, ...block }) => ({
      ...block,
      start_offset: startOffset,
      end_offset: endOffset,
    })),
    chunks: file.chunks.map((chunk) => ({
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
  const parts = seen.blocks.map(({ kind, level, startOffset, endOffset, pages, content, links }) => {
    const label = level === undefined ? kind : `${kind} ${level}`;
    const linked = links.map(({ text, url, offset }) => `${comment(`link ${offset} ${text} <${url}>`)}\n`).join('');
    return `${comment(`${label} ${place(startOffset, endOffset, pages)}`)}\n${content}\n${linked}`;
  });
  return [headLine(seen), ...parts].join('\n');
}

function chunksText(seen: Seen): string {
  const parts = seen.file.chunks.map((chunk) => {
    const path = chunk.headingPath.length > 0 ? ` ${chunk.headingPath.join(' > ')}` : '';
    const where = place(chunk.startOffset, chunk.endOffset, chunk.pages);
    const context = chunk.context === null ? '' : `${comment(chunk.context)}\n`;
    return `${comment(`chunk ${chunk.ordinal} ${where}${path}`)}\n${context}${chunk.content}\n`;
  });
  return [headLine(seen), ...parts].join('\n');
}

function droppedText(seen: Seen): string {
  const parts = seen.leftOut.map((text, index) => `${comment(`dropped ${index}`)}\n${text}\n`);
  return [headLine(seen), ...parts].join('\n');
}

/** Returns the text as one HTML comment, with characters replaced that would end the comment. */
function comment(text: string): string {
  return `<!-- ${text.replace(/--+|\n/g, (found) => (found === '\n' ? ' ' : found.replaceAll('-', '‐')))} -->`;
}

function place(start: number, end: number, pages: readonly number[] | null): string {
  return `${start}..${end}${pages === null ? '' : ` p. ${pages.join(', ')}`}`;
}

function headLine({ file, title, blocks }: Seen): string {
  const { fileType, language, chunks } = file;
  const titlePart = title === undefined ? '' : `, title ${JSON.stringify(title)}`;
  const counts = `${countOf(blocks.length, 'block')}, ${countOf(chunks.length, 'chunk')}`;
  return `<!-- ${fileType}, language ${language ?? 'unknown'}${titlePart}, ${counts} -->\n`;
}
