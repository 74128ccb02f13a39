import type { ConnectorRow } from '../../data/connectors.ts';
import { Hint } from '../../parts/button.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { type Key, say, sayOfService } from '../../words/words.ts';

/** Statuses in which a run goes on, so that another one cannot start. */
const BUSY: readonly ConnectorRow['status'][] = ['queued', 'starting', 'started', 'canceling', 'unknown'];

export function isBusy(row: ConnectorRow): boolean {
  return BUSY.includes(row.status);
}

const STATES: Readonly<Partial<Record<ConnectorRow['status'], readonly [Key, IconName, string]>>> = {
  failure: ['connectors.state.failure', 'circle-alert', 'text-bad'],
  canceled: ['connectors.state.canceled', 'circle-slash', 'text-ink-3'],
  not_started: ['connectors.state.queued', 'clock', 'text-ink-3'],
  queued: ['connectors.state.queued', 'clock', 'text-ink-3'],
  success: ['connectors.state.ready', 'check', 'text-ink-3'],
  managed: ['connectors.state.ready', 'check', 'text-ink-3'],
  deleting: ['connectors.state.deleting', 'trash-2', 'text-ink-3'],
  delete_job_failure: ['connectors.state.deleting', 'trash-2', 'text-bad'],
};

/** How the latest run of the source ended, or that one goes on. One that works although files failed says so. */
export function ConnectorState({ row }: { row: ConnectorRow }) {
  const partly = row.error !== null && (row.status === 'success' || row.status === 'managed');
  const [name, icon, tone] = partly
    ? (['connectors.state.partly', 'triangle-alert', 'text-warn'] as const)
    : (STATES[row.status] ?? (['connectors.state.running', 'loader-circle', 'text-ink-2'] as const));
  const words = (
    <span className={`flex items-center gap-1.5 ${tone}`}>
      <Icon name={icon} size={14} className={icon === 'loader-circle' ? 'spin text-accent' : ''} />
      <span className="truncate">{say(name)}</span>
    </span>
  );
  if (row.error === null) return words;
  return (
    <Hint label={`${sayOfService(row.error.title)}: ${row.error.message}`}>
      <button type="button" className="relative z-10 block max-w-full truncate rounded-sm text-start">
        {words}
      </button>
    </Hint>
  );
}
