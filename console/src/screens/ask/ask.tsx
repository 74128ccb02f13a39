import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { inWords, PinakesError, pinakes } from '../../data/api.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Empty, Header, Problem, Spinner } from '../../parts/layout.tsx';
import { useDraft } from '../../shell/drafts.ts';
import { useScope } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';
import { CitationList } from './citation-list.tsx';
import { History } from './history.tsx';
import { QUESTION_LENGTH_MAX } from './question-form.tsx';
import { TurnView } from './turn-view.tsx';
import { useAsk } from './use-ask.ts';

const route = getRouteApi('/ask');

/** Questions, and answers whose citations can be opened. */
export function Ask() {
  const { q, conversation, message } = route.useSearch();
  const navigate = route.useNavigate();
  const [chosen, setChosen] = useState<number | null>(null);
  const ask = useAsk({ conversation, message }, (search, replace) => navigate({ search, replace }));
  const { stored, turns, busy, begin, send, edit, regenerate, show } = ask;
  const last = turns.at(-1);
  const isMissing = stored.error instanceof PinakesError && stored.error.status === 404;
  const end = useRef<HTMLDivElement>(null);
  const length = last?.answer.text.length ?? 0;
  // The end is followed while an answer grows. Another version is shown where the reader is.
  const isFollowing = useRef(true);
  if (busy) isFollowing.current = true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them moves the end
  useEffect(() => {
    if (isFollowing.current) end.current?.scrollIntoView({ block: 'nearest' });
    isFollowing.current = busy || turns.length === 0;
  }, [length, turns.length, last?.answer.finish, conversation]);

  // A question of the palette or of a link is asked once, and then leaves the address.
  const asked = useRef('');
  useEffect(() => {
    if (asked.current === (q ?? '')) return;
    asked.current = q ?? '';
    if (q === undefined) return;
    void navigate({ search: {}, replace: true });
    begin(q);
  }, [q, navigate, begin]);

  function startNew() {
    ask.reset();
    void navigate({ search: {} });
  }

  return (
    <>
      <Header title={say('ask.title')}>
        <History
          current={conversation}
          gone={() => {
            ask.stop();
            startNew();
          }}
        />
        <Button icon="plus" onClick={startNew}>
          {say('ask.new')}
        </Button>
      </Header>
      <div className="grid min-h-0 flex-1 grid-cols-1 grid-rows-[minmax(0,1fr)_auto] xl:grid-cols-[minmax(0,1fr)_360px] xl:grid-rows-1">
        <div className="flex min-h-0 flex-col">
          <section
            tabIndex={0}
            aria-label={say('ask.conversation')}
            className="scroll flex min-h-0 flex-1 flex-col px-4 outline-offset-[-2px] sm:px-6"
          >
            {stored.isError && (
              <div className="mx-auto mt-5 w-full max-w-[768px]">
                <Problem text={isMissing ? say('ask.missing') : inWords(stored.error)} />
              </div>
            )}
            {stored.isLoading && turns.length === 0 && (
              <div className="mx-auto mt-5 w-full max-w-[768px]">
                <Spinner label={say('loading')} />
              </div>
            )}
            {turns.length === 0 && !stored.isLoading && !stored.isError && <FirstQuestion />}
            <div className="mx-auto w-full max-w-[768px] py-2">
              {turns.map((turn, place) => (
                <TurnView
                  // Another version of a question takes the place of the one before, and keeps the focus there.
                  // biome-ignore lint/suspicious/noArrayIndexKey: the place is what stays
                  key={place}
                  turn={turn}
                  chosen={turn === last ? chosen : null}
                  choose={setChosen}
                  busy={busy}
                  edit={edit}
                  regenerate={regenerate}
                  show={show}
                />
              ))}
            </div>
            <div ref={end} />
          </section>
          <Composer busy={busy} send={send} stop={ask.stop} followUp={turns.length > 0} />
        </div>
        <CitationList answer={last?.answer} chosen={chosen} choose={setChosen} />
      </div>
    </>
  );
}

/** Says what can be asked. Without sources, nothing can. */
function FirstQuestion() {
  const mayRead = useScope('knowledge:read');
  const found = useQuery({
    queryKey: ['any-source'],
    queryFn: () => pinakes.listAllSources({ query: { limit: 1 } }),
    enabled: mayRead,
    staleTime: 0,
  });
  const service = useQuery({
    queryKey: ['service'],
    queryFn: () => pinakes.getService(),
    enabled: mayRead,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (found.data?.sources.length !== 0) {
    const text = `${say('ask.startText')}${service.data?.models.chat === null ? ` ${say('ask.quotesOnly')}` : ''}`;
    return <Empty icon="message-circle-question-mark" title={say('ask.start')} text={text} />;
  }
  return (
    <Empty icon="file-text" title={say('sources.none')} text={say('ask.startText')}>
      <Link to="/sources" search={{}} className={buttonClass()}>
        {say('sources.title')}
      </Link>
    </Empty>
  );
}

function Composer({
  busy,
  send,
  stop,
  followUp,
}: {
  busy: boolean;
  send(question: string): void;
  stop(): void;
  followUp: boolean;
}) {
  const [text = '', setText] = useDraft<string>('ask', false);
  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (busy || text.trim() === '') return;
    send(text.trim());
    setText(() => undefined);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }
  return (
    <form onSubmit={submit} className="shrink-0 px-4 pt-2 pb-4 sm:px-6 print:hidden">
      <div className="mx-auto flex max-w-[768px] items-end gap-2 rounded-xl border border-line-strong bg-raised p-2 ps-3.5 shadow-1 focus-within:border-accent">
        <textarea
          value={text}
          rows={1}
          maxLength={QUESTION_LENGTH_MAX}
          dir="auto"
          autoFocus
          onChange={(event) => setText(() => event.target.value || undefined)}
          onKeyDown={onKeyDown}
          aria-label={say('ask.question')}
          placeholder={say(followUp ? 'ask.followUp' : 'ask.question')}
          className="field-sizing-content max-h-40 min-h-7 w-full resize-none bg-transparent py-1 text-base outline-none placeholder:text-ink-3"
        />
        {busy ? (
          <Button icon="square" onClick={stop}>
            {say('ask.stop')}
          </Button>
        ) : (
          <Button
            type="submit"
            look="primary"
            icon="arrow-up"
            aria-label={say('ask.action')}
            disabled={text.trim() === ''}
          />
        )}
      </div>
    </form>
  );
}
