/** The four simulated origins of the demonstration: papers of the same invented museum, and the changes to them. */
import type { Client } from '../src/cli/shared/client.ts';
import { openFakeDrive } from '../test/support/fakes/drive.ts';
import { openFakeGitHub } from '../test/support/fakes/github.ts';
import { openFakeNotion } from '../test/support/fakes/notion.ts';
import { block, paragraph, says, text } from '../test/support/fakes/notion-world.ts';
import { openFakeSite } from '../test/support/fakes/site.ts';

export interface Question {
  text: string;
  /** Name of the source that must be cited. */
  source: string;
}

export interface DemoOrigin {
  title: string;
  sourceType: string;
  settings: Record<string, string>;
  /** Creates the source through the API, with a stored secret if it needs one, and returns its id. */
  create(client: Client): Promise<string>;
  question: Question;
  /** Changes the origin as `changes` describes. */
  change(): void;
  changes: string[];
  /** Counts of the run after `change`. Counts that are not named must be 0. */
  expected: Partial<Record<'added' | 'updated' | 'deleted', number>>;
  /** A question whose answer is only in the new content. */
  newQuestion: Question;
  /** Words of a deleted text. */
  goneWords: string;
  /** Number of requests since the last `forget`. */
  requests(): number;
  forget(): void;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const EVERY_MORNING = 'FREQ=DAILY;BYHOUR=5;BYMINUTE=0;TZID=Europe/Berlin';

export async function openDemoOrigins(): Promise<DemoOrigin[]> {
  return [await driveOrigin(), await pageOrigin(), await repoOrigin(), await siteOrigin()];
}

async function storeSecret(client: Client, name: string, type: 'drive' | 'page', secret: string): Promise<string> {
  return (await client.createSecret({ body: { name, type, secret } })).id;
}

async function driveOrigin(): Promise<DemoOrigin> {
  const drive = await openFakeDrive();
  const { state } = drive;
  const folder = state.addFolder(state.root, 'Collections');
  const care = state.addFolder(folder, 'Care');
  const textiles = state.addFile(
    care,
    'Textiles.txt',
    'Textiles are stored flat, at a relative humidity of 50 percent.\n',
  );
  state.addGoogle(folder, 'Loan rules', 'document', {
    'text/markdown': '# Loan rules\n\nA loan lasts at most nine months. The borrower pays for the insurance.\n',
  });
  const prices = state.addFile(
    folder,
    'Old prices.txt',
    'In 1998 a ticket cost four marks and a postcard eighty pfennigs.\n',
  );
  const keys = state.addFile(folder, 'Keys.txt', 'The spare keys hang in the porter’s lodge.\n');
  return {
    title: 'Drive folder',
    sourceType: 'drive',
    settings: { PINAKES_GOOGLE_API_URL: drive.url },
    async create(client) {
      const secret_id = await storeSecret(client, 'drive reader', 'drive', drive.key);
      const folder_url = `https://drive.google.com/drive/folders/${folder}`;
      return (
        await client.createDriveSource({ body: { name: 'Collections', folder_url, secret_id, rrule: EVERY_MORNING } })
      ).id;
    },
    question: { text: 'How long does a loan last?', source: 'Loan rules.md' },
    change() {
      state.edit(textiles, 'Textiles are stored rolled, at a relative humidity of 45 percent.\n');
      state.trash(prices);
      state.move(keys, care);
      state.addFile(care, 'Silver.txt', 'Silver is polished with chalk, twice a year.\n');
    },
    changes: [
      'edited Textiles.txt',
      'moved Keys.txt to another folder',
      'added Silver.txt',
      'put Old prices.txt in the bin',
    ],
    // A moved file has another path, which is metadata. Its bytes are not read again.
    expected: { added: 1, updated: 2, deleted: 1 },
    newQuestion: { text: 'What is silver polished with?', source: 'Silver.txt' },
    goneWords: 'eighty pfennigs postcard',
    requests: () => drive.requests.length,
    forget: () => void drive.requests.splice(0),
    close: () => drive.close(),
  };
}

async function pageOrigin(): Promise<DemoOrigin> {
  // The pages were written an hour ago: the service does not trust the time of a more recent edit.
  let behindMs = HOUR_MS;
  const workspace = await openFakeNotion({ now: () => new Date(Date.now() - behindMs) });
  const { world } = workspace;
  const root = world.addPage('Staff handbook', [paragraph('For everybody who works at the museum.')]);
  const leave = world.addPage(
    'Leave',
    [
      says('callout', 'Ask your supervisor two weeks before.', [], { icon: { type: 'emoji', emoji: '🏖' } }),
      says('bulleted_list_item', 'Full-time staff have 28 days of leave a year.'),
      says('bulleted_list_item', 'Volunteers choose their own days.'),
    ],
    root,
  );
  const canteen = world.addPage('Canteen', [paragraph('On Fridays the canteen serves herring with beetroot.')], root);
  const projects = world.addDatabase('Projects', root);
  const status = (name: string) => ({ id: 'status', type: 'status', status: { name } });
  const budget = (number: number) => ({ id: 'budget', type: 'number', number });
  world.addRow(projects, 'New lantern room', { Status: status('In progress'), Budget: budget(84_000) }, [
    paragraph('The lantern room is rebuilt by the workshop Holm.'),
    block('file', world.hostedFile('offer.txt', 'Offer of the workshop Holm: the glazing takes eleven weeks.\n')),
  ]);
  behindMs = 0;
  return {
    title: 'Page workspace',
    sourceType: 'page',
    settings: { PINAKES_PAGE_API_URL: workspace.url },
    async create(client) {
      const secret_id = await storeSecret(client, 'handbook integration', 'page', workspace.token);
      const page_id = `https://www.notion.so/museum/Staff-handbook-${root.replaceAll('-', '')}`;
      return (
        await client.createPageSource({ body: { name: 'Staff handbook', page_id, secret_id, rrule: EVERY_MORNING } })
      ).id;
    },
    question: { text: 'Who rebuilds the lantern room?', source: 'New lantern room.md' },
    change() {
      behindMs = HOUR_MS / 2;
      world.edit(leave, (page) =>
        page.blocks.push(block('paragraph', { rich_text: [text('Leave ends on 31 March.')] })),
      );
      world.trash(canteen);
      world.addRow(projects, 'Audio guide', { Status: status('Planned'), Budget: budget(12_500) }, [
        paragraph('The audio guide is spoken by the harbour master.'),
      ]);
      behindMs = 0;
    },
    changes: ['edited Leave', 'added the row Audio guide to Projects', 'put Canteen in the trash'],
    // The page above Canteen lost its link.
    expected: { added: 1, updated: 2, deleted: 1 },
    newQuestion: { text: 'Who speaks the audio guide?', source: 'Audio guide.md' },
    goneWords: 'herring with beetroot',
    requests: () => [...workspace.counts.values()].reduce((sum, count) => sum + count, 0),
    forget: () => workspace.forget(),
    close: () => workspace.close(),
  };
}

async function repoOrigin(): Promise<DemoOrigin> {
  const github = await openFakeGitHub();
  const { git } = github.add('museum/audio-guide');
  git.commit({
    'README.md': '# Audio guide\n\nThe player needs 64 MB of memory and runs for nine hours.\n',
    'docs/install.md': '# Installing\n\nHold the red button for ten seconds until the lamp blinks.\n',
    'docs/legacy.md': '# Cassettes\n\nThe cassette deck is rewound with a pencil.\n',
    'src/player.ts': 'export const VOLUME_MAX = 11;\n',
  });
  return {
    title: 'Repository',
    sourceType: 'repo',
    settings: { PINAKES_REPO_API_URL: github.url },
    async create(client) {
      const body = { name: 'Audio guide', repository: 'museum/audio-guide', path_filters: ['docs/', '*.md'] };
      return (await client.createRepoSource({ body })).id;
    },
    question: { text: 'How long does the player run?', source: 'README.md' },
    change() {
      git.commit({
        'docs/install.md': '# Installing\n\nHold the blue button for three seconds until the lamp blinks.\n',
        'docs/legacy.md': null,
        'docs/battery.md': '# Battery\n\nThe battery is charged in ninety minutes.\n',
        'src/player.ts': 'export const VOLUME_MAX = 10;\n',
      });
    },
    changes: ['a commit: docs/install.md changed, docs/battery.md added, docs/legacy.md removed, src/ is not read'],
    expected: { added: 1, updated: 1, deleted: 1 },
    newQuestion: { text: 'How is the battery charged?', source: 'battery.md' },
    goneWords: 'cassette deck rewound pencil',
    requests: () => github.requests.length,
    forget: () => void github.requests.splice(0),
    close: () => github.close(),
  };
}

async function siteOrigin(): Promise<DemoOrigin> {
  const site = await openFakeSite();
  const page = (title: string, words: string, ...links: string[]) =>
    `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${words}</p><ul>${links
      .map((link) => `<li><a href="${link}">${link.slice(1)}</a></li>`)
      .join('')}</ul></main></body></html>`;
  site.set({
    '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /intern/\n' },
    '/': page(
      'Lighthouse museum',
      'The museum stands at the harbour of Ostersund.',
      '/hours',
      '/tour',
      '/ball',
      '/intern/plan',
    ),
    '/hours': page('Opening hours', 'In winter the tower is open from ten until half past three.'),
    '/tour': page('Guided tour', 'The tour of the tower begins at the anchor and takes fifty minutes.'),
    '/ball': page('Summer ball', 'The summer ball is opened by the brass band of the pilots.'),
    '/intern/plan': page('Plan', 'Nobody may read this.'),
  });
  return {
    title: 'Web site',
    sourceType: 'web',
    settings: {},
    async create(client) {
      return (await client.createCrawl({ body: { name: 'Museum site', urls: [`${site.url}/`], max_depth: 2 } })).id;
    },
    question: { text: 'Where does the tour of the tower begin?', source: 'Guided tour' },
    change() {
      site.set({
        '/': page('Lighthouse museum', 'The museum stands at the harbour of Ostersund.', '/hours', '/tour', '/shop'),
        '/hours': page('Opening hours', 'In winter the tower is open from eleven until three.'),
        '/ball': null,
        '/shop': page('Shop', 'The shop sells ship lanterns made of recycled bottles.'),
      });
    },
    changes: [
      'edited the opening hours',
      'added a page about the shop',
      'removed the page about the ball and the link to it',
    ],
    expected: { added: 1, updated: 2, deleted: 1 },
    newQuestion: { text: 'What are the ship lanterns of the shop made of?', source: 'Shop' },
    goneWords: 'brass band of the pilots',
    requests: () => site.requests.length,
    forget: () => void site.requests.splice(0),
    close: () => site.close(),
  };
}
