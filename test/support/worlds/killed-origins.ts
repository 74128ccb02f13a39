/** Origins of every kind with a few short texts, for services that are killed while they read them. */
import { openFakeDrive } from '../fakes/drive.ts';
import { openFakeGitHub } from '../fakes/github.ts';
import { openFakeNotion } from '../fakes/notion.ts';
import { paragraph } from '../fakes/notion-world.ts';
import { openPostgresWire } from '../fakes/postgres-wire.ts';
import { htmlPage, openFakeSite } from '../fakes/site.ts';

export interface KilledOrigin {
  kind: string;
  /** Settings of the service. */
  env: Record<string, string>;
  /** The secret and the body of the request that makes a source. */
  source: { path: string; secret?: { type: string; secret: string }; body: Record<string, unknown> };
  /** Sources that contain no text of `write`. */
  otherSources: number;
  /** True if texts can only be changed. */
  keepsNames?: true;
  /** Writes the texts of these names; null deletes one. */
  write(texts: ReadonlyMap<string, string | null>): Promise<void>;
  close(): Promise<void>;
}

export function openKilledOrigins(names: readonly string[]): Promise<KilledOrigin[]> {
  return Promise.all([driveOrigin(), pageOrigin(), repoOrigin(), siteOrigin(), databaseOrigin(names)]);
}

/** Keeps the ids of texts at an origin that identifies them by ids. */
function idsByName(actions: {
  add(name: string, text: string): string;
  edit(id: string, text: string): void;
  remove(id: string): void;
}): KilledOrigin['write'] {
  const ids = new Map<string, string>();
  return async (texts) => {
    for (const [name, text] of texts) {
      const id = ids.get(name);
      if (text === null) {
        if (id !== undefined) actions.remove(id);
        ids.delete(name);
      } else if (id === undefined) ids.set(name, actions.add(name, text));
      else actions.edit(id, text);
    }
  };
}

async function driveOrigin(): Promise<KilledOrigin> {
  const fake = await openFakeDrive({ pageSizeMax: 5 });
  const { state } = fake;
  const folders = [state.root, state.addFolder(state.root, 'one'), state.addFolder(state.root, 'two')];
  let added = 0;
  return {
    kind: 'drive',
    env: { PINAKES_GOOGLE_API_URL: fake.url },
    source: {
      path: '/drive-sources',
      secret: { type: 'drive', secret: fake.key },
      body: { folder_url: `https://drive.google.com/drive/folders/${state.root}` },
    },
    otherSources: 0,
    write: idsByName({
      add: (name, text) => state.addFile(folders[added++ % folders.length]!, `${name}.txt`, text),
      edit: (id, text) => state.edit(id, text),
      remove: (id) => state.trash(id),
    }),
    close: () => fake.close(),
  };
}

async function pageOrigin(): Promise<KilledOrigin> {
  const fake = await openFakeNotion();
  const { world } = fake;
  const root = world.addPage('Root');
  const parts = [root, world.addPage('One', [], root), world.addPage('Two', [], root)];
  let added = 0;
  return {
    kind: 'page',
    env: { PINAKES_PAGE_API_URL: fake.url },
    source: { path: '/page-sources', secret: { type: 'page', secret: fake.token }, body: { page_id: root } },
    otherSources: parts.length,
    write: idsByName({
      add: (name, text) => world.addPage(name, [paragraph(text)], parts[added++ % parts.length]),
      edit: (id, text) => world.edit(id, (page) => page.blocks.splice(0, page.blocks.length, paragraph(text))),
      remove: (id) => world.trash(id),
    }),
    close: () => fake.close(),
  };
}

async function repoOrigin(): Promise<KilledOrigin> {
  const fake = await openFakeGitHub();
  const { git } = fake.add('ada/site');
  return {
    kind: 'repo',
    env: { PINAKES_REPO_API_URL: fake.url },
    source: { path: '/repo-sources', body: { repository: 'ada/site' } },
    otherSources: 0,
    async write(texts) {
      git.commit(Object.fromEntries([...texts].map(([name, text]) => [`docs/${name}.txt`, text])));
    },
    close: () => fake.close(),
  };
}

async function siteOrigin(): Promise<KilledOrigin> {
  const site = await openFakeSite();
  const names = new Set<string>();
  return {
    kind: 'web',
    env: { PINAKES_CRAWL_DELAY_MS: '20', PINAKES_CRAWL_DELAY_MIN_MS: '0' },
    source: { path: '/crawls', body: { urls: [`${site.url}/`] } },
    otherSources: 1,
    async write(texts) {
      for (const [name, text] of texts) {
        if (text === null) names.delete(name);
        else names.add(name);
        const page = text === null ? null : `<!doctype html><title>${name}</title><p>${text}</p>`;
        site.set({ [`/${name}.html`]: page });
      }
      site.set({
        '/': htmlPage(
          'Start',
          [...names].map((name) => `/${name}.html`),
        ),
      });
    },
    close: () => site.close(),
  };
}

async function databaseOrigin(names: readonly string[]): Promise<KilledOrigin> {
  const server = await openPostgresWire('word');
  for (const name of names) await server.run(`create table ${name} (id integer primary key, line text)`);
  return {
    kind: 'database',
    env: {},
    source: {
      path: '/database-sources',
      secret: {
        type: 'database',
        secret: `postgresql://reader:word@127.0.0.1:${server.port}/postgres?sslmode=disable`,
      },
      body: { tables: names.map((name) => ({ name: `public.${name}`, columns: [] })) },
    },
    otherSources: 0,
    keepsNames: true,
    async write(texts) {
      for (const [name, text] of texts)
        await server.run(`delete from ${name}; insert into ${name} values (1, '${text}'), (2, 'another line')`);
    },
    close: () => server.close(),
  };
}
