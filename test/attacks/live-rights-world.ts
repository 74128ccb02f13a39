/** Answers that never end by themselves, and everything that must end them. */

import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../src/access/caller.ts';
import { deleteTenant } from '../../src/corpus/tenant-store.ts';
import { sql } from '../../src/db/sql.ts';
import type { ChatEvent, ChatModel } from '../../src/llm/models.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp, type TestTenant } from '../support/app.ts';

const DELTA_MS = 20;
/** Every delta of the model holds this word. */
export const SECRET = 'heron';

export interface World {
  t: TestApp;
  url: string;
  /** What the model says after it has read the sources. The first script never ends. */
  script: (signal: AbortSignal) => AsyncIterable<ChatEvent>;
  /** By question, what to call when the model is asked. */
  asked: Map<string, () => void>;
  close(): Promise<void>;
}

async function* forever(signal: AbortSignal): AsyncGenerator<ChatEvent> {
  for (let n = 1; ; n++) {
    yield { type: 'text', delta: `The ${SECRET} says ${n}. ` };
    await sleep(DELTA_MS, undefined, { signal });
  }
}

/** Opens a service with authorization and a model that plays the script of the world. */
export async function openWorld(env: Record<string, string> = {}): Promise<World> {
  const world = { script: forever, asked: new Map() } as unknown as World;
  const chatModel: ChatModel = {
    name: 'scripted',
    contextTokens: 4096,
    stream(request, signal) {
      world.asked.get(request.question)?.();
      return world.script(signal);
    },
    ask: async () => '',
  };
  const t = await openTestApp({
    env: { PINAKES_AUTHORIZATION: 'on', PINAKES_QUERY_REWRITING: 'off', ...env },
    given: { chatModel },
  });
  return Object.assign(world, { t, url: await t.url(), close: () => t.close() });
}

/** One caller with content, rules and a key of its own. */
export interface Victim {
  tenant: TestTenant;
  /** The key that asks. */
  key: string;
  keyId: string;
  principalId: string;
  policyName: string;
  groupId: string;
  sourceId: string;
  body: { messages: object[]; principal_id: string; authz_policy: string };
  /** Resolves when the model is asked. */
  asked: Promise<void>;
}

let count = 0;

