import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inWords, PinakesError } from '../../data/api.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Header, KeyBar, NotRefreshed, Spinner } from '../../parts/layout.tsx';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { useMayCheck, useSession } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';
import { type Need, partsFor, REFRESH_MS } from './needs.ts';

const TONES: Readonly<Record<Need['tone'], readonly [IconName, string]>> = {
  bad: ['circle-alert', 'text-bad'],
  warn: ['triangle-alert', 'text-warn'],
  info: ['info', 'text-ink-3'],
};
const RANK = Object.keys(TONES);

/** What needs somebody now, the worst first, each with a link to where it is mended. */
export function Overview() {
  const { scopes } = useSession();
  const parts = partsFor((...wanted) => wanted.some((scope) => scopes.includes(scope)), useMayCheck());
  const results = useQueries({
    queries: parts.map(({ id, read, refreshMs }) => ({
      queryKey: ['needs', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(signal),
      refetchInterval: refreshMs,
      refetchOnWindowFocus: refreshMs === REFRESH_MS,
    })),
  });
  useRowKeys();
  const needs = results
    .flatMap(({ data }) => data ?? [])
    .toSorted((a, b) => RANK.indexOf(a.tone) - RANK.indexOf(b.tone));
  const isPending = results.some((one) => one.isPending);
  const failed = results.find(({ error }) => error && !(error instanceof PinakesError && error.status === 403));
  return (
    <>
      <Header title={say('overview.title')} />
      {failed && (
        <NotRefreshed
          text={inWords(failed.error)}
          retry={() => void Promise.all(results.filter((one) => one.isError).map((one) => one.refetch()))}
        />
      )}
      <div className="scroll min-h-0 flex-1" tabIndex={0}>
        <section aria-labelledby="needs" className="mx-auto flex max-w-[768px] flex-col gap-3 px-4 py-5 sm:px-6">
          <h2 id="needs" className="text-xs font-medium text-ink-2">
            {say('needs.title')}
          </h2>
          {needs.length > 0 && (
            <ul className="divide-y divide-line rounded-lg border border-line">
              {needs.map((need) => (
                <Line key={need.id} need={need} />
              ))}
            </ul>
          )}
          {isPending ? (
            <Spinner label={say('health.checking')} />
          ) : (
            needs.length === 0 &&
            !failed && (
              <p role="status" className="flex items-center gap-2 text-ink-2">
                <Icon name="circle-check" size={14} className="text-ok" />
                {say('needs.nothing')}
              </p>
            )
          )}
        </section>
      </div>
      {needs.length > 0 && <KeyBar keys={['move', 'open']} />}
    </>
  );
}

function Line({ need: { tone, title, text, link } }: { need: Need }) {
  const [icon, colour] = TONES[tone];
  return (
    <li className="relative flex items-start gap-3 px-3 py-2.5 first:rounded-t-lg last:rounded-b-lg hover:bg-hover">
      <Icon name={icon} size={15} className={`mt-0.5 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-1">
        <Link {...link} data-row className="font-medium break-words outline-offset-2 after:absolute after:inset-0">
          <bdi>{title}</bdi>
        </Link>
        <p dir="auto" className="line-clamp-3 break-words text-ink-2">
          {text}
        </p>
      </div>
      <Icon name="chevron-right" size={14} className="mt-0.5 shrink-0 text-ink-3 rtl:-scale-x-100" />
    </li>
  );
}
