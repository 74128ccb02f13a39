/** Sources of every kind as callers create them, and connectors with scripted contents. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import {
  type Change,
  type Connector,
  type Fetched,
  OriginError,
  type OriginItem,
  type OriginProblem,
} from '../../../src/connectors/connector.ts';
import { type Connectors, connectorOf, openConnectors } from '../../../src/connectors/registry.ts';
import type { OriginKind } from '../../../src/corpus/origin.ts';
import type { HttpClient } from '../../../src/net/http-client.ts';
import type { TenantSockets } from '../../../src/net/tenant-sockets.ts';
import { systemClock } from '../../../src/util/time.ts';
import type { SecretType } from '../../../src/vault/secret-store.ts';
import type { TestAnswer, TestApp } from '../app.ts';
import { SECRET_CANARY } from '../passages/canary.ts';

export interface SourceForm {
  kind: OriginKind;
  path: string;
  settingPath: string;
  /** The origin as the caller sends it and as answers show it. */
  origin: Record<string, unknown>;
  /** Null if the kind has no credential. */
  credential: { member: string; secretType: SecretType; required: boolean } | null;
}

export const SOURCE_FORMS: readonly SourceForm[] = [
  {
    kind: 'drive',
    path: '/drive-sources',
    settingPath: '/drive-source-settings',
    origin: { folder_url: 'https://drive.google.com/drive/folders/1AbCdEfGhIjKlMnOpQrStUvWxYz012345' },
    credential: { member: 'service_account_key', secretType: 'drive', required: true },
  },
  {
    kind: 'page',
    path: '/page-sources',
    settingPath: '/page-source-settings',
    origin: { page_id: '59833787-2cf9-4fdf-8782-e53db20768a5' },
    credential: { member: 'page_token', secretType: 'page', required: true },
  },
  {
    kind: 'repo',
    path: '/repo-sources',
    settingPath: '/repo-settings',
    origin: {
      repository: 'acme/manual',
      path_filters: ['docs/', '!docs/drafts/'],
      reference_type: 'branch',
      reference_param: 'main',
    },
    credential: { member: 'access_token', secretType: 'repo', required: false },
  },
  {
    kind: 'web',
    path: '/crawls',
    settingPath: '/crawl-settings',
    origin: {
      urls: ['https://help.example.com/'],
      max_depth: 2,
      max_pages: 50,
      include_paths: ['/guide/'],
      exclude_paths: ['/archive/'],
      same_host: true,
      use_sitemap: false,
      delay_ms: 500,
    },
    credential: null,
  },
  {
    kind: 'database',
    path: '/database-sources',
    settingPath: '/database-source-settings',
    origin: {
      tables: [
        { name: 'public.orders', columns: [] },
        { name: 'public.customers', columns: ['id', 'city'] },
      ],
    },
    credential: { member: 'connection_url', secretType: 'database', required: true },
  },
];

let serviceAccountKey: string | undefined;

/** Returns a valid credential; every credential contains the canary. */
export function credentialFor(form: SourceForm): string {
  if (form.kind === 'database') return `postgresql://reader:${SECRET_CANARY}@db.example.com/shop`;
  if (form.kind !== 'drive') return `${SECRET_CANARY}${form.kind}`;
  serviceAccountKey ??= JSON.stringify({
    type: 'service_account',
    private_key_id: `${SECRET_CANARY}drive`,
    private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
    client_email: 'reader@example.iam.gserviceaccount.com',
    token_uri: 'http://127.0.0.1:9/never-dialed',
  });
  return serviceAccountKey;
}

/** Stores a secret of the form's type. */
export async function storeSecret(t: TestApp, form: SourceForm, key?: string): Promise<string> {
  const type = form.credential?.secretType;
  const { status, body } = await t.post('/secrets', { name: 's', type, secret: credentialFor(form) }, key);
  assert.equal(status, 201);
  return body.id;
}

/** Returns a valid body, with a stored secret if the kind needs one, without undefined members. */
export async function bodyFor(t: TestApp, form: SourceForm, more: Record<string, unknown> = {}, key?: string) {
  const secret = form.credential?.required ? { secret_id: await storeSecret(t, form, key) } : {};
  return { name: `a ${form.kind} source`, ...form.origin, ...secret, ...more };
}

export async function createSource(
  t: TestApp,
  form: SourceForm,
  more: Record<string, unknown> = {},
  key?: string,
): Promise<TestAnswer['body']> {
  const { status, body, text } = await t.post(form.path, await bodyFor(t, form, more, key), key);
  assert.equal(status, 201, text);
  return body;
}

/** The contents of every connector of `scriptedConnectors`; tests change them. */
export interface Script {
  /** File name -> text. */
  files: Record<string, string>;
  /** File name -> why the connector skips it. */
  skipped: Record<string, string>;
  /** Names of files that cannot be read now. */
  failed: Set<string>;
  /** What every listing fails with. */
  problem?: OriginProblem | undefined;
  /** Awaited before each listing. */
  gate: Promise<unknown>;
  /** Credentials that listings received. */
  credentials: (string | null)[];
}

/** Connectors whose origin is a few texts, for behaviour that does not depend on the kind. They validate input like the real connectors. */
export function scriptedConnectors(): Script & { connectors: Connectors } {
  const script: Script = { files: {}, skipped: {}, failed: new Set(), gate: Promise.resolve(), credentials: [] };
  const remote = { googleApiUrl: null, pageApiUrl: null, repoApiUrl: null };
  const real = openConnectors({
    remote,
    http: {} as HttpClient,
    sockets: {} as TenantSockets,
    clock: systemClock,
    crawl: { delayMs: 0, delayMinMs: 0 },
    readsPictures: false,
  });
  const connector = (kind: OriginKind): Connector => ({
    kind,
    async *list(_origin, credential, { signal }): AsyncGenerator<Change> {
      script.credentials.push(credential);
      await script.gate;
      signal.throwIfAborted();
      if (script.problem) throw new OriginError(script.problem);
      for (const [name, text] of Object.entries(script.files)) yield { kind: 'present', item: itemOf(name, text) };
      for (const [name, reason] of Object.entries(script.skipped))
        yield { kind: 'skipped', originId: name, name, reason };
      const problem = { title: 'The file is away', message: 'Try again.', retryable: true };
      for (const name of script.failed) yield { kind: 'failed', originId: name, name, problem };
      yield { kind: 'end', full: true, cursor: null };
    },
    fetch: async (_origin, _credential, item): Promise<Fetched> => ({
      kind: 'content',
      content: { body: one(Buffer.from(script.files[item.originId] ?? '')) },
    }),
    check: connectorOf(real, kind).check,
  });
  const connectors = Object.fromEntries(SOURCE_FORMS.map(({ kind }) => [kind, connector(kind)]));
  return Object.assign(script, { connectors: connectors as unknown as Connectors });
}

function itemOf(name: string, text: string): OriginItem {
  return {
    originId: name,
    name,
    url: URL.canParse(name) ? name : `https://origin.example.com/${name}`,
    revision: text,
    modifiedAt: null,
    metadata: {},
    locator: {},
  };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
