/**
 * Compiles conditions on the metadata of sources to SQL over the table metadata_value. Conditions on one key are joined into one
 * select. A value is a number, a time or text, and each kind is selected by a range of the index of its own.
 */
import { type ColumnType, IS_INTEGER } from '../../corpus/column-store.ts';
import { join, raw, type Sql, sql } from '../../db/sql.ts';
import { OPERATORS, textOf } from '../../filters/metadata-sql.ts';
import { classify, type Operand } from '../../filters/metadata-value.ts';
import type { MetadataFilter, MetadataFilterGroup, Scalar } from '../../filters/types.ts';

type Kind = Operand['kind'];
type Condition = Sql | boolean;

const KINDS: Record<Kind, Sql> = {
  number: raw('v.number_double is not null'),
  time: raw('v.number_double is null and v.time_value is not null'),
  text: raw('v.number_double is null and v.time_value is null'),
};
const KIND_NAMES = ['number', 'time', 'text'] as const satisfies Kind[];
/** Number of characters in the column text_start. */
const START_LENGTH = 100;
/** Operators that also match a missing key, with the operator that they negate. */
const OPPOSITES: Partial<Record<MetadataFilter['operator'], MetadataFilter['operator']>> = {
  ne: 'eq',
  nin: 'in',
  not_exists: 'exists',
};

export type TypeOf = (key: string) => ColumnType;

const UNTYPED: TypeOf = () => 'string';

/** How a condition is tested: for one source `s`, by the key of its values, or for all sources at once. */
export type Tested = 'one' | 'all';

/** Returns the condition on source `s`. A source lacks the key of an integer column if its value is no 64-bit integer. */
export function sourceValuesMatch(
  tenantId: string,
  group: MetadataFilterGroup,
  tested: Tested,
  typeOf: TypeOf = UNTYPED,
): Sql {
  const byKey = new Map<string, (MetadataFilter | MetadataFilterGroup)[]>();
  const conditions: Sql[] = [];
  for (const member of group.filters) {
    const key = onlyKey(member);
    if (key === undefined) conditions.push(sourceValuesMatch(tenantId, member as MetadataFilterGroup, tested, typeOf));
    else byKey.set(key, [...(byKey.get(key) ?? []), member]);
  }
  for (const [key, filters] of byKey) {
    const ofGroup = { operator: group.operator, filters };
    conditions.push(ofKey(tenantId, key, ofGroup, tested, typeOf(key) === 'integer'));
  }
  return sql`(${join(conditions, group.operator === 'and' ? ' and ' : ' or ')})`;
}

/** Returns the key of all conditions; undefined if they have several. */
function onlyKey(member: MetadataFilter | MetadataFilterGroup): string | undefined {
  if ('key' in member) return member.key;
  const [first, ...others] = member.filters.map(onlyKey);
  return others.every((key) => key === first) ? first : undefined;
}

/** If a source without the key matches, the sources that do not match are selected. */
function ofKey(tenantId: string, key: string, group: MetadataFilterGroup, tested: Tested, isInteger: boolean): Sql {
  const isNegative = matchesMissing(group);
  const text = raw(isInteger ? 'v.number_value::text' : 'v.text_value');
  const parts = (isInteger ? (['number'] as const) : KIND_NAMES).flatMap((kind) => {
    const condition = valueMatches(group, { kind, text }, isNegative);
    if (condition === false) return [];
    const open = condition === true ? [] : [condition];
    return [join([KINDS[kind], ...(isInteger ? [IS_INTEGER] : []), ...open], ' and ')];
  });
  if (parts.length === 0) return raw(isNegative ? 'true' : 'false');
  const from = sql`from metadata_value v where v.tenant_id = ${tenantId} and v.key = ${key}`;
  const not = raw(isNegative ? 'not ' : '');
  if (tested === 'one') return sql`${not}exists (select ${from} and v.source_id = s.id and (${join(parts, ' or ')}))`;
  const selects = parts.map((part) => sql`select v.source_id ${from} and ${part}`);
  return sql`s.id ${not}in (${join(selects, ' union all ')})`;
}

