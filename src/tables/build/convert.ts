/** Converts cells to the values that the Parquet file has, and values to text. Pure. */
import { type ColumnPlan, isNullWord, readBoolean } from '../../files/columns/column-stats.ts';
import type { ColumnType } from '../../files/columns/column-type.ts';
import { readMoment } from '../../files/columns/dates.ts';
import { type Numeral, numberParts, readNumeral, toDouble, toScaled } from '../../files/columns/numbers.ts';

/** A stored value: `integer` and `datetime` (milliseconds) and `time` (microseconds) are bigints, `date` counts days since 1970. */
export type CellValue = string | number | bigint | boolean | null;

const DAY_MS = 86_400_000;
const DECIMAL_DIGITS_MAX = 18;

/** Returns the value of a trimmed cell, null for a cell without a value, and undefined if the cell does not convert. */
export function convertCell(cell: string, plan: ColumnPlan): CellValue | undefined {
  if (cell === '') return null;
  if (plan.type === 'text') return cell;
  if (isNullWord(cell)) return null;
  if (plan.type === 'boolean') return readBoolean(cell);
  if (plan.type === 'integer' || plan.type === 'decimal' || plan.type === 'double') return convertNumber(cell, plan);
  const moment = readMoment(cell);
  if (!moment) return undefined;
  if (plan.type === 'time') return moment.kind === 'time' ? BigInt(moment.micros) : undefined;
  const midnight = moment.kind === 'time' ? undefined : moment.days[plan.order];
  if (midnight === undefined) return undefined;
  if (plan.type === 'date') return moment.kind === 'date' ? midnight / DAY_MS : undefined;
  return BigInt(midnight + Math.floor(moment.micros / 1000));
}

function convertNumber(cell: string, plan: ColumnPlan): CellValue | undefined {
  const numeral = readNumeral(cell);
  if (!numeral?.[plan.mark]) return undefined;
  // A percent sign makes another number; a currency does not.
  if ((numeral.unit === '%') !== (plan.unit === '%')) return undefined;
  if (numeral.unit !== '' && numeral.unit !== plan.unit) return undefined;
  if (plan.type === 'double') return toDouble(numeral, plan.mark);
  return fits(numeral, plan) ? toScaled(numeral, plan.mark, plan.scale) : undefined;
}

function fits(numeral: Numeral, { mark, scale }: ColumnPlan): boolean {
  const { whole, fraction, exponent } = numberParts(numeral, mark);
  return exponent === undefined && fraction.length <= scale && whole.length + scale <= DECIMAL_DIGITS_MAX;
}

/** Returns a number for sums. */
export function numberOf(value: CellValue, { type, scale }: Pick<ColumnPlan, 'type' | 'scale'>): number | undefined {
  if (type !== 'integer' && type !== 'decimal' && type !== 'double') return undefined;
  return value === null ? undefined : Number(value) / 10 ** scale;
}

/** Returns a stored value as text: numbers with a decimal point, dates and times as ISO 8601 writes them. */
export function valueText(value: CellValue, type: ColumnType, scale: number): string | null {
  if (value === null) return null;
  if (type === 'decimal' && typeof value === 'bigint') return decimalText(value, scale);
  if (type === 'date') return new Date(Number(value) * DAY_MS).toISOString().slice(0, 10);
  if (type === 'datetime')
    return new Date(Number(value))
      .toISOString()
      .replace('T', ' ')
      .replace(/(?:\.000)?Z$/, '');
  if (type === 'time')
    return new Date(Number(value) / 1000)
      .toISOString()
      .slice(11)
      .replace(/(?:\.000)?Z$/, '');
  return String(value);
}

function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const sign = value < 0n ? '-' : '';
  return scale === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-scale)}`;
}
