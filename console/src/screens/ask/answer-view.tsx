import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Answer } from '../../data/turns.ts';
import { Icon } from '../../parts/icon.tsx';
import { Problem, Spinner } from '../../parts/layout.tsx';
import { PoliciesNote } from '../../shell/policies-note.tsx';
import { useScope } from '../../shell/use-session.ts';
import { say, sayOfService } from '../../words/words.ts';
import { answerPieces } from './answer-pieces.ts';
import { CitationMark } from './citation-mark.tsx';

interface AnswerViewProps {
  answer: Answer;
  chosen: number | null;
  choose(number: number | null): void;
}

/** An answer with the numbers of its citations, and what was searched for. */
export const AnswerView = memo(function AnswerView({ answer, chosen, choose }: AnswerViewProps) {
  return (
    <>
      <div className="mt-3" aria-live="polite" aria-busy={answer.finish === null}>
        {answer.text === '' && answer.finish === null && <Spinner label={say('ask.thinking')} />}
        {answer.finish === 'no_answer' ? (
          <NoAnswer answer={answer} />
        ) : (
          <AnswerText answer={answer} chosen={chosen} choose={choose} />
        )}
        <Outcome answer={answer} />
      </div>
      {answer.trace && <Trace trace={answer.trace} />}
    </>
  );
});

function AnswerText({ answer, chosen, choose }: AnswerViewProps) {
  if (answer.text === '') return null;
  const byNumber = new Map(answer.citations.map((citation) => [citation.citation.number, citation]));
  return (
    <p dir="auto" className="text-base leading-6 break-words whitespace-pre-wrap">
      {answerPieces(answer.text, answer.citations, answer.unsupported).map((piece) => (
        <span key={piece.start}>
          {piece.unsupported ? (
            <span
              className="decoration-warn/70 underline decoration-dotted underline-offset-4"
              title={say('ask.unsupported')}
            >
              {piece.text}
            </span>
          ) : (
            piece.text
          )}
          {piece.numbers.map((number) => {
            const citation = byNumber.get(number);
            return (
              citation && <CitationMark key={number} citation={citation} chosen={chosen === number} choose={choose} />
            );
          })}
        </span>
      ))}
    </p>
  );
}

function NoAnswer({ answer: { text, trace } }: { answer: Answer }) {
  const maySearch = useScope('knowledge:read');
  return (
    <div className="flex gap-3 rounded-lg border border-line bg-sunken px-4 py-3">
      <Icon name="circle-slash" size={16} className="mt-0.5 text-ink-3" />
      <div>
        <p className="font-medium">{say('ask.noAnswer')}</p>
        <p dir="auto" className="mt-0.5 text-ink-2">
          {text || say('ask.noAnswerText')}
          <PoliciesNote />
        </p>
        {maySearch && trace && trace.retrieved.length > 0 && (
          <Link to="/search" search={{ q: trace.query }} className="mt-1 inline-block text-accent-ink hover:underline">
            {say('ask.nearest')}
          </Link>
        )}
      </div>
    </div>
  );
}

/** What else the reader should know about an answer. */
function Outcome({ answer }: { answer: Answer }) {
  const { finish, problem, warnings, unsupported } = answer;
  const notes: string[] = [];
  if (finish === 'stopped') notes.push(say('ask.stopped'));
  if (finish === 'length') notes.push(say('ask.cut'));
  if (finish === 'content_filter') notes.push(say('ask.withheld'));
  if (unsupported.length > 0) notes.push(say('ask.unsupportedNote', { n: unsupported.length }));
  return (
    <>
      {finish === 'error' && (
        <div className="mt-3">
          <Problem text={sayOfService(problem || say('ask.failed'))} />
        </div>
      )}
      {(notes.length > 0 || warnings.length > 0) && (
        <ul className="mt-3 flex flex-col gap-1 text-xs text-ink-3">
          {[...notes, ...warnings.map((warning) => sayOfService(warning.message))].map((note) => (
            <li key={note} className="flex items-center gap-1.5" dir="auto">
              <Icon name="info" size={12} />
              {note}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Trace({ trace }: { trace: NonNullable<Answer['trace']> }) {
  return (
    <p className="mt-3 flex flex-wrap items-center gap-x-1.5 text-xs text-ink-3">
      <Icon name="search" size={12} />
      {say(trace.rewritten_by === null ? 'ask.searchedFor' : 'ask.rewritten')}
      <q className="text-ink-2" dir="auto">
        {trace.query}
      </q>
      <span className="num">· {say('ask.retrieved', { n: trace.retrieved.length })}</span>
    </p>
  );
}
