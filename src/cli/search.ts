/** `pinakes search`: prints the chunks that match a query, best first. */
import type { SearchHit } from '../client/api.ts';
import { FILE_TYPES, type FileType } from '../client/file-types.ts';
import { codeLines, placesOf, proseLine } from './answer.ts';
import { GROUP_OPTION, groupFilter } from './manage/find.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './operate/principal.ts';
import type { Client } from './shared/client.ts';
import { openConfiguredClient } from './shared/client-config.ts';
import {
  type Command,
  choiceOption,
  flagOption,
  integerOption,
  type OptionValues,
  printAnswer,
  textOptions,
} from './shared/command.ts';
import { type Io, usageError } from './shared/io.ts';
import { tagNamed } from './shared/names.ts';
import { printable } from './shared/printable.ts';
import { listTime } from './shared/words.ts';

export const SEARCH_MODES = ['hybrid', 'lexical', 'semantic'] as const;
const LIMIT_MAX = 100;
const EXCERPT_CODE_POINTS = 300;
const CODE_LINES = 6;
/** Length of a line of code where the width of the terminal is unknown. */
const CODE_LINE_CODE_POINTS = 160;
/** Maximum length of the text before the best sentence. */
const BEFORE_CODE_POINTS = 80;
/** Printed if the user asked for both halves of the search. */
const BY_WORDS_ALONE = 'Found by words alone. Search by meaning needs an embedding model: see pinakes models --help.\n';
/** Stands for the text before an excerpt. */
const CUT = '… ';
const INDENT = '   ';

/** The options that limit what is searched. */
export const FILTER_OPTIONS = {
  ...GROUP_OPTION,
  tag: {
    value: '<tag>',
    multiple: true,
    text: 'only source groups with this tag (its name or id); may be repeated: any of them',
  },
  type: {
    value: '<type>',
    multiple: true,
    text: 'only files of this type, such as code, md or pdf; may be repeated: any of them',
  },
} as const;

/** Returns the members of a request for the options in FILTER_OPTIONS. @throws CliError for an unknown tag or type. */
export async function filtersIn(client: Client, options: OptionValues) {
  const types = textOptions(options, 'type').map(fileType);
  const tags = await Promise.all(textOptions(options, 'tag').map((tag) => tagNamed(client, tag)));
  return {
    ...(await groupFilter(client, options)),
    ...(tags.length > 0 && { tag_ids: tags.map(({ id }) => id) }),
    ...(types.length > 0 && { file_types: types }),
  };
}

export const searchCommand: Command = {
  name: 'search',
  summary: 'Search everything that was ingested, and print the matching chunks.',
  synopsis: '<query>',
  argumentsMin: 1,
  options: {
    limit: { short: 'n', value: '<n>', text: 'number of results (1 to 100, default 10)' },
    mode: { value: '<mode>', text: 'lexical (by words), semantic (by meaning) or hybrid (both; default)' },
    ...FILTER_OPTIONS,
    ...PRINCIPAL_OPTIONS,
    json: { text: 'print the answer as one line of JSON' },
  },
  details: `
  pinakes search "opening hours"
  pinakes search "opening hours" -n 3 --json | jq -r '.results[].content'
  pinakes search "redirect limit" --group requests --type code

Without an embedding model, search is by words alone. pinakes models --help says how to add one.
The second line of a result is the id of the chunk: pinakes show <id> prints the whole chunk.`,
  async run({ arguments: [query = ''], options, io }) {
    const limit = integerOption(options, 'limit', 1, LIMIT_MAX) ?? 10;
    const mode = choiceOption(options, 'mode', SEARCH_MODES);
    const client = await openConfiguredClient();
    const filters = await filtersIn(client, options);
    const highlights = !flagOption(options, 'json');
    const found = await client.search({
      body: { query, limit, highlights, ...(mode && { mode }), ...filters, ...principalIn(options) },
    });
    return printAnswer({ options, io }, found, async () => {
      printResults(found.results, io);
      if (found.results.length === 0) io.err('Nothing found.\n');
      for (const warning of found.warnings) io.err(`Warning: ${warning.message}\n`);
      // A hit that was found by words alone does not show that there is no model.
      const asksForBoth = mode === 'hybrid' && found.results.length > 0;
      if (asksForBoth && (await client.getService()).models.embedding === null) io.err(BY_WORDS_ALONE);
    });
  },
};

/** Prints each result with its place, score, the time of its content, its id and the part of its text around the best sentence. */
export function printResults(results: readonly SearchHit[], io: Io): void {
  const places = placesOf(results);
  results.forEach((result, index) => {
    const facts = `score ${result.score.toFixed(3)}, ${listTime(result.content_time, io)}`;
    io.out(`${index + 1}. ${printable(places[index]!)}  (${facts})\n`);
    io.out(`${INDENT}${dimmed(result.id, io)}\n`);
    for (const line of excerptOf(result, io)) io.out(line === '' ? '\n' : `${INDENT}${line}\n`);
  });
}

/** @throws CliError with exit code 2 for a text that is not a file type. */
function fileType(text: string): FileType {
  const type = FILE_TYPES.find((one) => one === text);
  if (!type) throw usageError(`--type must be one of ${FILE_TYPES.join(', ')}, not "${text}".`);
  return type;
}

/** Returns the lines of an excerpt around the best sentence: some lines of code, and one line of other text. */
function excerptOf({ content, file_type: type, highlights }: SearchHit, io: Io): string[] {
  const points = [...content];
  const best = highlights?.sentence?.start ?? 0;
  if (type !== 'code') {
    if (points.length <= EXCERPT_CODE_POINTS) return [proseLine(content, type)];
    const last = points.length - EXCERPT_CODE_POINTS + CUT.length;
    const from = wordStart(points, Math.min(best - BEFORE_CODE_POINTS, last));
    return [proseLine(`${from > 0 ? CUT : ''}${points.slice(from).join('')}`, type, EXCERPT_CODE_POINTS)];
  }
  const width = io.outColumns === undefined ? CODE_LINE_CODE_POINTS : Math.max(1, io.outColumns - INDENT.length);
  const line = points.slice(0, best).join('').split('\n').length - 1;
  if (line < CODE_LINES) return codeLines(content, CODE_LINES, width);
  const lines = content.trimEnd().split('\n');
  const from = Math.min(line - 1, lines.length - CODE_LINES);
  return ['…', ...codeLines(lines.slice(from).join('\n'), CODE_LINES, width)];
}

/** Returns the offset of the first word after `at`; `at` in a text without blanks. */
function wordStart(points: readonly string[], at: number): number {
  if (at <= 0) return 0;
  const blank = points.slice(at, at + BEFORE_CODE_POINTS).findIndex((point) => /\s/u.test(point));
  return at + blank + 1;
}

/** Returns the text, dimmed on a terminal. */
function dimmed(text: string, io: Io): string {
  return io.outColumns === undefined ? text : `\x1b[2m${text}\x1b[22m`;
}