/** Returns whether the conditions match if their keys are missing. */
export function matchesMissing(member: MetadataFilter | MetadataFilterGroup): boolean {
  if ('key' in member) return member.operator in OPPOSITES;
  return member.operator === 'and' ? member.filters.every(matchesMissing) : member.filters.some(matchesMissing);
}

/** The values that a condition is compiled for, and their text. */
interface Values {
  kind: Kind;
  text: Sql;
}

/** Returns the condition that one of the values matches, or, if negated, does not match. */
function valueMatches(member: MetadataFilter | MetadataFilterGroup, values: Values, isNegated: boolean): Condition {
  if ('filters' in member) {
    const isAnd = (member.operator === 'and') !== isNegated;
    const conditions = member.filters.map((one) => valueMatches(one, values, isNegated));
    if (conditions.includes(!isAnd)) return !isAnd;
    const open = conditions.filter((one): one is Sql => one !== isAnd);
    return open.length === 0 ? isAnd : sql`(${join(open, isAnd ? ' and ' : ' or ')})`;
  }
  const opposite = OPPOSITES[member.operator];
  if (opposite) return valueMatches({ ...member, operator: opposite }, values, !isNegated);
  const condition = comparison(member, values);
  if (typeof condition === 'boolean') return condition !== isNegated;
  return isNegated ? sql`not ${condition}` : condition;
}

/** Returns the condition that one of the values matches the filter, which never matches a missing key. */
function comparison({ operator, value }: MetadataFilter, { kind, text }: Values): Condition {
  switch (operator) {
    case 'exists':
      return true;
    case 'contains':
      return sql`strpos(${text}, ${textOf(value as Scalar)}) > 0`;
    case 'starts_with':
      return sql`starts_with(${text}, ${textOf(value as Scalar)})`;
    case 'eq':
      return equalsOneOf([classify(value as Scalar)], kind);
    case 'in':
      return equalsOneOf((value as readonly Scalar[]).map(classify), kind);
    default: {
      const isGreater = operator === 'gt' || operator === 'gte';
      const op = raw(OPERATORS[operator as keyof typeof OPERATORS]);
      // The indexed part of a value has the same order, or is equal. Only then is the value itself compared.
      const orEqual = raw(isGreater ? '>=' : '<=');
      const inOrder = (indexed: Sql, part: Sql, compared: Sql): Sql =>
        sql`(${indexed} ${orEqual} ${part} and (${indexed} <> ${part} or ${compared}))`;
      const operand = classify(value as Scalar);
      if (kind === 'time' && operand.kind === kind) return sql`v.time_value ${op} ${operand.text}::timestamptz`;
      if (kind === 'number' && operand.kind === kind) {
        const number = sql`${operand.text}::numeric`;
        return inOrder(raw('v.number_double'), sql`nearest_double(${number})`, sql`v.number_value ${op} ${number}`);
      }
      const given = textOf(value as Scalar);
      const compared = sql`${text} collate "C" ${op} ${given}`;
      return kind === 'text' ? inOrder(raw('v.text_start'), sql`${startOf(given)}::text`, compared) : compared;
    }
  }
}

/** Equal values have the same kind. */
function equalsOneOf(operands: readonly Operand[], kind: Kind): Condition {
  const texts = operands.filter((operand) => operand.kind === kind).map(({ text }) => text);
  if (texts.length === 0) return false;
  switch (kind) {
    case 'number':
      return sql`(v.number_double = any(array(select nearest_double(x) from unnest(${texts}::numeric[]) x))
        and v.number_value = any(${texts}::numeric[]))`;
    case 'time':
      return sql`v.time_value = any(${texts}::timestamptz[])`;
    case 'text':
      return sql`(v.text_start = any(${[...new Set(texts.map(startOf))]}::text[]) and v.text_value = any(${texts}::text[]))`;
  }
}

function startOf(text: string): string {
  return [...text].slice(0, START_LENGTH).join('');
}