/** @param isAlone the victim has a tenant of its own. */
export async function openVictim({ t, asked }: World, isAlone = false): Promise<Victim> {
  const n = ++count;
  const tenant = isAlone ? await t.secondTenant() : t;
  const [principalId, policyName, sourceId] = [`ann-${n}`, `policy-${n}`, newId()];
  const content = `${SECRET} number${n} stands in the water.`;
  const [groupId] = await seed(t.deps.db, tenant.tenantId, [
    { sources: [{ id: sourceId, name: `${n}.txt`, metadata: { team: `team-${n}` }, chunks: [content] }] },
  ]);
  const condition = { key: 'team', operator: 'eq', value: { subject: 'team' } };
  await must(t.put(`/authz/policies/${policyName}`, { filters: [condition] }, tenant.key));
  await must(t.put(`/authz/subjects/${principalId}/attributes`, { attributes: { team: `team-${n}` } }, tenant.key));
  const issued = await must(t.post('/api-keys', { name: 'victim', scopes: SCOPES }, tenant.key));
  const question = `What does number${n} say?`;
  const isAsked = Promise.withResolvers<void>();
  asked.set(question, isAsked.resolve);
  const body = {
    messages: [{ role: 'user', content: question }],
    principal_id: principalId,
    authz_policy: policyName,
  };
  return {
    tenant,
    key: issued['key'],
    keyId: issued['id'],
    principalId,
    policyName,
    groupId: groupId!,
    sourceId,
    body,
    asked: isAsked.promise,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they assert
export async function must(answered: Promise<{ status: number; text: string; body: any }>): Promise<any> {
  const { status, text, body } = await answered;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}

/** What ends an answer. Each function resolves when the change was acknowledged. */
export const ENDS: Record<
  string,
  { type: string; isAlone?: boolean; end(world: World, victim: Victim): Promise<unknown> }
> = {
  'the revocation of its key': {
    type: 'authentication_error',
    end: ({ t }, v) => must(t.delete(`/api-keys/${v.keyId}`, v.tenant.key)),
  },
  'the end of a rotation of its key': {
    type: 'authentication_error',
    end: ({ t }, v) => must(t.post(`/api-keys/${v.keyId}/rotate`, { grace_seconds: 0 }, v.tenant.key)),
  },
  'the expiry of its key': {
    type: 'authentication_error',
    end: ({ t }, v) => t.deps.db.system.query(sql`update api_key set expires_at = now() where id = ${v.keyId}`),
  },
  'the loss of its scope': {
    type: 'permission_error',
    end: ({ t }, v) =>
      t.deps.db.system.query(sql`update api_key set scopes = '{knowledge:read}' where id = ${v.keyId}`),
  },
  'a changed limit of its key': {
    type: 'permission_error',
    end: ({ t }, v) =>
      t.deps.db.system.query(sql`update api_key set source_group_ids = array[${newId()}::uuid] where id = ${v.keyId}`),
  },
  'a changed policy': {
    type: 'conflict_error',
    end: ({ t }, v) =>
      must(
        t.put(
          `/authz/policies/${v.policyName}`,
          { filters: [{ key: 'team', operator: 'eq', value: 'nobody' }] },
          v.tenant.key,
        ),
      ),
  },
  'the deletion of its policy': {
    type: 'conflict_error',
    end: ({ t }, v) => must(t.delete(`/authz/policies/${v.policyName}`, v.tenant.key)),
  },
  'changed attributes of its principal': {
    type: 'conflict_error',
    end: ({ t }, v) =>
      must(t.put(`/authz/subjects/${v.principalId}/attributes`, { attributes: { team: 'other' } }, v.tenant.key)),
  },
  'the deletion of a source that it reads': {
    type: 'conflict_error',
    end: ({ t }, v) => must(t.delete(`/sources/${v.sourceId}`, v.tenant.key)),
  },
  'the deletion of a source group that it reads': {
    type: 'conflict_error',
    end: ({ t }, v) => must(t.delete(`/source-groups/${v.groupId}`, v.tenant.key)),
  },
  'a new version of a source that it reads': {
    type: 'conflict_error',
    end: ({ t }, v) =>
      t.deps.db.system.query(sql`update source set generation = generation + 1 where id = ${v.sourceId}`),
  },
  'metadata with which the policy hides a source that it reads': {
    type: 'conflict_error',
    end: ({ t }, v) =>
      must(
        t.put(
          `/sources/${v.sourceId}/metadata`,
          { metadata: { records: [{ key: 'team', val: 'other' }] } },
          v.tenant.key,
        ),
      ),
  },
  'a changed redaction policy': {
    type: 'conflict_error',
    isAlone: true,
    end: ({ t }, v) => {
      const rule = { name: 'birds', kind: 'dictionary', terms: [SECRET], action: 'mask', apply_at: ['output'] };
      return must(t.put('/redaction-policy', { enabled: true, rules: [rule] }, v.tenant.key));
    },
  },
  'the deletion of its tenant': {
    type: 'authentication_error',
    isAlone: true,
    end: ({ t }, v) => deleteTenant(t.deps.db, v.tenant.tenantId),
  },
};

export const FORMS = ['events', 'text', 'json'] as const;
export type Form = (typeof FORMS)[number];

/** What a client has received of an answer. */
export interface Received {
  /** Null while nothing has arrived. */
  status: number | null;
  text: string;
  /** When the last part with content arrived, by `performance.now`. */
  contentAt: number;
  /** Resolves when the connection has ended, with true if the answer was complete. */
  ended: Promise<boolean>;
  /** Resolves when content has arrived. */
  begun: Promise<void>;
  /** Closes the connection. */
  leave(): void;
}

/** Asks over a connection of its own. */
export function ask(url: string, key: string, body: object, form: Form): Received {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<boolean>();
  const sent = request(`${url}/api/v1/completions`, {
    method: 'POST',
    agent: new Agent({ keepAlive: false }),
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      accept: form === 'events' ? 'text/event-stream' : '*/*',
    },
  });
  const received: Received = {
    ...{ status: null, text: '', contentAt: 0, begun: begun.promise, ended: ended.promise },
    leave: () => sent.destroy(),
  };
  sent.once('error', () => ended.resolve(false));
  sent.once('response', (response: IncomingMessage) => {
    received.status = response.statusCode!;
    response.setEncoding('utf8').on('data', (part: string) => {
      received.text += part;
      if (!part.includes(SECRET)) return;
      received.contentAt = performance.now();
      begun.resolve();
    });
    response.once('error', () => {});
    response.once('close', () => ended.resolve(response.complete));
  });
  sent.end(JSON.stringify(form === 'text' ? { ...body, stream: true } : body));
  return received;
}

/** Returns the type of the error that a client reads; undefined if the connection was cut instead. */
export function errorOf({ text }: Received, form: Form): string | undefined {
  if (form === 'json') return JSON.parse(text).error?.type;
  if (form === 'text') return undefined;
  const last = JSON.parse(text.trimEnd().split('\n\n').at(-1)!.slice('data: '.length));
  return last.type === 'RUN_ERROR' ? last.code : undefined;
}

/** Returns the number of messages that the tenant of the victim has stored. */
export async function countStored({ t }: World, { principalId }: Victim): Promise<number> {
  const rows = await t.deps.db.system.query(sql`select from message m join conversation c
    on c.tenant_id = m.tenant_id and c.id = m.conversation_id where c.principal_id = ${principalId}`);
  return rows.length;
}
