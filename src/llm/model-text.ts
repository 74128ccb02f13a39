/**
 * The text that models get. A reader does not see default-ignorable characters, but a model reads them: tags spell whole instructions
 * (U+E0000 block), variation selectors carry bytes, and direction controls show a reader another order than the model gets.
 *
 * Variation selectors are removed everywhere: they choose the look of a character, never the character. Citations are checked with the
 * stored text, so removal does not move their offsets.
 */
import type { AskRequest, ChatRequest, StepRequest } from './models.ts';

const BREAKS = '[\\v\\f\\u0085]';
/** Scripts in which a joiner or non-joiner changes a word: Persian may write a suffix after it, Indic scripts choose a conjunct. */
const JOINING = [
  ...['Arab', 'Syrc', 'Nkoo', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh'],
  ...['Mymr', 'Khmr', 'Tibt', 'Bali', 'Java'],
]
  .map((script) => `\\p{scx=${script}}`)
  .join('');
/** Joiners count only directly after a letter or mark of such a script, so no two of them follow each other. */
const HIDDEN = [
  '[[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\ufff9-\\ufffb]--[\\t\\n\\r\\v\\f\\u0085\\u200c\\u200d]]',
  `(?<![[${JOINING}]&&[\\p{L}\\p{M}]])[\\u200c\\u200d]`,
].join('|');
const UNWANTED = new RegExp(`${BREAKS}|${HIDDEN}`, 'gv');
const IS_BREAK = new RegExp(BREAKS);

/** Returns the text as a reader sees it: without invisible characters and controls, except tabs, line breaks and needed joiners. */
export function modelText(text: string): string {
  return text.replace(UNWANTED, (char) => (IS_BREAK.test(char) ? '\n' : ''));
}

/** Returns a JSON value with `modelText` of all texts in it. */
export function modelTexts<T>(value: T): T {
  if (typeof value === 'string') return modelText(value) as T;
  if (Array.isArray(value)) return value.map(modelTexts) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, modelTexts(member)])) as T;
}

/** Returns the request with `modelText` of all its texts. */
export function modelRequest(request: ChatRequest): ChatRequest {
  const { messages, question, chunks } = request;
  return {
    ...request,
    messages: messages.map((message) => ({ ...message, content: modelText(message.content) })),
    question: modelText(question),
    chunks: chunks.map((chunk) => ({
      ...chunk,
      name: modelText(chunk.name),
      headingPath: chunk.headingPath.map(modelText),
      context: chunk.context && modelText(chunk.context),
      content: modelText(chunk.content),
    })),
  };
}

/** Returns the task with `modelText` of all its texts. */
export function modelTask(request: AskRequest): AskRequest {
  return { ...request, system: modelText(request.system), text: modelText(request.text) };
}

/** Returns the request for a step with `modelText` of all texts of its messages. */
export function modelStep(request: StepRequest): StepRequest {
  return { ...request, messages: modelTexts(request.messages) };
}
