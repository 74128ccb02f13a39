/** Redacts values of tables. A rule sees each value in the usual ways of writing it, because the source wrote it in one of them. */
import { redactText } from '../redaction/apply-redaction.ts';
import type { ApplyAt, Redactor } from '../redaction/redact.ts';
import type { WireValue } from './read-table.ts';

/** Returns the redacted value; undefined if a rule blocks it. */
export async function redactValue(
  redactor: Redactor | null,
  value: WireValue,
  steps: readonly ApplyAt[],
): Promise<WireValue | undefined> {
  if (value === null || typeof value === 'boolean' || !steps.some((step) => redactor?.appliesAt(step))) return value;
  for (const form of formsOf(value)) {
    const redacted = await redactText(redactor, form, steps);
    if (redacted === undefined) return undefined;
    if (redacted !== form) return redacted;
  }
  return value;
}

/** Returns a number, date or text in the ways in which a source may have it. */
export function formsOf(value: string | number): string[] {
  const text = String(value);
  const number = /^(-?\d+)(?:\.(\d+))?$/.exec(text);
  if (number) {
    const [, whole = '', fraction] = number;
    const grouped = (mark: string): string => whole.replace(/\B(?=(\d{3})+$)/g, mark);
    const decimals = (mark: string): string => (fraction === undefined ? '' : mark + fraction);
    return [text, grouped(',') + decimals('.'), grouped('.') + decimals(','), grouped(' ') + decimals(',')];
  }
  const date = /^(\d{4})-(\d{2})-(\d{2})(.*)$/.exec(text);
  if (!date) return [text];
  const [, year, month, day, rest] = date;
  const [d, m] = [Number(day), Number(month)];
  const forms = [`${day}/${month}/${year}`, `${month}/${day}/${year}`, `${d}/${m}/${year}`, `${m}/${d}/${year}`];
  return [
    text,
    ...[...forms, `${day}.${month}.${year}`, `${d}.${m}.${year}`, `${day}-${month}-${year}`].map((form) => form + rest),
  ];
}
