/** `pinakes crawl`: makes a source group of a web site's pages. */
import type { Operations } from '../../client/api.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import { type Command, flagOption, integerOption, textOption, textOptions } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { finishCreation } from './follow.ts';
import { CREATION_OPTIONS, scheduleIn } from './schedule.ts';

type CrawlBody = Operations['createCrawl']['request']['body'];

const DEPTH_MAX = 20;
const PAGES_MAX = 10_000;

export const crawlCommand: Command = {
  name: 'crawl',
  summary: 'Crawl web pages into a source group.',
  synopsis: '<urls…>',
  argumentsMin: 1,
  argumentsMax: 100,
  options: {
    depth: { type: 'string', value: '<n>', text: 'how many links away from the urls (0 to 20, default 3)' },
    pages: { type: 'string', value: '<n>', text: 'at most so many pages (1 to 10000, default 500)' },
    include: {
      type: 'string',
      multiple: true,
      value: '<glob>',
      text: 'only pages whose path fits, as in a .gitignore file; repeat for several',
    },
    exclude: { type: 'string', multiple: true, value: '<glob>', text: 'not pages whose path fits; repeat for several' },
    'other-hosts': { type: 'boolean', text: 'also pages on other hosts than those of the urls' },
    'no-sitemap': { type: 'boolean', text: 'without the pages that only sitemaps name' },
    ...CREATION_OPTIONS,
  },
  details: `
  pinakes crawl https://help.example.com/ --wait
  pinakes crawl https://example.com/docs/ --include /docs/ --depth 5 --schedule daily
  pinakes crawl https://example.com/ --schedule "FREQ=WEEKLY;BYDAY=SU;BYHOUR=3;BYMINUTE=0"

Prints the id of the source group. robots.txt is heeded.`,
  async run({ arguments: urls, options, io }) {
    const wrong = urls.find((url) => !/^https?:\/\//i.test(url) || !URL.canParse(url));
    if (wrong !== undefined) throw usageError(`"${wrong}" is not an address that starts with http:// or https://.`);
    const body: CrawlBody = {
      name: textOption(options, 'name') ?? new URL(urls[0]!).host,
      urls: [...urls],
      ...optional('max_depth', integerOption(options, 'depth', 0, DEPTH_MAX)),
      ...optional('max_pages', integerOption(options, 'pages', 1, PAGES_MAX)),
      include_paths: textOptions(options, 'include'),
      exclude_paths: textOptions(options, 'exclude'),
      same_host: !flagOption(options, 'other-hosts'),
      use_sitemap: !flagOption(options, 'no-sitemap'),
      ...scheduleIn(options),
    };
    const client = await openConfiguredClient();
    return finishCreation(client, await client.createCrawl({ body }), { options, io });
  },
};

function optional<Name extends string>(name: Name, value: number | undefined): { [name in Name]?: number } {
  return value === undefined ? {} : ({ [name]: value } as { [name in Name]?: number });
}
