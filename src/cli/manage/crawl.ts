/** `pinakes crawl`: creates a source group of web pages. */
import type { Operations } from '../../client/api.ts';
import { openConfiguredClient } from '../shared/client-config.ts';
import { type Command, flagOption, integerOption, textOption, textOptions } from '../shared/command.ts';
import { usageError } from '../shared/io.ts';
import { finishCreation } from './follow.ts';
import { CREATION_OPTIONS, isHttpAddress, scheduleIn } from './schedule.ts';

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
    depth: { value: '<n>', text: 'how many links away from the urls a page may be (0 to 20, default 3)' },
    pages: { value: '<n>', text: 'maximum number of pages (1 to 10000, default 500)' },
    include: {
      multiple: true,
      value: '<glob>',
      text: 'only pages whose path matches, written as in a .gitignore file; repeat for several',
    },
    exclude: { multiple: true, value: '<glob>', text: 'leave out pages whose path matches; repeat for several' },
    'other-hosts': { text: 'also follow links to other hosts' },
    'no-sitemap': { text: 'do not read the sitemaps of the hosts' },
    ...CREATION_OPTIONS,
  },
  details: `
  pinakes crawl https://help.example.com/ --wait
  pinakes crawl https://example.com/docs/ --include /docs/ --depth 5 --schedule daily
  pinakes crawl https://example.com/ --schedule "FREQ=WEEKLY;BYDAY=SU;BYHOUR=3;BYMINUTE=0"

The command prints the id of the source group. The crawl obeys robots.txt.`,
  async run({ arguments: urls, options, io }) {
    const wrong = urls.find((url) => !isHttpAddress(url));
    if (wrong !== undefined) throw usageError(`"${wrong}" is not an address that starts with http:// or https://.`);
    const body: CrawlBody = {
      name: textOption(options, 'name') ?? new URL(urls[0]!).host,
      urls: [...urls],
      max_depth: integerOption(options, 'depth', 0, DEPTH_MAX),
      max_pages: integerOption(options, 'pages', 1, PAGES_MAX),
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
