/** Begins the answer to a request of either API of `/v1`, by the functions that answer POST /completions. */
import { invalidAt } from '../../../errors.ts';
import type { Deps } from '../../../http/deps.ts';
import { setServerTiming } from '../../../http/operations/server-timing.ts';
import { type NamedPrincipal, namedPrincipal } from '../../../http/principal-headers.ts';
import type { RouteRequest } from '../../../http/route.ts';
import type { Usage } from '../../../llm/models.ts';
import { type Answer, answer } from '../answer.ts';
import { findContext } from '../context.ts';
import { readConversation } from '../conversation.ts';
import { type CompletionBody, parameters } from '../request.ts';
import { footnotesOf } from './footnotes.ts';
import { type Preset, type Presets, presetOf } from './presets.ts';

const DEFAULTS = parameters.omit({ messages: true }).parse({});

/** The members of a request that have an effect on the answer. */
export interface Question extends NamedPrincipal {
  model: string;
  messages: CompletionBody['messages'];
  store?: boolean | null | undefined;
}

export interface Asking {
  stream: AsyncGenerator<string, Answer>;
  /** Returns the text that follows the answer. */
  after(ended: Answer): string;
  /** Returns the tokens so far. */
  tokens(): Usage;
}

/** @throws ServiceError not_found for an unknown model; invalid_request; what the search throws. */
export async function ask(
  deps: Deps,
  presets: Presets,
  question: Question,
  {
    caller,
    signal,
    rights,
    raw,
    reply,
  }: Pick<RouteRequest<unknown, unknown, unknown>, 'caller' | 'signal' | 'rights' | 'raw' | 'reply'>,
): Promise<Asking> {
  const preset = presetOf(presets, question.model);
  const completion = toCompletion(question, preset, namedPrincipal(raw.headers));
  const { usage, tokens } = countedUsage(deps.usage);
  const counting = { ...deps, usage };
  const asked = await readConversation(deps, caller, completion, rights);
  const context = await findContext(counting, asked, completion, signal);
  setServerTiming(reply, context.stages);
  const stream = answer(counting, asked, context, { ...completion, store: question.store === true }, signal);
  const hasFootnotes = preset.footnotes ?? deps.config.doors.footnotes;
  return { stream, after: (ended) => (hasFootnotes ? footnotesOf(ended) : ''), tokens };
}

/** Returns the parameters of the completion that answers a request. @throws ServiceError invalid_request */
function toCompletion(
  { principal_id, authz_policy, messages }: Question,
  { footnotes: _, ...preset }: Preset,
  named: NamedPrincipal,
): CompletionBody {
  if ((principal_id !== undefined || authz_policy !== undefined) && Object.keys(named).length > 0) {
    throw invalidAt(['principal_id'], 'name the principal and the policy in the body or in the headers, not in both.');
  }
  return {
    ...DEFAULTS,
    messages,
    ...preset,
    ...(principal_id !== undefined && { principal_id }),
    ...(authz_policy !== undefined && { authz_policy }),
    ...named,
  };
}

/** Returns the ledger, and the sum of what is added to it through this value. */
function countedUsage(ledger: Deps['usage']): { usage: Deps['usage']; tokens: () => Usage } {
  const sum = { inputTokens: 0, outputTokens: 0 };
  const usage: Deps['usage'] = {
    ...ledger,
    add(account, used) {
      sum.inputTokens += used.inputTokens;
      sum.outputTokens += used.outputTokens;
      ledger.add(account, used);
    },
  };
  return { usage, tokens: () => sum };
}
