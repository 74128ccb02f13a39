import { isActive, type Run } from '../../data/runs.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { type Key, say } from '../../words/words.ts';

interface State {
  name: Key;
  icon: IconName;
  tone: string;
}

/** Returns how a run stands, in a word. A run that ended well although files failed says so. */
export function stateOf(run: Pick<Run, 'status' | 'statistics'>): State {
  switch (run.status) {
    case 'success':
      return run.statistics.failed > 0
        ? { name: 'runs.state.partly', icon: 'triangle-alert', tone: 'text-warn' }
        : { name: 'runs.state.success', icon: 'check', tone: 'text-ink-3' };
    case 'failure':
      return { name: 'runs.state.failure', icon: 'circle-alert', tone: 'text-bad' };
    case 'canceled':
      return { name: 'runs.state.canceled', icon: 'circle-slash', tone: 'text-ink-3' };
    case 'canceling':
      return { name: 'runs.state.canceling', icon: 'loader-circle', tone: 'text-ink-2' };
    case 'queued':
      return { name: 'runs.state.queued', icon: 'clock', tone: 'text-ink-3' };
    default:
      return { name: 'runs.state.started', icon: 'loader-circle', tone: 'text-ink-2' };
  }
}

export function RunState({ run }: { run: Run }) {
  const { name, icon, tone } = stateOf(run);
  const turns = icon === 'loader-circle';
  return (
    <span className={`flex items-center gap-1.5 whitespace-nowrap ${tone}`}>
      <Icon name={icon} size={14} className={turns ? 'spin text-accent' : ''} />
      {say(name)}
    </span>
  );
}

/** The share of the files that are done, of an active run. */
export function RunProgress({ run }: { run: Run }) {
  if (!isActive(run)) return null;
  const { files_done: done, files_total: total } = run;
  const share = total === 0 ? 0 : Math.min(1, done / total);
  return (
    <div
      role="progressbar"
      aria-label={say('runs.progress')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(share * 100)}
      className="h-1 w-full overflow-hidden rounded-full bg-press"
    >
      <div
        className="h-full rounded-full bg-accent transition-[width] duration-100"
        style={{ width: `${share * 100}%` }}
      />
    </div>
  );
}
