/** Columns that many lists have, and the buttons at the end of a row. */
import type { ReactNode } from 'react';
import { ago, moment } from '../words/format.ts';
import { say } from '../words/words.ts';
import { Button, Hint } from './button.tsx';
import type { IconName } from './icon.tsx';
import type { Column } from './table.tsx';

/** The name of what the row is, as text. */
export function nameColumn<Row>(
  nameOf: (row: Row) => string,
  className = 'w-[30%]',
  title = say('column.name'),
): Column<Row> {
  return {
    id: 'name',
    title,
    className,
    cell: (row) => (
      <bdi className="block truncate font-medium" title={nameOf(row)}>
        {nameOf(row)}
      </bdi>
    ),
  };
}

export function descriptionColumn<Row extends { description: string }>(className = ''): Column<Row> {
  return {
    id: 'description',
    title: say('column.description'),
    className,
    cell: ({ description }) => (
      <span className="block truncate text-ink-2" dir="auto" title={description}>
        {description}
      </span>
    ),
  };
}

/** When the row was changed last. */
export function changedColumn<Row extends { last_update_time: number }>(className = ''): Column<Row> {
  return {
    id: 'changed',
    title: say('column.changed'),
    end: true,
    className: `w-28 ${className}`,
    cell: ({ last_update_time: time }) => (
      <span className="whitespace-nowrap text-ink-3" title={moment(time)}>
        {ago(time)}
      </span>
    ),
  };
}

/** What can be done with the row. */
export function actionsColumn<Row>(className: string, buttons: (row: Row) => ReactNode): Column<Row> {
  return {
    id: 'actions',
    title: say('list.actions'),
    hiddenTitle: true,
    end: true,
    className,
    cell: (row) => <span className="flex items-center justify-end gap-0.5">{buttons(row)}</span>,
  };
}

/** A button of a row. The hint says what it does; the label also names the row. */
export function RowButton({ hint, label, icon, run }: { hint: string; label: string; icon: IconName; run(): void }) {
  return (
    <Hint label={hint}>
      <Button look="ghost" size="small" icon={icon} aria-label={label} onClick={run} />
    </Hint>
  );
}

export function EditButton({ name, run }: { name: string; run(): void }) {
  return <RowButton hint={say('action.edit')} label={say('action.editOne', { name })} icon="pencil" run={run} />;
}

export function DeleteButton({ name, run }: { name: string; run(): void }) {
  return <RowButton hint={say('action.delete')} label={say('action.deleteOne', { name })} icon="trash-2" run={run} />;
}
