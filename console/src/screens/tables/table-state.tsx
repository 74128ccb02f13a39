import type { Table } from '../../data/tables/tables.ts';
import { Icon } from '../../parts/icon.tsx';
import { say } from '../../words/words.ts';

const ICONS = {
  building: ['loader-circle', 'spin text-accent'],
  ready: ['check', 'text-ink-3'],
  failed: ['circle-alert', 'text-bad'],
} as const;

/** Whether the table is ready. */
export function TableState({ table: { status, error } }: { table: Pick<Table, 'status' | 'error'> }) {
  const [icon, className] = ICONS[status];
  return (
    <span className={`flex items-center gap-1.5 ${status === 'failed' ? 'text-bad' : 'text-ink-3'}`}>
      <Icon name={icon} size={14} className={className} />
      <span className="truncate" title={error ?? undefined}>
        {say(`tables.status.${status}`)}
      </span>
    </span>
  );
}
