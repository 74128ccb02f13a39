/** `pinakes search`: prints the chunks that match a query, best first. */
import { oneLine, placesOf } from './answer.ts';
import { PRINCIPAL_OPTIONS, principalIn } from './operate/principal.ts';
import { openConfiguredClient } from './shared/client-config.ts';
import { type Command, choiceOption, flagOption, integerOption } from './shared/command.ts';
import { printable } from './shared/printable.ts';

export const SEARCH_MODES = ['hybrid', 'lexical', 'semantic'] as const;
const LIMIT_MAX = 100;
const EXCERPT_CODE_POINTS = 300;

export const searchCommand: Command = {
  name: 'search',
  summary: 'Search everything that was ingested, and print the matching chunks.',
  synopsis: '<query>',
  argumentsMin: 1,
  argumentsMax: 1,
  options: {
    limit: { type: 'string', short: 'n', value: '<n>', text: 'number of results (1 to 100, default 10)' },
    mode: {
      type: 'string',
      value: '<mode>',
      text: 'lexical (by words), semantic (by meaning) or hybrid (both; default)',
    },
    ...PRINCIPAL_OPTIONS,
    json: { type: 'boolean', text: 'print the answer as one line of JSON' },
  },
  details: `
  pinakes search "opening hours"
  pinakes search "opening hours" -n 3 --json | jq -r '.results[].content'`,
  async run({ arguments: [query = ''], options, io }) {
    const limit = integerOption(options, 'limit', 1, LIMIT_MAX) ?? 10;
    const mode = choiceOption(options, 'mode', SEARCH_MODES);
    const client = await openConfiguredClient();
    const found = await client.search({ body: { query, limit, ...(mode && { mode }), ...principalIn(options) } });
    if (flagOption(options, 'json')) {
      io.out(`${JSON.stringify(found)}\n`);
      return 0;
    }
    const places = placesOf(found.results);
    found.results.forEach((result, index) => {
      io.out(`${index + 1}. ${printable(places[index]!)}  (score ${result.score.toFixed(3)})\n`);
      io.out(`   ${oneLine(result.content, EXCERPT_CODE_POINTS)}\n`);
    });
    if (found.results.length === 0) io.err('Nothing found.\n');
    for (const warning of found.warnings) io.err(`Warning: ${warning.message}\n`);
    return 0;
  },
};
