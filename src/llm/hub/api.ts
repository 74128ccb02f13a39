/**
 * A model hub, with the wire format of Hugging Face: `GET /api/models/<name>/revision/<revision>?blobs=true` and
 * `GET /<name>/resolve/<commit>/<path>`. The operator names its address; where it redirects to must be public or allowed.
 */
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { HttpClient, HttpResponse } from '../../net/http-client.ts';

export interface HubSettings {
  url: string;
  /** For models with terms that must be accepted; sent to the hub alone. */
  token: string | null;
}

export interface HubFile {
  path: string;
  bytes: number;
  /** `sha256` of large files, `git`: the SHA-1 that git gives a file. */
  hash: { kind: 'sha256' | 'git'; hex: string };
}

export interface HubModel {
  name: string;
  /** The commit: files of it never change. */
  commit: string;
  license: string | null;
  /** The task, for example `sentence-similarity`; null if the hub does not know it. */
  task: string | null;
  tags: readonly string[];
  files: readonly HubFile[];
}

export interface Hub {
  /** @throws ServiceError with one line for the operator. */
  describe(name: string, revision: string): Promise<HubModel>;
  /** The bytes of a file from `offset` on; status 206, or 200 from its start. @throws ServiceError */
  open(model: HubModel, file: HubFile, offset: number, signal: AbortSignal): Promise<HttpResponse>;
}

const FILES_MAX = 10_000;
const DESCRIPTION_BYTES_MAX = 16 * 1024 * 1024;
/** Limit of one attempt. A stalled attempt is aborted earlier. */
const TRANSFER_TIMEOUT_MS = 24 * 3_600_000;
const RETRIES_MAX = 2;

/** Excludes paths that lead out of the model's directory, and hidden files. */
const SAFE_PATH = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*){0,5}$/;

const modelSchema = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  gated: z.union([z.boolean(), z.string()]).nullish(),
  pipeline_tag: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  cardData: z.object({ license: z.unknown().optional(), license_name: z.unknown().optional() }).nullish(),
  siblings: z
    .array(
      z.object({
        rfilename: z.string(),
        size: z.number().int().nonnegative().nullish(),
        blobId: z.string().nullish(),
        lfs: z.object({ sha256: z.string(), size: z.number().int().nonnegative() }).nullish(),
      }),
    )
    .max(FILES_MAX),
});

const WITHOUT_HUB =
  'Set PINAKES_HUB_URL to a mirror that this machine reaches, or copy the folder of a model that another machine has pulled, ' +
  'and name it: PINAKES_EMBEDDING_MODEL=local:<folder>.';

export function openHub(settings: HubSettings, http: Pick<HttpClient, 'request'>): Hub {
  const origin = settings.url.replace(/\/+$/, '');
  const { host } = new URL(origin);
  const headers: Record<string, string> = settings.token === null ? {} : { authorization: `Bearer ${settings.token}` };
  return {
    async describe(name, revision) {
      const url = `${origin}/api/models/${name}/revision/${encodeURIComponent(revision)}?blobs=true`;
      const asked = http.request(url, {
        trust: 'operator',
        headers: { ...headers, accept: 'application/json' },
        signal: new AbortController().signal,
        responseBytesMax: DESCRIPTION_BYTES_MAX,
        retriesMax: RETRIES_MAX,
      });
      const response = await asked.catch((error: unknown) => {
        throw error instanceof ServiceError ? new ServiceError(error.code, `${error.message} ${WITHOUT_HUB}`) : error;
      });
      if (response.status !== 200) throw await refusal(response, { name, host, hasToken: settings.token !== null });
      const parsed = modelSchema.safeParse(await response.json());
      if (!parsed.success) {
        throw new ServiceError('upstream_failed', `${host} describes ${name} in a form that is not known here.`);
      }
      return toModel(name, parsed.data, settings, host);
    },
    async open(model, file, offset, signal) {
      const path = file.path.split('/').map(encodeURIComponent).join('/');
      const response = await http.request(`${origin}/${model.name}/resolve/${model.commit}/${path}`, {
        trust: 'operator',
        headers: {
          ...headers,
          // Hashes and ranges count unencoded bytes.
          'accept-encoding': 'identity',
          ...(offset > 0 && { range: `bytes=${offset}-` }),
        },
        signal,
        timeoutMs: TRANSFER_TIMEOUT_MS,
        responseBytesMax: file.bytes,
      });
      if (response.status === 200 || response.status === 206) return response;
      throw await refusal(response, { name: model.name, host, hasToken: settings.token !== null, path: file.path });
    },
  };
}

interface Asked {
  name: string;
  host: string;
  hasToken: boolean;
  path?: string;
}

async function refusal(response: HttpResponse, { name, host, hasToken, path }: Asked): Promise<ServiceError> {
  await response.discard();
  const { status } = response;
  const what = path === undefined ? name : `${path} of ${name}`;
  if (status === 403 || (status === 401 && path !== undefined)) return gated(name, host, hasToken);
  if (status === 404 || status === 401) {
    // For a private model the hub answers as for one that does not exist.
    const hint = hasToken ? '' : ', or it is private: then set PINAKES_HUB_TOKEN';
    return new ServiceError('not_found', `${host} has no ${what} of this revision${hint}.`);
  }
  const isBusy = status === 429 || status >= 500;
  return new ServiceError(
    isBusy ? 'overloaded' : 'upstream_failed',
    `${host} answered with status ${status} for ${what}.`,
  );
}

function gated(name: string, host: string, hasToken: boolean): ServiceError {
  const token = hasToken
    ? 'the account of PINAKES_HUB_TOKEN may not read it yet'
    : 'then set PINAKES_HUB_TOKEN to a token of your account';
  return new ServiceError('forbidden', `${name} has terms that must be accepted at ${host}/${name}: ${token}.`);
}

function toModel(name: string, found: z.output<typeof modelSchema>, settings: HubSettings, host: string): HubModel {
  if (found.gated && settings.token === null) throw gated(name, host, false);
  const files = found.siblings.flatMap(({ rfilename: path, size, blobId, lfs }): HubFile[] => {
    if (!SAFE_PATH.test(path)) return [];
    if (lfs) return [{ path, bytes: lfs.size, hash: { kind: 'sha256', hex: lfs.sha256.toLowerCase() } }];
    return size != null && blobId ? [{ path, bytes: size, hash: { kind: 'git', hex: blobId.toLowerCase() } }] : [];
  });
  if (files.length === 0 && found.siblings.length > 0) {
    throw new ServiceError('upstream_failed', `${host} tells no sizes and hashes of the files of ${name}.`);
  }
  const tags = found.tags ?? [];
  return { name, commit: found.sha, license: licenseOf(found, tags), task: found.pipeline_tag ?? null, tags, files };
}

function licenseOf({ cardData }: z.output<typeof modelSchema>, tags: readonly string[]): string | null {
  const stated = [cardData?.license_name, cardData?.license].find((one) => typeof one === 'string' && one !== '');
  if (typeof stated === 'string') return stated;
  return tags.find((tag) => tag.startsWith('license:'))?.slice('license:'.length) ?? null;
}
