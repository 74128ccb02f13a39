/** The ingest rules of a redaction policy on a file that was parsed: before it is cut, so that all offsets are those of what is left. Pure. */
import { placesAfter, redactMetadata, redactText } from '../policy/apply-redaction.ts';
import { compileRedactor, type RedactionMatch, type Redactor } from '../policy/redact.ts';
import type { IngestRules } from '../policy/redactors.ts';
import { badFile, type FileError } from './failure.ts';
import type { Block, ParsedFile } from './parsed.ts';

/** @throws FileError when a rule withholds the file. */
export function redactParsed(parsed: ParsedFile, rules: IngestRules | undefined): ParsedFile {
  if (!rules) return parsed;
  const redactor = compileRedactor(rules.policy, rules.hashKey);
  const { text, matches, blocked } = redactor.redact(parsed.text, 'ingest');
  if (blocked) throw withheld();
  const placeOf = placesAfter(inUnits(parsed.text, matches), (replacement) => replacement.length);
  const shown = (said: string): string => shownText(redactor, said);
  return {
    ...parsed,
    text,
    blocks: parsed.blocks.flatMap((block) => moved(redactor, block, placeOf)),
    ...(parsed.title !== undefined && { title: shown(parsed.title) }),
    metadata: redactMetadata(redactor, parsed.metadata, ['ingest']),
    ...(parsed.chunkMetadata && { chunkMetadata: redactMetadata(redactor, parsed.chunkMetadata, ['ingest']) }),
    warnings: parsed.warnings.map(shown),
  };
}

function moved(redactor: Redactor, block: Block, placeOf: (at: number) => number): Block[] {
  const start = placeOf(block.start);
  const end = placeOf(block.end);
  if (start >= end) return [];
  const shown = (said: string): string => shownText(redactor, said);
  const rowStarts = block.rowStarts
    ?.map(placeOf)
    .filter((row, i, rows) => row < end && (i === 0 || row > rows[i - 1]!));
  return [
    {
      ...block,
      start,
      end,
      ...(block.headingPath && { headingPath: block.headingPath.map(shown) }),
      ...(block.tableHeader !== undefined && { tableHeader: shown(block.tableHeader) }),
      ...(rowStarts && { rowStarts }),
      ...(block.metadata && { metadata: redactMetadata(redactor, block.metadata, ['ingest']) }),
      ...(block.links && {
        links: block.links.map((link) => ({ at: placeOf(link.at), text: shown(link.text), url: shown(link.url) })),
      }),
    },
  ];
}

function shownText(redactor: Redactor, text: string): string {
  const shown = redactText(redactor, text, ['ingest']);
  if (shown === undefined) throw withheld();
  return shown;
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
