import type { ReactNode } from 'react';
import type { TableDetails, TableQuery } from '../../data/tables/tables.ts';
import { Button } from '../../parts/button.tsx';
import { say } from '../../words/words.ts';
import {
  type Condition,
  columnsFor,
  conditionsOf,
  needsValue,
  operatorsOf,
  resultColumns,
  type Summary,
  summaryOf,
  withConditions,
  withSummary,
} from './table-query.ts';

const CONDITIONS_MAX = 20;
const FUNCTIONS = ['count', 'sum', 'avg', 'min', 'max', 'median', 'count_distinct'] as const;

interface FormProps {
  columns: TableDetails['columns'];
  query: TableQuery;
  change(query: TableQuery): void;
}

/** A query without SQL: which rows, which figure, and in which order. */
export function QueryForm(props: FormProps) {
  return (
    <div className="flex flex-col gap-3 px-3.5 py-3">
      <Conditions {...props} />
      <Figure {...props} />
      <Order {...props} />
    </div>
  );
}

function Conditions({ columns, query, change }: FormProps) {
  const conditions = conditionsOf(query);
  const put = (at: number, one: Condition | null) =>
    change(withConditions(query, conditions.toSpliced(at, 1, ...(one ? [one] : []))));
  const add = () =>
    change(withConditions(query, [...conditions, { key: columns[0]?.sql_name ?? '', operator: 'eq', value: '' }]));
  return (
    <Line name={say('tables.where')}>
      <div className="flex min-w-0 flex-1 flex-col items-start gap-2">
        {conditions.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: A condition has no other identity than its place.
          <ConditionFields key={at} columns={columns} condition={one} change={(next) => put(at, next)} />
        ))}
        <Button look="ghost" size="small" icon="plus" disabled={conditions.length >= CONDITIONS_MAX} onClick={add}>
          {say('tables.addCondition')}
        </Button>
      </div>
    </Line>
  );
}

interface ConditionProps {
  columns: FormProps['columns'];
  condition: Condition;
  change(condition: Condition | null): void;
}

function ConditionFields({ columns, condition, change }: ConditionProps) {
  const { key, operator, value } = condition;
  const column = columns.find(({ sql_name: name }) => name === key);
  function choose(name: string) {
    const chosen = columns.find((one) => one.sql_name === name);
    const operators = operatorsOf(chosen?.type);
    const keeps = chosen?.type === column?.type;
    const next = operators.includes(operator) ? operator : operators[0]!;
    change({ key: name, operator: next, ...(needsValue(next) && { value: keeps ? (value ?? '') : '' }) });
  }
  return (
    <div className="flex w-full flex-wrap items-center gap-2">
      <Select label={say('tables.column')} value={key} change={choose} options={namesOf(columns)} />
      <Select
        label={say('filter.operator')}
        value={operator}
        change={(next) => change({ key, operator: next, ...(needsValue(next) && { value: value ?? '' }) })}
        options={operatorsOf(column?.type).map((one) => [one, say(`operator.${one}` as 'operator.eq')])}
      />
      {needsValue(operator) && (
        <Value
          type={column?.type}
          value={String(value ?? '')}
          change={(next) => change({ key, operator, value: next })}
        />
      )}
      <Button
        look="ghost"
        size="small"
        icon="x"
        aria-label={say('filter.remove', { name: key })}
        onClick={() => change(null)}
      />
    </div>
  );
}

function Value({ type, value, change }: { type: string | undefined; value: string; change(value: string): void }) {
  if (type === 'boolean')
    return (
      <Select
        label={say('filter.value')}
        value={value}
        change={change}
        options={[
          ['', '…'],
          ['true', say('tables.true')],
          ['false', say('tables.false')],
        ]}
      />
    );
  return (
    <input
      type={type === 'date' ? 'date' : 'text'}
      dir="auto"
      value={value}
      onChange={(event) => change(event.target.value)}
      aria-label={say('filter.value')}
      placeholder={say('filter.value')}
      className="field h-7 min-w-32 flex-1 px-2 sm:max-w-60"
    />
  );
}

function Figure({ columns, query, change }: FormProps) {
  const summary = summaryOf(query);
  const put = (next: Summary | null) => change(withSummary(query, next, columns));
  function choose(fn: (typeof FUNCTIONS)[number] | '') {
    if (fn === '') return put(null);
    const fitting = columnsFor(fn, columns);
    const kept = fitting.find(({ sql_name: name }) => name === summary?.column) ?? fitting[0];
    put({ fn, by: summary?.by, column: fn === 'count' ? undefined : kept?.sql_name });
  }
  const offered = FUNCTIONS.filter((fn) => columnsFor(fn, columns).length > 0);
  return (
    <Line name={say('tables.figure')}>
      <Select
        label={say('tables.figure')}
        value={summary?.fn ?? ''}
        change={choose}
        options={[['', say('tables.allRows')], ...offered.map((fn) => [fn, say(`tables.fn.${fn}`)] as const)]}
      />
      {summary && summary.fn !== 'count' && (
        <Select
          label={say('tables.figureOf')}
          value={summary.column ?? ''}
          change={(column) => put({ ...summary, column })}
          options={namesOf(columnsFor(summary.fn, columns))}
        />
      )}
      {summary && (
        <label className="flex items-center gap-2 text-ink-2">
          {say('tables.by')}
          <Select
            value={summary.by ?? ''}
            change={(by) => put({ ...summary, by: by || undefined })}
            options={[['', say('tables.byNothing')], ...namesOf(columns)]}
          />
        </label>
      )}
    </Line>
  );
}

function Order({ columns, query, change }: FormProps) {
  const { order_by: order, ...rest } = query;
  const sorted = order?.[0];
  return (
    <Line name={say('tables.order')}>
      <Select
        label={say('tables.order')}
        value={sorted?.column ?? ''}
        change={(column) =>
          change(column === '' ? rest : { ...rest, order_by: [{ column, direction: sorted?.direction ?? 'asc' }] })
        }
        options={[['', say('tables.unordered')], ...resultColumns(query, columns).map((name) => [name, name] as const)]}
      />
      {sorted && (
        <Select
          label={say('tables.direction')}
          value={sorted.direction ?? 'asc'}
          change={(direction) => change({ ...rest, order_by: [{ column: sorted.column, direction }] })}
          options={[
            ['asc', say('tables.asc')],
            ['desc', say('tables.desc')],
          ]}
        />
      )}
    </Line>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-start gap-3">
      <span className="w-20 shrink-0 pt-1 text-ink-3">{name}</span>
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-2">{children}</div>
    </div>
  );
}

interface SelectProps<T extends string> {
  label?: string;
  value: T;
  options: readonly (readonly [T, string])[];
  change(value: T): void;
}

function Select<T extends string>({ label, value, options, change }: SelectProps<T>) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => change(event.target.value as T)}
      className="field h-7 max-w-52 px-1.5"
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

function namesOf(columns: FormProps['columns']): (readonly [string, string])[] {
  return columns.map(({ sql_name: name }) => [name, name] as const);
}
