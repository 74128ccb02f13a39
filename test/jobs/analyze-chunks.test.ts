/** After a change of the analyzer, a job analyzes all stored chunks again, once, and continues after an interruption. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { ANALYZER_VERSION, createTenant, listOutdatedTenants, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { ANALYZED_PER_TRANSACTION, analyzeChunks, wakeAnalysis } from '../../src/ingest/upkeep/analyze-chunks.ts';
import type { JobContext, JobQueue } from '../../src/jobs/queue.ts';
import { analyzeForIndex } from '../../src/text/analyzer.ts';
import { chunkTerms, otherNames } from '../../src/text/chunk-terms.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

const SOURCES = ANALYZED_PER_TRANSACTION * 3 + 1;

let database: TestDatabase;
let tenant: Tenant;

before(async () => {
  database = await openTestDatabase();
  tenant = await createTenant(database.db, { id: newId(), name: 'old' });
  const sources = Array.from({ length: SOURCES }, (_, i) => ({
    name: `Titel ${i}`,
    language: 'de',
    fileType: i === 0 ? 'code' : 'txt',
    originMetadata: { title: { val: `Titel ${i}`, type: 'string' as const } },
    chunks: [{ content: `Das Gerichtsverfahren Nummer ${i} endete.`, context: 'Defines: LIMIT' }],
  }));
  await seed(database.db, tenant.id, [{ sources }]);
});
after(() => database.close());

const context = (signal = new AbortController().signal): JobContext => ({ signal, lastAttempt: false });

const logged: Record<string, unknown>[] = [];
const log = pino({ base: null, timestamp: false }, { write: (line) => void logged.push(JSON.parse(line)) });

/** Gives the chunks the state that another version of the analyzer leaves. */
async function makeOutdated(): Promise<void> {
  await database.db.query(tenant.id, sql`update chunk set terms = 'old' where tenant_id = ${tenant.id}`);
  await database.db.system.query(
    sql`update tenant set analyzer_version = 1, analyzed_to = null where id = ${tenant.id}`,
  );
}

async function termsOfChunks(): Promise<{ content: string; terms: string }[]> {
  return database.db.query(tenant.id, sql`select content, terms from chunk where tenant_id = ${tenant.id} order by id`);
}

/** Returns a database that counts its transactions and calls `each` before each of them. */
function counted(each: (count: number) => void): Pick<Database, 'system'> & Database {
  let count = 0;
  const { system } = database.db;
  return {
    ...database.db,
    system: {
      ...system,
      transaction: (fn, options) => {
        each(++count);
        return system.transaction(fn, options);
      },
    },
  };
}

test('a new tenant needs no analysis', async () => {
  assert.deepEqual(await database.db.system.transaction(listOutdatedTenants), []);
});

test('all chunks are analyzed again, and a stopped job continues where it was', async () => {
  await makeOutdated();
  const stopped = new AbortController();
  const stopping = counted((count) => count === 2 && stopped.abort());
  await assert.rejects(analyzeChunks({ db: stopping, log })({ tenantId: tenant.id }, context(stopped.signal)));
  const half = await termsOfChunks();
  assert.equal(half.filter(({ terms }) => terms !== 'old').length, ANALYZED_PER_TRANSACTION * 2);
  assert.deepEqual(await database.db.system.transaction(listOutdatedTenants), [tenant.id]);

  let transactions = 0;
  const going = counted((count) => {
    transactions = count;
  });
  await analyzeChunks({ db: going, log })({ tenantId: tenant.id }, context());
  assert.deepEqual(
    logged.map(({ msg, chunks }) => [msg, chunks]),
    [
      ['the analyzer changed: stored chunks are analyzed again', undefined],
      ['the analyzer changed: stored chunks are analyzed again', undefined],
      ['stored chunks were analyzed again', SOURCES - ANALYZED_PER_TRANSACTION * 2],
    ],
  );
  assert.equal(transactions, 3, 'the first chunks are not analyzed again');
  for (const [i, { content, terms }] of (await termsOfChunks()).entries()) {
    assert.equal(
      terms,
      chunkTerms(
        { content, context: 'Defines: LIMIT', headingPath: [] },
        `Titel ${/\d+/.exec(content)}`,
        'de',
        i === 0,
      ),
      `${i}`,
    );
  }
  assert.deepEqual(await database.db.system.transaction(listOutdatedTenants), []);
});

test('a second job analyzes nothing', async () => {
  let transactions = 0;
  const db = counted((count) => {
    transactions = count;
  });
  logged.length = 0;
  await analyzeChunks({ db, log })({ tenantId: tenant.id }, context());
  assert.equal(transactions, 1);
  assert.deepEqual(logged, []);
});

test('a worker enqueues a job for every outdated tenant at its start', async () => {
  await makeOutdated();
  const wanted: unknown[] = [];
  const queue: JobQueue = {
    enqueue: async (_tx, kind, payload) => void wanted.push([kind, payload]),
    givesPlace: async () => false,
    listRunsWithJob: async () => [],
    work: async () => {},
    stop: async () => {},
  };
  await wakeAnalysis({ db: database.db, queue });
  assert.deepEqual(wanted, [['analyze-chunks', { tenantId: tenant.id }]]);
});

