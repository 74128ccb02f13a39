/** Applies the ingest rules of a redaction policy to a parsed file, before the file is cut: all offsets are of redacted text. */
import { offsetsAfter, redactMetadata, redactText } from '../../redaction/apply-redaction.ts';
import { headerOf } from '../../redaction/column-headers.ts';
import type { FindNames } from '../../redaction/names.ts';
import { compileRedactor, type RedactionMatch, type Redactor } from '../../redaction/redact.ts';
import type { IngestRules } from '../../redaction/redactors.ts';
import { openOffsets } from '../../util/code-points.ts';
import { collect } from '../../util/collect.ts';
import { badFile, type FileError } from '../failure.ts';
import { newlines } from '../lines.ts';
import type { Block, ParsedFile } from '../parsed.ts';

/** The header of a table that is longer than its text begins within so many units of the text. */
const HEADER_WITHIN_UNITS = 65_536;

/** Returns the redacted file. @throws FileError if a rule blocks the file, or if a rule needs names and none can be looked up. */
export async function redactParsed(
  parsed: ParsedFile,
  rules: IngestRules | undefined,
  findNames: FindNames | null = null,
): Promise<ParsedFile> {
  if (!rules) return parsed;
  const redactor = compileRedactor(rules.policy, rules.hashKey, findNames);
  const { text, matches, blocked } = await redactor.redact(parsed.text, 'ingest');
  if (blocked) throw blockedFile();
  const placeOf = offsetsAfter(inUtf16(parsed.text, matches), (replacement) => replacement.length);
  const { leftOut: _, ...ingested } = parsed;
  const { title, continuation, chunkMetadata } = parsed;
  return {
    ...ingested,
    text,
    blocks: await collect(parsed.blocks, async (block) => {
      const redacted = await redactBlock(redactor, block, placeOf);
      if (!redacted || newlines(parsed.text, block.start, block.end) === newlines(text, redacted.start, redacted.end))
        return redacted;
      const { line: _line, ...withoutLine } = redacted;
      return withoutLine;
    }),
    ...(title !== undefined && { title: await redactPart(redactor, title) }),
    ...(continuation !== undefined && { continuation: await redactPart(redactor, continuation) }),
    metadata: await redactMetadata(redactor, parsed.metadata, ['ingest']),
    ...(chunkMetadata && { chunkMetadata: await redactMetadata(redactor, chunkMetadata, ['ingest']) }),
    // A warning may quote text that is not ingested. A rule with the action block drops the warning, not the file.
    warnings: await collect(parsed.warnings, (warning) => redactText(redactor, warning, ['ingest'])),
  };
}

/** Yields the redacted pieces of the rest of a file. @throws FileError if a rule blocks the file. */
export async function* redactRest(
  { text, rest = [] }: Pick<ParsedFile, 'text' | 'rest'>,
  rules: IngestRules,
  findNames: FindNames | null,
): AsyncGenerator<string> {
  const redactor = compileRedactor(rules.policy, rules.hashKey, findNames);
  const header = headerOf(text.slice(0, HEADER_WITHIN_UNITS));
  for (const piece of rest) yield redactPart(redactor, piece, header);
}

/** Returns the redacted name of a file, or "" if a rule blocks it. */
export async function redactName(
  name: string,
  rules: IngestRules | undefined,
  findNames: FindNames | null = null,
): Promise<string> {
  if (!rules) return name;
  const redactor = compileRedactor(rules.policy, rules.hashKey, findNames).withoutHashes;
  return (await redactText(redactor, name, ['ingest'])) ?? '';
}

/** Returns the block with redacted texts and new offsets, or undefined if none of its text remains. */
async function redactBlock(
  redactor: Redactor,
  block: Block,
  placeOf: (at: number) => number,
): Promise<Block | undefined> {
  const start = placeOf(block.start);
  const end = placeOf(block.end);
  if (start >= end) return undefined;
  const { title, term, names, headingPath, tableHeader, metadata, links } = block;
  const rowStarts = block.rowStarts
    ?.map(placeOf)
    .filter((row, i, rows) => row < end && (i === 0 || row > rows[i - 1]!));
  return {
    ...block,
    start,
    end,
    ...(title !== undefined && { title: await redactPart(redactor, title) }),
    ...(term !== undefined && { term: await redactPart(redactor, term) }),
    ...(names && { names: await collect(names, (name) => redactPart(redactor, name)) }),
    ...(headingPath && { headingPath: await collect(headingPath, (heading) => redactPart(redactor, heading)) }),
    ...(tableHeader !== undefined && { tableHeader: await redactPart(redactor, tableHeader) }),
    ...(rowStarts && { rowStarts }),
    ...(metadata && { metadata: await redactMetadata(redactor, metadata, ['ingest']) }),
    ...(links && {
      links: await collect(links, async ({ at, text, url }) => ({
        at: placeOf(at),
        text: await redactPart(redactor, text),
        url: await redactPart(redactor, url),
      })),
    }),
  };
}

async function redactPart(redactor: Redactor, text: string, header?: string): Promise<string> {
  const redacted = await redactText(redactor, text, ['ingest'], undefined, header);
  if (redacted === undefined) throw blockedFile();
  return redacted;
}

/** Title of the error of a file that a rule blocks. */
export const BLOCKED_TITLE = 'Blocked by the redaction policy';

function blockedFile(): FileError {
  return badFile(
    'parse',
    BLOCKED_TITLE,
    'The file contains text that matches a rule of the redaction policy with the action block, so it is not ingested.',
  );
}

/** Returns the matches with UTF-16 offsets, as blocks have them, instead of code points. */
function inUtf16(text: string, matches: readonly RedactionMatch[]): RedactionMatch[] {
  const { unitsAt } = openOffsets(text);
  return matches.map((match) => ({ ...match, start: unitsAt(match.start), end: unitsAt(match.end) }));
}
