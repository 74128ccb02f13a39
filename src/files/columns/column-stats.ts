/** Decides the type of a column from all of its cells. Pure. */
import type { ColumnType } from './column-type.ts';
import { type DayOrder, readMoment } from './dates.ts';
import { type DecimalMark, numberParts, readNumeral } from './numbers.ts';
import { COMMA_LANGUAGES, FALSE_WORDS, NULL_WORDS, TRUE_WORDS } from './words.ts';

/** Why a column of numbers or dates stays text. */
interface ColumnWarning {
  code: 'ambiguous_format' | 'mixed_units';
  message: string;
}

/** A column has a type if at least this share of its cells converts. */
const CONVERTING_SHARE = 0.98;
/** Longer whole numbers are identifiers. A double would not keep their digits. */
const INTEGER_DIGITS_MAX = 15;
const DECIMAL_DIGITS_MAX = 18;
const SCALE_MAX = 9;
/** Longer cells are text. */
const TYPED_UNITS_MAX = 60;

/** How the cells of a column are read. */
export interface ColumnPlan {
  type: ColumnType;
  unit: string | null;
  mark: DecimalMark;
  order: DayOrder;
  /** Digits behind the mark of a `decimal`. */
  scale: number;
}

const MARKS = ['point', 'comma'] as const;
const ORDERS = ['day-first', 'month-first'] as const;

/** Returns whether a trimmed cell says that there is no value. */
export function isNullWord(cell: string): boolean {
  return cell.length <= 8 && NULL_WORDS.has(cell.toLowerCase());
}

/** Counts what the cells of one column could be. */
export class ColumnStats {
  /** Cells that are neither empty nor words for "no value". */
  values = 0;
  private booleans = 0;
  private trues = 0;
  /** Truth values of one letter. They count only beside their opposite. */
  private letters = 0;
  private readonly numbers = { point: 0, comma: 0 };
  /** Numbers in one reading only. They decide the decimal mark. */
  private readonly only = { point: 0, comma: 0 };
  /** Numbers such as 1,234 and 1.234, which are whole in one reading and have decimals in the other, by their mark. */
  private readonly unclear = { ',': 0, '.': 0 };
  private readonly scales = { point: 0, comma: 0 };
  private readonly wholeDigits = { point: 0, comma: 0 };
  private exponents = 0;
  /** Whole numbers of four digits and more without a mark: the column does not group thousands. */
  private ungrouped = 0;
  /** Whole numbers with leading zeros or too many digits: the column has identifiers. */
  private identifiers = 0;
  private readonly units = new Map<string, number>();
  private readonly dates = { 'day-first': 0, 'month-first': 0 };
  /** Dates that are another date, or none, in the other order. */
  private orderedDates = 0;
  private datetimes = 0;
  private clocks = 0;

  add(cell: string): void {
    if (cell === '' || isNullWord(cell)) return;
    this.values += 1;
    if (cell.length > TYPED_UNITS_MAX) return;
    const numeral = readNumeral(cell);
    if (numeral) {
      this.addNumber(numeral);
      return;
    }
    const moment = readMoment(cell);
    if (moment?.kind === 'time') {
      if (moment.clock) this.clocks += 1;
    } else if (moment) {
      for (const order of ORDERS) if (moment.days[order] !== undefined) this.dates[order] += 1;
      if (moment.days['day-first'] !== moment.days['month-first']) this.orderedDates += 1;
      if (moment.kind === 'datetime') this.datetimes += 1;
    } else {
      const truth = readBoolean(cell);
      if (truth === undefined) return;
      this.booleans += 1;
      if (truth) this.trues += 1;
      if (/^\p{L}$/u.test(cell)) this.letters += 1;
    }
  }

  private addNumber(numeral: NonNullable<ReturnType<typeof readNumeral>>): void {
    const { body, unit, point, comma } = numeral;
    if (unit !== '') this.units.set(unit, (this.units.get(unit) ?? 0) + 1);
    for (const mark of MARKS) {
      if (!numeral[mark]) continue;
      this.numbers[mark] += 1;
      const { whole, fraction, exponent } = numberParts(numeral, mark);
      if (fraction.length > this.scales[mark]) this.scales[mark] = fraction.length;
      if (whole.length > this.wholeDigits[mark]) this.wholeDigits[mark] = whole.length;
      if (exponent !== undefined && mark === 'point') this.exponents += 1;
    }
    if (point !== comma) this.only[point ? 'point' : 'comma'] += 1;
    else if (body.includes(',')) this.unclear[','] += 1;
    else if (body.includes('.')) this.unclear['.'] += 1;
    if (/^[1-9]\d{3,}$/.test(body)) this.ungrouped += 1;
    if (/^0\d/.test(body) || (body.length > INTEGER_DIGITS_MAX && /^\d+$/.test(body))) this.identifiers += 1;
  }

