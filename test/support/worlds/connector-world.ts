/** A service whose web connector reads a scripted origin: its groups, their runs and the search for their sources. */
import assert from 'node:assert/strict';
import { insertGroup, lockGroup } from '../../../src/corpus/group-store.ts';
import { findViolations } from '../../../src/corpus/invariants.ts';
import type { Origin } from '../../../src/corpus/origin.ts';
import { insertRun } from '../../../src/corpus/run-store.ts';
import { insertSetting } from '../../../src/corpus/setting-store.ts';
import type { Overrides } from '../../../src/deps.ts';
import { ingestRun } from '../../../src/ingest/run-ingest.ts';
import { queueOriginRun } from '../../../src/ingest/runs/run-actions.ts';
import { newId } from '../../../src/util/ids.ts';
import { insertSecret, prepareToSeal } from '../../../src/vault/secret-store.ts';
import { openTestApp, type TestApp } from '../app.ts';
import { openScriptedOrigin, type ScriptedOrigin } from './scripted-origin.ts';

export interface ConnectorWorld {
  service: TestApp;
  origin: ScriptedOrigin;
  /** Creates a group without a run; returns its id. */
  makeGroup(options?: {
    rrule?: string;
    origin?: Origin;
    oneTimeCredential?: string;
    secret?: string;
  }): Promise<string>;
  /** Creates a run; returns its id. */
  queueRun(groupId: string): Promise<string>;
  /** Executes a run as a worker does. */
  work(runId: string, signal?: AbortSignal, lastAttempt?: boolean): Promise<void>;
  /** Creates and executes a run; returns the run as the API shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they assert
  run(groupId: string): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  getRun(runId: string): Promise<any>;
  /** Returns the sorted names of the sources with a chunk that matches. */
  search(query: string): Promise<string[]>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  sources(groupId: string): Promise<any[]>;
  assertSound(): Promise<void>;
  close(): Promise<void>;
}

const WEB = {
  kind: 'web' as const,
  urls: ['https://origin.example/'],
  maxDepth: 1,
  maxPages: 100,
  includePaths: [],
  excludePaths: [],
  sameHost: true,
  useSitemap: false,
};

export async function openConnectorWorld(
  given: Overrides = {},
  env: Record<string, string> = {},
): Promise<ConnectorWorld> {
  const origin = openScriptedOrigin();
  const connectors = { web: origin, ...given.connectors } as unknown as NonNullable<Overrides['connectors']>;
  const service = await openTestApp({ env, given: { ...given, connectors } });
  const { deps, tenantId } = service;
  const created = new Set<string>();
  const world: ConnectorWorld = {
    service,
    origin,
    async makeGroup({ rrule = '', origin: from = WEB, oneTimeCredential, secret } = {}) {
      const createdAt = deps.clock.now();
      const id = newId(createdAt.getTime());
      const value = oneTimeCredential ?? secret;
      const secretId = newId(createdAt.getTime());
      await prepareToSeal(deps);
      await deps.db.transaction(tenantId, async (tx) => {
        const group = { id, sourceType: from.kind, name: 'Site', chunkMetadataKeys: [], uploadAt: null, createdAt };
        await insertGroup(tx, group);
        await insertSetting(tx, {
          id: newId(createdAt.getTime()),
          sourceGroupId: id,
          origin: from,
          secretId: secret === undefined ? null : secretId,
          needsCredential: value !== undefined,
          rrule,
          nextTimes: [],
          createdAt,
        });
        if (value === undefined) return;
        await insertSecret(tx, deps.config, {
          id: secretId,
          name: 'key',
          type: 'drive',
          description: '',
          value,
          createdAt,
          ...(oneTimeCredential === undefined ? {} : { sourceGroupId: id }),
        });
      });
      created.add(id);
      return id;
    },
    queueRun: (groupId) =>
      deps.db.transaction(tenantId, async (tx) => {
        const group = (await lockGroup(tx, groupId))!;
        if (!created.delete(groupId)) return queueOriginRun(deps, tx, group);
        const createdAt = deps.clock.now();
        const id = newId(createdAt.getTime());
        await insertRun(tx, {
          id,
          sourceGroupId: groupId,
          generation: 1,
          scanned: 0,
          unchanged: 0,
          createdAt,
        });
        return id;
      }),
    work: (runId, signal = new AbortController().signal, lastAttempt = true) =>
      ingestRun(deps)({ tenantId, runId }, { signal, lastAttempt }),
    async run(groupId) {
      const runId = await world.queueRun(groupId);
      await world.work(runId);
      return world.getRun(runId);
    },
    getRun: async (runId) => (await service.get(`/runs/${runId}`)).body,
    async search(query) {
      const { body } = await service.post('/search', { query, mode: 'lexical', limit: 100 });
      return [...new Set<string>(body.results.map((result: { name: string }) => result.name))].sort();
    },
    sources: async (groupId) => (await service.get(`/source-groups/${groupId}/sources?limit=100`)).body.sources,
    async assertSound() {
      const { db, blobs } = deps;
      assert.deepEqual(await findViolations(db, blobs, { now: new Date(), graceSeconds: 3_600 }), []);
    },
    close: () => service.close(),
  };
  return world;
}
