/** Sources that follow an origin, of every kind, with their settings. */
import type { MetadataRecord, OperationId, Operations, Secret } from '../../../src/client/api.ts';
import { type ConnectorKind, KINDS } from '../screens/connectors/kinds.ts';
import { sortedByName } from '../words/format.ts';
import { pinakes } from './api.ts';

/** Key of the list in the cache of the page. */
export const CONNECTORS = 'connectors';
const ROWS_PER_REQUEST = 100;
const SECRETS_MAX = 1_000;

export type OriginCheck = Operations['checkConnector']['response'];
export type { Secret };

interface AnySource {
  id: string;
  name: string;
  status: Operations['getSourceGroup']['response']['status'];
  ingestion_setting_id: string;
  start_time: number | null;
  end_time: number | null;
  error: { title: string; message: string } | null;
  metadata: { records: MetadataRecord[] };
}
interface AnySetting {
  id: string;
  source_group_id: string;
  rrule: string;
  secret_id?: string;
  next_run_times: number[];
  failing_since_time: number | null;
}
/** A source with the setting that it has; null after the setting was deleted. */
export interface ConnectorRow extends AnySource {
  kind: ConnectorKind;
  setting: AnySetting | null;
  /** Members that describe the origin, as the API returns them. */
  origin: Record<string, unknown>;
}

interface AnyPage extends Record<string, unknown> {
  pagination: { next_id: string | null };
}

/** Calls an operation whose id is known only at run time. */
function call<T>(id: OperationId, request: unknown): Promise<T> {
  return (pinakes[id] as (given: unknown) => Promise<T>)(request);
}

async function listAll<T>(id: OperationId, key: string): Promise<T[]> {
  const rows: T[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const query = { limit: ROWS_PER_REQUEST, after_id: after };
    const page = await call<AnyPage>(id, { query });
    rows.push(...(page[key] as T[]));
    after = page.pagination.next_id;
  }
  return rows;
}

/** Returns the sources of all kinds, by name. */
export async function listConnectors(): Promise<ConnectorRow[]> {
  const rows = await Promise.all(
    KINDS.map(async (kind) => {
      const [sources, settings] = await Promise.all([
        listAll<AnySource & Record<string, unknown>>(kind.operations.list, kind.listKeys[0]),
        listAll<AnySetting>(kind.operations.settings, kind.listKeys[1]),
      ]);
      const settingOf = new Map(settings.map((setting) => [setting.id, setting]));
      return sources.map((source): ConnectorRow => {
        const origin = Object.fromEntries(kind.fields.map(({ name }) => [name, source[name]]));
        return { ...source, kind, origin, setting: settingOf.get(source.ingestion_setting_id) ?? null };
      });
    }),
  );
  return sortedByName(rows.flat(), ({ name }) => name);
}

export interface NewConnector {
  name: string;
  origin: Record<string, unknown>;
  secretId: string;
  rrule: string;
  metadata: { key: string; val: string }[];
}

function bodyOf({ origin, secretId }: Pick<NewConnector, 'origin' | 'secretId'>): Record<string, unknown> {
  return { ...origin, ...(secretId !== '' && { secret_id: secretId }) };
}

/** Looks at the origin, without storing anything. */
export function checkConnector(
  kind: ConnectorKind,
  given: Pick<NewConnector, 'origin' | 'secretId'>,
): Promise<OriginCheck> {
  return call('checkConnector', { body: { kind: kind.kind, ...bodyOf(given) } });
}

/** Creates the source and starts its first run. */
export function createConnector(kind: ConnectorKind, given: NewConnector): Promise<AnySource> {
  const { name, rrule, metadata } = given;
  const body = {
    ...bodyOf(given),
    name,
    ...(rrule !== '' && { rrule }),
    ...(metadata.length > 0 && { metadata: { records: metadata } }),
  };
  return call(kind.operations.create, { body });
}

export function changeConnector(
  { kind, setting }: ConnectorRow,
  change: { name: string; rrule: string },
): Promise<AnySetting> {
  return call(kind.operations.change, { params: { id: setting?.id ?? '' }, body: change });
}

export function deleteConnector({ kind, id }: ConnectorRow): Promise<unknown> {
  return call(kind.operations.remove, { params: { id } });
}

/** Returns the next times of a rule. @throws PinakesError for a rule that cannot be used */
export async function previewSchedule(rrule: string, zone: string, signal: AbortSignal): Promise<number[]> {
  const { next_run_times: times } = await pinakes.previewSchedule({ body: { rrule, time_zone: zone } }, { signal });
  return times;
}

/** Returns the secrets of a type, newest first. */
export async function listSecrets(type: string): Promise<Secret[]> {
  const found: Secret[] = [];
  for (let after: string | undefined | null; after !== null && found.length < SECRETS_MAX; ) {
    const query = { limit: ROWS_PER_REQUEST, ...(after !== undefined && { after_id: after }) };
    const page: Operations['listSecrets']['response'] = await pinakes.listSecrets({ query });
    found.push(...page.secrets);
    after = page.pagination.next_id;
  }
  return found.filter((secret) => secret.type === type).toReversed();
}

export function createSecret(type: string, name: string, secret: string): Promise<Secret> {
  return pinakes.createSecret({ body: { type: type as Secret['type'], name, secret } });
}
