import { memo, useRef, useState } from 'react';
import type { Turn } from '../../data/turns.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { say } from '../../words/words.ts';
import { answerText } from './answer-text.ts';
import { AnswerView } from './answer-view.tsx';
import { QuestionForm } from './question-form.tsx';
import type { Asking } from './use-ask.ts';
import { Versions } from './versions.tsx';

interface TurnViewProps extends Pick<Asking, 'busy' | 'edit' | 'regenerate' | 'show'> {
  turn: Turn;
  chosen: number | null;
  choose(number: number | null): void;
}

/** A question and its answer, each with its versions, and what can be done with them. */
export const TurnView = memo(function TurnView({ turn, chosen, choose, ...actions }: TurnViewProps) {
  const { answer } = turn;
  const { busy, regenerate, show } = actions;
  return (
    <article className="border-b border-line py-5 last:border-0">
      <Question turn={turn} {...actions} />
      <AnswerView answer={answer} chosen={chosen} choose={choose} />
      {/* What is disabled while an answer arrives keeps the focus. */}
      <div className="mt-2 -ms-1.5 flex items-center gap-1">
        <Versions of={turn.answers} label={say('ask.answerVersions')} disabled={busy} show={show} />
        <Button
          look="ghost"
          size="small"
          icon="rotate-ccw"
          aria-disabled={busy}
          className="aria-disabled:opacity-50"
          onClick={() => !busy && regenerate(turn)}
        >
          {say('ask.regenerate')}
        </Button>
        {answer.text !== '' && answer.finish !== null && (
          <CopyButton look="ghost" text={answerText(answer)} label={say('ask.copy')} />
        )}
      </div>
    </article>
  );
});

/** The question with its versions, or the form that changes it. */
function Question({ turn, busy, edit, show }: Pick<TurnViewProps, 'turn' | 'busy' | 'edit' | 'show'>) {
  const [edited, setEdited] = useState<string | null>(null);
  const wasEdited = useRef(false);
  function close() {
    wasEdited.current = true;
    setEdited(null);
  }
  if (edited === turn.id)
    return (
      <QuestionForm
        question={turn.question}
        close={close}
        send={(question) => {
          close();
          edit(turn, question);
        }}
      />
    );
  return (
    <div className="flex items-start gap-2">
      <h2 dir="auto" className="min-w-0 flex-1 text-lg font-semibold break-words whitespace-pre-wrap">
        {turn.question}
      </h2>
      <Versions of={turn.questions} label={say('ask.questionVersions')} disabled={busy} show={show} />
      <Hint label={say('ask.edit')}>
        <Button
          look="ghost"
          size="small"
          icon="pencil"
          aria-label={say('ask.edit')}
          autoFocus={wasEdited.current}
          aria-disabled={busy}
          className="aria-disabled:opacity-50"
          onClick={() => !busy && setEdited(turn.id)}
        />
      </Hint>
    </div>
  );
}
