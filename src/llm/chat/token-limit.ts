/** The member that limits the tokens of an answer: `max_tokens`, or `max_completion_tokens` for models that take no other. */
import type { OperatorRequest, StreamedAnswer } from '../../net/operator-fetch.ts';

/** Maximum part of a refusal that is read. */
const REFUSAL_BYTES_MAX = 64 * 1024;
/** Inside a text of JSON the quotes would be escaped, so this is always a member. */
const MEMBER = /"max_tokens":(?=\d)/;

/** Returns the request with the other member from the first refusal on that names this member. */
export function withTokenLimit(request: OperatorRequest): OperatorRequest {
  let isRenamed = false;
  return async (url, init = {}) => {
    const renamed = () => ({ ...init, body: String(init.body).replace(MEMBER, '"max_completion_tokens":') });
    if (typeof init.body !== 'string' || !MEMBER.test(init.body)) return request(url, init);
    if (isRenamed) return request(url, renamed());
    const answer = await request(url, init);
    if (answer.status !== 400 && answer.status !== 422) return answer;
    const refusal = await startOf(answer);
    if (!refusal.includes('max_completion_tokens')) return { ...answer, pieces: once(refusal) };
    answer.leave();
    isRenamed = true;
    return request(url, renamed());
  };
}

async function startOf({ pieces }: StreamedAnswer): Promise<Buffer> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    read.push(piece);
    bytes += piece.length;
    if (bytes >= REFUSAL_BYTES_MAX) break;
  }
  return Buffer.concat(read);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
