/** The messages of both APIs of `/v1`, and the members of requests that have no effect. */
import { z } from 'zod';
import { principalShape } from '../../../http/schemas.ts';
import { isObject } from '../../../util/is-object.ts';
import { messageSchema } from '../request.ts';
import { withoutFootnotes } from './footnotes.ts';

const MODEL_LENGTH_MAX = 256;
const TEXT_PARTS: readonly unknown[] = ['text', 'input_text', 'output_text', 'refusal'];

/** Members that both APIs have. */
export const commonShape = {
  model: z.string().max(MODEL_LENGTH_MAX).describe('`pinakes`, or a preset that `GET /v1/models` lists.'),
  store: z.boolean().nullish().describe('Stores question and answer as a conversation. Not stored by default.'),
  ...principalShape,
};

const ignored = z.unknown().optional().describe('Accepted, without effect.');

/** Returns the schemas of members without effect. Programs send many of them with every request. */
export function ignoredShape<Name extends string>(names: readonly Name[]): Record<Name, typeof ignored> {
  return Object.fromEntries(names.map((name) => [name, ignored])) as Record<Name, typeof ignored>;
}

/**
 * Returns the messages with their own members only. Adds an issue for content other than text, and for a wrong message behind one that
 * is left out: its index would be that of another.
 *
 * @param member the member of the body that has the messages.
 */
export function readMessages(messages: readonly unknown[], member: string, context: z.core.$RefinementCtx): unknown[] {
  let isShifted = false;
  return messages.flatMap((message, i) => {
    const problem = isObject(message) ? foreignPart(message['content']) : undefined;
    if (problem !== undefined)
      context.addIssue({
        code: 'custom',
        path: [member, i, 'content'],
        message: `must be text: ${problem} is not supported`,
      });
    const read = readMessage(message);
    if (isShifted && read.length > 0)
      for (const issue of messageSchema.safeParse(read[0], { reportInput: true }).error?.issues ?? [])
        context.addIssue({ ...issue, path: [member, i, ...issue.path] } as Parameters<typeof context.addIssue>[0]);
    isShifted ||= read.length === 0;
    return read;
  });
}

/** Returns the type of the first part that is no text. */
function foreignPart(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const foreign = content.find((part) => !isObject(part) || !TEXT_PARTS.includes(part['type']));
  return foreign === undefined ? undefined : JSON.stringify(isObject(foreign) ? foreign['type'] : foreign);
}

/** Returns the message with its own members only. Messages of tools, and calls of tools, are left out. */
function readMessage(message: unknown): unknown[] {
  if (!isObject(message)) return [message];
  const { role, content } = message;
  if (role === 'tool' || role === 'function') return [];
  if (role === 'assistant' && (content === null || content === undefined)) return [];
  const text = Array.isArray(content)
    ? content.map((part) => (isObject(part) ? (part['text'] ?? part['refusal'] ?? '') : '')).join('\n')
    : content;
  if (role === 'assistant' && typeof text === 'string') return [{ role, content: withoutFootnotes(text) }];
  return [{ role: role === 'developer' ? 'system' : role, content: text }];
}
