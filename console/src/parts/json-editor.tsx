import { type KeyboardEvent, type Ref, useMemo } from 'react';
import { type TokenKind, tokensOf } from '../json/json-places.ts';

const COLOURS: Readonly<Record<TokenKind, string>> = {
  key: 'text-accent-ink',
  string: 'text-ok',
  number: 'text-warn',
  word: 'text-warn',
  other: '',
};
const TEXT = 'm-0 px-2 py-2 font-mono text-xs leading-5 whitespace-pre';

interface JsonEditorProps {
  label: string;
  value: string;
  change(value: string): void;
  /** Numbers of lines, from 0, that have an error. */
  wrong?: ReadonlySet<number>;
  /** Numbers of lines, from 0, that are lit. */
  lit?: ReadonlySet<number>;
  field?: Ref<HTMLTextAreaElement>;
  /** Id of the element that says what is wrong. */
  describedBy?: string | undefined;
  readOnly?: boolean;
}

const NONE: ReadonlySet<number> = new Set();

/**
 * A text field with line numbers, colours and lit lines. The colours stand behind the field, whose own text is transparent: so the
 * field stays a plain one for the keyboard, screen readers and the clipboard.
 */
export function JsonEditor({
  label,
  value,
  change,
  wrong = NONE,
  lit = NONE,
  field,
  describedBy,
  readOnly = false,
}: JsonEditorProps) {
  const lines = useMemo(() => value.split('\n').map(tokensOf), [value]);
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    // The new line begins as far in as the line before.
    const { selectionStart } = event.currentTarget;
    const before = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
    const indent = `\n${/^ */.exec(before)?.[0] ?? ''}${/[[{]\s*$/.test(before) ? '  ' : ''}`;
    event.preventDefault();
    // The only way to insert text that the reader can undo.
    document.execCommand('insertText', false, indent);
  }
  return (
    <div
      dir="ltr"
      className="scroll min-h-0 flex-1 rounded-lg border border-line bg-raised focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent"
    >
      <div className="flex min-h-full min-w-fit">
        <div
          aria-hidden="true"
          className="num sticky start-0 z-10 shrink-0 bg-raised py-2 ps-3 pe-1 text-end font-mono text-xs leading-5 text-ink-3 select-none"
        >
          {lines.map((_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity than its number
            <div key={at} className={wrong.has(at) ? 'font-semibold text-bad' : lit.has(at) ? 'text-ink' : ''}>
              {at + 1}
            </div>
          ))}
        </div>
        <div className="relative flex-1">
          <pre aria-hidden="true" className={TEXT}>
            {lines.map((tokens, at) => (
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity than its number
                key={at}
                className={`-mx-2 min-h-5 px-2 ${wrong.has(at) ? 'bg-bad-soft' : lit.has(at) ? 'bg-accent-soft' : ''}`}
              >
                {tokens.map(({ text, kind }, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a token has no other identity than its place
                  <span key={i} className={COLOURS[kind]}>
                    {text}
                  </span>
                ))}
              </div>
            ))}
          </pre>
          <textarea
            ref={field}
            aria-label={label}
            aria-invalid={wrong.size > 0}
            aria-describedby={describedBy}
            value={value}
            readOnly={readOnly}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            wrap="off"
            onChange={(event) => change(event.target.value)}
            onKeyDown={onKeyDown}
            className={`${TEXT} absolute inset-0 size-full resize-none overflow-hidden bg-transparent text-transparent caret-ink outline-none`}
          />
        </div>
      </div>
    </div>
  );
}
