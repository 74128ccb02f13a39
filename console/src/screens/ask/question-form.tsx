import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { say } from '../../words/words.ts';

export const QUESTION_LENGTH_MAX = 20_000;

/** Changes a question that was asked. Enter asks it, Escape leaves the form. */
export function QuestionForm({
  question,
  send,
  close,
}: {
  question: string;
  send(question: string): void;
  close(): void;
}) {
  const [text, setText] = useState(question);
  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault();
    if (text.trim() !== '') send(text.trim());
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  }
  return (
    <form
      onSubmit={submit}
      className="rounded-xl border border-line-strong bg-raised p-2 shadow-1 focus-within:border-accent"
    >
      <textarea
        value={text}
        maxLength={QUESTION_LENGTH_MAX}
        dir="auto"
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        aria-label={say('ask.edit')}
        className="field-sizing-content max-h-60 min-h-7 w-full resize-none bg-transparent px-1.5 py-1 text-base outline-none"
      />
      <div className="mt-1 flex items-center justify-end gap-2">
        <p className="me-auto px-1.5 text-xs text-ink-3">{say('ask.editNote')}</p>
        <Button size="small" onClick={close}>
          {say('action.cancel')}
        </Button>
        <Button type="submit" size="small" look="primary" disabled={text.trim() === ''}>
          {say('ask.editSend')}
        </Button>
      </div>
    </form>
  );
}
