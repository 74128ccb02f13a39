/**
 * Reads the one file of an origin with `oneFile`. The file keeps its address wherever redirects lead, because download pages redirect
 * to addresses that change with each request. Whatever prevents the reading fails the run, so nothing that is stored is removed.
 */
import type { Origin } from '../../corpus/origin.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import { type Change, OriginError, type OriginProblem, type StoredVersion } from '../connector.ts';
import { FILE_BYTES_MAX, type WebClient } from './client.ts';
import { headerDirectives } from './html.ts';
import { toItem } from './item.ts';
import { CIRCLE, FORBIDDEN, refused } from './problems.ts';
import { readState, toState, validatorsOf } from './state.ts';
import { endingOf, fileName, typeOf } from './types.ts';
import { normalizeUrl } from './urls.ts';

const REDIRECTS_MAX = 5;

/** Reports the file as new, or as unchanged. @throws OriginError */
export async function* readOneFile(
  client: WebClient,
  origin: Extract<Origin, { kind: 'web' }>,
  findStored: (originId: string) => Promise<StoredVersion | undefined>,
  now: Date,
): AsyncGenerator<Change> {
  const address = normalizeUrl(origin.urls[0]!)!;
  const state = readState(await findStored(address));
  const { response, servedFrom } = await request(client, address, validatorsOf(state));
  const { status, headers } = response;
  try {
    if (status === 304 && state) {
      yield { kind: 'unchanged', originId: address };
    } else {
      const ending =
        endingOf(headers.get('content-type'), servedFrom) ?? endingOf(headers.get('content-type'), address);
      const problem = status === 200 ? problemOf(headers, ending, address) : refusedFile(status);
      if (problem) throw new OriginError(problem);
      const item = toItem(address, fileName(address, ending!), headers, { now, modifiedAt: null });
      yield { kind: 'present', item, content: { body: response.body, state: { ...toState(headers, []) } } };
    }
  } finally {
    await response.discard();
  }
  yield { kind: 'end', full: true, cursor: null };
}

/** Requests the file and follows redirects. robots.txt of each host applies. @throws OriginError */
async function request(
  client: WebClient,
  address: string,
  validators: Record<string, string>,
): Promise<{ response: HttpResponse; servedFrom: string }> {
  let at = address;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const robots = await client.robots(at);
    if ('title' in robots) throw new OriginError(robots);
    if (!robots.allows(at)) throw new OriginError(FORBIDDEN);
    const answer = await client.get(at, validators);
    if (answer.kind === 'failed') throw new OriginError(answer.problem);
    if (answer.kind === 'response') return { response: answer.response, servedFrom: at };
    const target = normalizeUrl(answer.location, at);
    if (target === undefined) break;
    at = target;
  }
  throw new OriginError(CIRCLE);
}

/** Returns why a response with content is not read, if it is not. */
function problemOf(headers: Headers, ending: string | undefined, address: string): OriginProblem | undefined {
  const type = typeOf(headers.get('content-type'));
  if (ending === undefined) return wrongType(`There is nothing to read in ${type}.`);
  const named = /\.([a-z0-9]{1,8})$/i.exec(new URL(address).pathname)?.[1]?.toLowerCase();
  if (ending === 'html' && named !== undefined && endingOf(null, address) !== undefined && !/^x?html?$/.test(named))
    return wrongType(
      `The site answered with a web page, not with a ${named} file. A sign-in page does so, for example.`,
    );
  if (!headerDirectives(headers.get('x-robots-tag')).index) return FORBIDDEN;
  if (Number(headers.get('content-length') ?? 0) > FILE_BYTES_MAX)
    return wrongType(`The file has more than ${FILE_BYTES_MAX} bytes.`);
  return undefined;
}

function wrongType(what: string): OriginProblem {
  return {
    title: 'The file cannot be read',
    message: `${what} What earlier runs read stays as it is.`,
    retryable: false,
  };
}

function refusedFile(status: number): OriginProblem {
  const title = status === 404 || status === 410 ? 'The file was not found' : 'The site refuses the file';
  return { ...refused(status), title };
}
