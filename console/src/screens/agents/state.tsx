import type { AgentRunSummary } from '../../data/agents/agents.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { span } from '../../words/format.ts';
import { type Key, say } from '../../words/words.ts';

type Ended = Pick<AgentRunSummary, 'status' | 'finish_reason'>;

const STATES: Readonly<Record<string, { icon: IconName; tone: string }>> = {
  queued: { icon: 'clock', tone: 'text-ink-3' },
  running: { icon: 'loader-circle', tone: 'text-ink-2' },
  success: { icon: 'check', tone: 'text-ink-3' },
  failure: { icon: 'circle-alert', tone: 'text-bad' },
  canceled: { icon: 'circle-slash', tone: 'text-ink-3' },
  no_answer: { icon: 'circle-slash', tone: 'text-ink-3' },
  limit: { icon: 'triangle-alert', tone: 'text-warn' },
};

/** Returns how a run stands. A run without an answer, or with one that a limit cut short, says so. */
function stateOf({ status, finish_reason: reason }: Ended): string {
  if (status !== 'success') return status;
  if (reason === 'no_answer') return 'no_answer';
  return limitOf(reason) === undefined ? 'success' : 'limit';
}

/** Returns the limit that ended a run; undefined if none did. */
export function limitOf(reason: Ended['finish_reason']): 'max_steps' | 'max_seconds' | 'max_tokens' | undefined {
  return reason === 'max_steps' || reason === 'max_seconds' || reason === 'max_tokens' ? reason : undefined;
}

export function AgentState({ run }: { run: Ended }) {
  const state = stateOf(run);
  const { icon, tone } = STATES[state]!;
  return (
    <span className={`flex items-center gap-1.5 whitespace-nowrap ${tone}`}>
      <Icon name={icon} size={14} className={icon === 'loader-circle' ? 'spin text-accent' : ''} />
      <span className="truncate">{say(`agents.status.${state}` as Key)}</span>
    </span>
  );
}

/** Returns how long a run took, or takes until now. */
export function durationOf(run: Pick<AgentRunSummary, 'start_time' | 'end_time'>, now = Date.now() / 1000): string {
  return run.start_time === null ? '–' : span((run.end_time ?? now) - run.start_time);
}