const CODE = { content: 'MAX = 30\ndef sendAll():', context: 'Defines: MAX', headingPath: ['Session', 'sendAll'] };
const PAGE = { content: 'Turnover rose.', context: null, headingPath: [] };

test('a change of the analyzer’s terms needs another ANALYZER_VERSION', () => {
  const texts: [string, string | null][] = [
    ['The author’s state-of-the-art getUserName() ERR_4012 v1.2.3 C++ 10,000 5mg café İstanbul', 'en'],
    ['Das Gerichtsverfahren über die Bevölkerungsdichte der Krankenhäuser, Straße und Größe', 'de'],
    ['Los niños y las poblaciones', 'es'],
    ['populaţiei și orașelor', 'ro'],
    ['Самолёты над городами', 'ru'],
    ['Η κυβέρνηση της χώρας', 'el'],
    ['Kitaplarından IŞIK', 'tr'],
    ['Việt Nam là một quốc gia', 'vi'],
    ['وبالمدينة والكِتاب للمدن', 'ar'],
    ['बड़े शहरों की किताबें', 'hi'],
    ['機器學習 カーナビ 한국어 ภาษาไทย', null],
    ['1.234.567 und 1.234,5 und 12\u202f345 und १९४७', 'de'],
    ['हिन्दी सम्बन्ध', 'hi'],
    ['hoà bình', 'vi'],
    ['обʼєкт', 'uk'],
    ['ושבמדינה', 'he'],
    ['w największych miastach tablica', 'pl'],
    ['v největších městech aplikací stránek', 'cs'],
    ['net.ipv4.tcp_tw_reuse', 'en'],
    ['23 615 und v1.2.3', 'de'],
    ['-e --depth .gitignore $! -> std::vec `?.` ??', null],
    ['re\u{e0041}ve\ufe0fnue mil\u200blion', 'en'],
  ];
  const digest = createHash('sha256')
    .update(
      [
        ...texts.map(([text, language]) => analyzeForIndex(text, language)),
        chunkTerms(CODE, 'a.py', 'en', true),
        chunkTerms(
          PAGE,
          'Figures',
          'en',
          false,
          otherNames('Figures', 'Report_2023.md', 'Bluebird', 'ACME/2024/Report_2023.md'),
        ),
      ].join('\n'),
    )
    .digest('hex')
    .slice(0, 16);
  // When this assertion fails, raise the version, then enter the new digest.
  assert.deepEqual({ version: ANALYZER_VERSION, digest }, { version: 17, digest: 'd93684d057ba003a' });
});

test('terms of a redacted source leave out its name, also beside a title', async () => {
  const names = (redactedBy: string, metadata: object) =>
    database.db.query(
      tenant.id,
      sql`update source set name = 'Vimbor.txt', origin_metadata = ${JSON.stringify(metadata)}::jsonb, redacted_by = ${redactedBy}
        where tenant_id = ${tenant.id}`,
    );
  await database.db.query(
    tenant.id,
    sql`update chunk set ordinal = 1 where tenant_id = ${tenant.id} and content like '%Nummer 3 %'`,
  );
  const title = { title: { val: 'Zum Vertrag', type: 'string' } };
  for (const [redactedBy, metadata, isNamed] of [
    ['', {}, true],
    ['', title, true],
    ['mark', {}, false],
    ['mark', title, false],
  ] as const) {
    await makeOutdated();
    await names(redactedBy, metadata);
    await analyzeChunks({ db: database.db, log })({ tenantId: tenant.id }, context());
    // With a title, only the first chunk of a file has the words of its name.
    for (const { content, terms } of await termsOfChunks()) {
      const isFirst = !content.includes('Nummer 3 ');
      const expected = isNamed && (metadata !== title || isFirst);
      assert.equal(terms.includes('vimbor'), expected, `${redactedBy} ${JSON.stringify(metadata)} ${content}`);
    }
  }
});

test('the first chunk is found by the folders of its source, unless the source was read under ingest rules', async () => {
  const inFolder = { path: { val: 'Vimbor/Gramzo', type: 'string' } };
  for (const [type, path, metadata, redactedBy, found] of [
    ['local_file', 'Vimbor/Gramzo', {}, '', ['vimbor']],
    ['local_file', 'Vimbor/Gramzo', {}, 'mark', []],
    ['drive', null, inFolder, '', ['vimbor']],
    ['drive', null, inFolder, 'mark', []],
    ['repo', null, inFolder, '', ['vimbor']],
    // The path of a page has only the pages above it.
    ['page', null, inFolder, '', ['vimbor', 'gramzo']],
    // The path of a web page is that of its address.
    ['web', null, inFolder, '', []],
  ] as const) {
    await makeOutdated();
    await database.db.query(
      tenant.id,
      sql`update source set name = 'a.txt', source_type = ${type}, path = ${path}, redacted_by = ${redactedBy},
        origin_metadata = ${JSON.stringify(metadata)}::jsonb where tenant_id = ${tenant.id}`,
    );
    await analyzeChunks({ db: database.db, log })({ tenantId: tenant.id }, context());
    for (const { content, terms } of await termsOfChunks()) {
      const isFirst = !content.includes('Nummer 3 ');
      const words = terms.split(' ').filter((term) => ['vimbor', 'gramzo'].includes(term));
      assert.deepEqual(words.sort().reverse(), isFirst ? found : [], `${type} ${redactedBy} ${content}`);
    }
  }
});
