/** A connector over files in memory: a test scripts its listings and failures and reads its requests. */
import type {
  Change,
  Connector,
  Fetched,
  ListRequest,
  OriginItem,
  StoredVersion,
} from '../../../src/connectors/connector.ts';
import type { Opaque, Origin } from '../../../src/corpus/origin.ts';
import type { TypedMetadata } from '../../../src/corpus/values.ts';

export interface ScriptedFile {
  name: string;
  content: string | Uint8Array;
  url?: string | null;
  /** By default the hash of the content. Null: the origin reports no hash. */
  revision?: string | null;
  modifiedAt?: Date | null;
  metadata?: TypedMetadata;
  /** The listing contains the bytes. */
  listed?: boolean;
}

export interface ScriptedOrigin extends Connector<'web'> {
  /** By origin id. */
  files: Map<string, ScriptedFile>;
  /** Ids that were fetched, in order. */
  fetched: string[];
  /** The requests of `list`. */
  listings: { cursor: Opaque | null; resume: Opaque | null }[];
  /** Replaces the listing of `files`. */
  script: ((request: ListRequest) => AsyncIterable<Change>) | undefined;
  /** Called before an item is fetched; may answer, wait or throw. */
  onFetch: (id: string, known: StoredVersion | undefined, signal: AbortSignal) => Promise<Fetched | undefined>;
  present(id: string): Extract<Change, { kind: 'present' }>;
}

const CHECKPOINT_EVERY = 10;

export function openScriptedOrigin(): ScriptedOrigin {
  const origin: ScriptedOrigin = {
    kind: 'web',
    files: new Map(),
    fetched: [],
    listings: [],
    script: undefined,
    onFetch: async () => undefined,
    check() {},
    present(id) {
      const file = origin.files.get(id)!;
      const change = { kind: 'present' as const, item: toItem(id, file) };
      return file.listed ? { ...change, content: { body: bytesOf(file) } } : change;
    },
    list(_origin, _credential, request) {
      const { cursor, resume } = request;
      origin.listings.push({ cursor, resume });
      return origin.script ? origin.script(request) : listAll(origin, resume);
    },
    async fetch(_origin: Origin, _credential, item, known, signal) {
      origin.fetched.push(item.originId);
      const scripted = await origin.onFetch(item.originId, known, signal);
      if (scripted) return scripted;
      const file = origin.files.get(item.originId);
      return file ? { kind: 'content', content: { body: bytesOf(file) } } : { kind: 'gone' };
    },
  };
  return origin;
}

async function* listAll(origin: ScriptedOrigin, resume: Opaque | null): AsyncIterable<Change> {
  const ids = [...origin.files.keys()];
  for (let at = Number(resume?.['at'] ?? 0); at < ids.length; at += 1) {
    yield origin.present(ids[at]!);
    if ((at + 1) % CHECKPOINT_EVERY === 0) yield { kind: 'checkpoint', resume: { at: at + 1 } };
  }
  yield { kind: 'end', full: true, cursor: null };
}

function toItem(id: string, file: ScriptedFile): OriginItem {
  return {
    originId: id,
    name: file.name,
    url: file.url === undefined ? `https://origin.example/${id}` : file.url,
    revision: file.revision === undefined ? `r-${Buffer.from(file.content).toString('base64')}` : file.revision,
    modifiedAt: file.modifiedAt === undefined ? new Date('2026-01-02T03:04:05Z') : file.modifiedAt,
    metadata: file.metadata ?? {},
    locator: {},
  };
}

async function* bytesOf({ content }: ScriptedFile): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}
