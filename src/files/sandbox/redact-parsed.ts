/** The ingest rules of a redaction policy on a file that was parsed: before it is cut, so that all offsets are those of what is left. */
import { offsetsAfter, redactMetadata, redactText } from '../../redaction/apply-redaction.ts';
import type { FindNames } from '../../redaction/names.ts';
import { compileRedactor, type RedactionMatch, type Redactor } from '../../redaction/redact.ts';
import type { IngestRules } from '../../redaction/redactors.ts';
import { collect } from '../../util/collect.ts';
import { badFile, type FileError } from '../failure.ts';
import type { Block, ParsedFile } from '../parsed.ts';

/** @throws FileError when a rule withholds the file, or the analyzer of names that a rule needs cannot be asked. */
export async function redactParsed(
  parsed: ParsedFile,
  rules: IngestRules | undefined,
  findNames: FindNames | null = null,
): Promise<ParsedFile> {
  if (!rules) return parsed;
  const redactor = compileRedactor(rules.policy, rules.hashKey, findNames);
  const { text, matches, blocked } = await redactor.redact(parsed.text, 'ingest');
  if (blocked) throw withheld();
  const placeOf = offsetsAfter(inUnits(parsed.text, matches), (replacement) => replacement.length);
  const { leftOut: _, ...ingested } = parsed;
  const { title, chunkMetadata } = parsed;
  return {
    ...ingested,
    text,
    blocks: await collect(parsed.blocks, (block) => moved(redactor, block, placeOf)),
    ...(title !== undefined && { title: await shown(redactor, title) }),
    metadata: await redactMetadata(redactor, parsed.metadata, ['ingest']),
    ...(chunkMetadata && { chunkMetadata: await redactMetadata(redactor, chunkMetadata, ['ingest']) }),
    // A warning may quote what was left out. That is not ingested, so it withholds nothing but the warning.
    warnings: await collect(parsed.warnings, (warning) => redactText(redactor, warning, ['ingest'])),
  };
}

/** The name of a file as its chunks may be found by it; empty where a rule withholds it. */
export async function redactName(
  name: string,
  rules: IngestRules | undefined,
  findNames: FindNames | null = null,
): Promise<string> {
  if (!rules) return name;
  return (await redactText(compileRedactor(rules.policy, rules.hashKey, findNames), name, ['ingest'])) ?? '';
}

/** Undefined: nothing is left of it. */
async function moved(redactor: Redactor, block: Block, placeOf: (at: number) => number): Promise<Block | undefined> {
  const start = placeOf(block.start);
  const end = placeOf(block.end);
  if (start >= end) return undefined;
  const { title, term, headingPath, tableHeader, metadata, links } = block;
  const rowStarts = block.rowStarts
    ?.map(placeOf)
    .filter((row, i, rows) => row < end && (i === 0 || row > rows[i - 1]!));
  return {
    ...block,
    start,
    end,
    ...(title !== undefined && { title: await shown(redactor, title) }),
    ...(term !== undefined && { term: await shown(redactor, term) }),
    ...(headingPath && { headingPath: await collect(headingPath, (heading) => shown(redactor, heading)) }),
    ...(tableHeader !== undefined && { tableHeader: await shown(redactor, tableHeader) }),
    ...(rowStarts && { rowStarts }),
    ...(metadata && { metadata: await redactMetadata(redactor, metadata, ['ingest']) }),
    ...(links && {
      links: await collect(links, async ({ at, text, url }) => ({
        at: placeOf(at),
        text: await shown(redactor, text),
        url: await shown(redactor, url),
      })),
    }),
  };
}

async function shown(redactor: Redactor, text: string): Promise<string> {
  const redacted = await redactText(redactor, text, ['ingest']);
  if (redacted === undefined) throw withheld();
  return redacted;
}

function withheld(): FileError {
  return badFile(
    'parse',
    'Withheld by the redaction policy',
    'The file holds text that a rule of the redaction policy with the action block keeps from being ingested.',
  );
}

/** Matches tell code points; blocks stand at UTF-16 units. */
function inUnits(text: string, matches: readonly RedactionMatch[]): RedactionMatch[] {
  let units = 0;
  let points = 0;
  const unitsAt = (target: number): number => {
    for (; points < target; points++) units += text.codePointAt(units)! > 0xffff ? 2 : 1;
    return units;
  };
  return matches.map((match) => ({ ...match, start: unitsAt(match.start), end: unitsAt(match.end) }));
}