  /** Returns the decimal mark that this column proves, if it proves one. */
  get provenMark(): DecimalMark | undefined {
    const { point, comma } = this.only;
    if (point > 0 === comma > 0) return undefined;
    return point > 0 ? 'point' : 'comma';
  }

  /** Returns the type. `tableMark` is the mark that other columns prove, `language` that of the source. */
  decide(tableMark: DecimalMark | undefined, language: string | null): { plan: ColumnPlan; warning?: ColumnWarning } {
    const text: ColumnPlan = { type: 'text', unit: null, mark: 'point', order: 'day-first', scale: 0 };
    if (this.values === 0) return { plan: text };
    const enough = (count: number): boolean => count > 0 && count >= this.values * CONVERTING_SHARE;
    const isLetter = this.letters > 0 && (this.trues === 0 || this.trues === this.booleans);
    if (enough(this.booleans) && !isLetter) return { plan: { ...text, type: 'boolean' } };
    if (enough(Math.max(this.numbers.point, this.numbers.comma))) return this.decideNumber(text, tableMark, language);
    if (enough(Math.max(...ORDERS.map((order) => this.dates[order])))) return this.decideDate(text);
    if (enough(this.clocks)) return { plan: { ...text, type: 'time' } };
    return { plan: text };
  }

  /** Returns the plan for a type that a user chose. Cells that do not convert become failures. */
  forced(type: ColumnType, tableMark: DecimalMark | undefined): ColumnPlan {
    const mark = this.provenMark ?? tableMark ?? 'point';
    const order = this.dates['day-first'] >= this.dates['month-first'] ? 'day-first' : 'month-first';
    const isNumber = type === 'integer' || type === 'decimal' || type === 'double';
    const unit = isNumber ? (this.unitOf(this.numbers[mark]) ?? null) : null;
    return { type, unit, mark, order, scale: type === 'decimal' ? Math.min(this.scales[mark], SCALE_MAX) : 0 };
  }

  private decideNumber(
    text: ColumnPlan,
    tableMark: DecimalMark | undefined,
    language: string | null,
  ): ReturnType<ColumnStats['decide']> {
    if (this.identifiers > 0) return { plan: text };
    // Next to 1234, the number 1.234 has decimals.
    const unclear = this.unclear[','] + (this.ungrouped > 0 ? 0 : this.unclear['.']);
    const proven = this.only.point + this.only.comma > 0;
    const mark = proven ? (this.only.point >= this.only.comma ? 'point' : 'comma') : (tableMark ?? 'point');
    if (!proven && unclear > 0 && tableMark === undefined) {
      const contradicts = this.unclear[','] > 0 && this.unclear['.'] > 0;
      const isComma = language === null ? this.unclear[','] === 0 : COMMA_LANGUAGES.has(language);
      if (contradicts || isComma)
        return {
          plan: text,
          warning: { code: 'ambiguous_format', message: 'Numbers such as 1,234 can be read in two ways.' },
        };
    }
    if (this.numbers[mark] < this.values * CONVERTING_SHARE)
      return {
        plan: text,
        warning: { code: 'ambiguous_format', message: 'Some numbers have a decimal point, others a decimal comma.' },
      };
    const unit = this.unitOf(this.numbers[mark]);
    if (unit === undefined)
      return { plan: text, warning: { code: 'mixed_units', message: 'The numbers have different units.' } };
    const [scale, digits] = [this.scales[mark], this.wholeDigits[mark]];
    const plan = { ...text, mark, unit };
    if (this.exponents > 0 || scale > SCALE_MAX || digits + scale > DECIMAL_DIGITS_MAX)
      return { plan: { ...plan, type: 'double' } };
    return scale === 0 ? { plan: { ...plan, type: 'integer' } } : { plan: { ...plan, type: 'decimal', scale } };
  }

  /** Returns the unit, null without a unit, and undefined if the cells have different ones. */
  private unitOf(numbers: number): string | null | undefined {
    const [first, ...others] = this.units.keys();
    if (first === undefined) return null;
    if (others.length > 0) return undefined;
    // A currency often stands in the first row only. A number without a percent sign is another number.
    return first === '%' && this.units.get('%')! < numbers * CONVERTING_SHARE ? undefined : first;
  }

  private decideDate(text: ColumnPlan): ReturnType<ColumnStats['decide']> {
    const type = this.datetimes > 0 ? 'datetime' : 'date';
    const [dayFirst, monthFirst] = [this.dates['day-first'], this.dates['month-first']];
    if (dayFirst === monthFirst && this.orderedDates > 0)
      return {
        plan: text,
        warning: { code: 'ambiguous_format', message: 'No date shows whether the day or the month comes first.' },
      };
    return { plan: { ...text, type, order: dayFirst >= monthFirst ? 'day-first' : 'month-first' } };
  }
}

/** Returns the truth value of a trimmed cell. */
export function readBoolean(cell: string): boolean | undefined {
  if (cell.length > 10) return undefined;
  const word = cell.toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : undefined;
}
