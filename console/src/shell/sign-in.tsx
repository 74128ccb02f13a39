import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { inWords, PinakesError } from '../data/api.ts';
import { signIn } from '../data/session.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/layout.tsx';
import { Rich } from '../parts/rich.tsx';
import { say } from '../words/words.ts';
import { Footer } from './footer.tsx';
import { Logo } from './logo.tsx';
import { SESSION } from './use-session.ts';

/** `notice` says why the reader must sign in. */
export function SignIn({ notice }: { notice: 'usedLink' | 'ended' | null }) {
  const queries = useQueryClient();
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(notice ? say(`signIn.${notice}`) : '');

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    if (key.trim() === '') return setProblem(say('signIn.empty'));
    setBusy(true);
    try {
      await signIn({ api_key: key.trim() });
      setKey('');
      await queries.resetQueries({ queryKey: SESSION });
    } catch (error) {
      setProblem(refusal(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="grid h-full grid-rows-[1fr_auto] overflow-auto">
      <div className="grid place-items-center p-4">
        <form onSubmit={submit} className="w-full max-w-[400px] rounded-xl bg-surface p-8 shadow-panel">
          <Logo size={36} />
          <h1 className="mt-5 text-xl font-semibold tracking-tight">{say('signIn.title')}</h1>
          <p className="mt-1.5 text-base text-ink-2">{say('signIn.text')}</p>
          <label className="mt-6 block">
            <span className="mb-1.5 block font-medium">{say('signIn.key')}</span>
            <input
              type="password"
              autoFocus
              autoComplete="current-password"
              spellCheck={false}
              value={key}
              onChange={(event) => {
                setKey(event.target.value);
                setProblem('');
              }}
              aria-invalid={problem !== ''}
              aria-describedby="sign-in-help"
              placeholder="pk_…"
              dir="ltr"
              className="field h-9 w-full font-mono"
            />
          </label>
          {problem !== '' && (
            <div className="mt-3">
              <Problem text={problem} />
            </div>
          )}
          <Button type="submit" look="primary" size="large" busy={busy} className="mt-4 w-full">
            {say(busy ? 'signIn.busy' : 'signIn.action')}
          </Button>
          <p id="sign-in-help" className="mt-5 border-t border-line pt-4 text-xs text-ink-3">
            <Rich
              id="signIn.help"
              file={<code className="code">admin.key</code>}
              command={<code className="code">pinakes console</code>}
            />
          </p>
        </form>
      </div>
      <Footer />
    </main>
  );
}

function refusal(error: unknown): string {
  if (error instanceof PinakesError && error.status === 401) return say('signIn.refused');
  if (error instanceof PinakesError && error.status === 429) return say('signIn.tooMany');
  return inWords(error);
}
