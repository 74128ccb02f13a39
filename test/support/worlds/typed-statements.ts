/**
 * Makes statements of which most run: calls get arguments of their types, as the catalogue of the engine lists them. Overloads that do not
 * run with such arguments are left out beforehand.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { AllowedFunctions } from '../../../src/tables/engine/gate.ts';
import type { Random } from '../random.ts';

const COLUMNS = {
  VARCHAR: ['s.region', 'note'],
  DOUBLE: ['amount', 's.amount'],
  BIGINT: ['quantity', 's.quantity'],
  BOOLEAN: ['active'],
  TIMESTAMP: ['ordered'],
} as const;

/** Types that expressions have. Other types of numbers are left to their overloads for these. */
const TYPES = [...(Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]), 'DATE', 'INTERVAL', 'VARCHAR[]', 'JSON'] as const;
type Type = (typeof TYPES)[number];

interface Overload {
  name: string;
  isAggregate: boolean;
  parameters: string[];
  returns: string;
}

/** Calls of which large arguments only cost memory. */
const LARGE = /repeat|pad|range|generate|resize|bar|split|combinations|factorial|<<|pow|\*\*|\^/;
const FORMAT = /strftime|strptime/;
const PARTS = ['year', 'month', 'day', 'hour'];
const DEPTH_MAX = 4;

/** A select over `sales s` and `regions r`; the columns of `sales` are those of COLUMNS. */
export interface TypedStatements {
  /** Number of overloads that run. */
  overloads: number;
  make(): string;
}

/** Opens the generator. `connection` has the tables; `texts` are constants that a statement should try. */
export async function openTypedStatements(
  random: Random,
  connection: DuckDBConnection,
  { aggregates, others }: AllowedFunctions,
  texts: readonly string[],
): Promise<TypedStatements> {
  const maker = new Maker(random, texts);
  const reader = await connection.runAndReadAll(
    `select distinct function_name, function_type, array_to_string(parameter_types, ';'), return_type, varargs
     from duckdb_functions() where function_type in ('scalar', 'aggregate') order by all`,
  );
  for (const row of reader.getRows()) {
    const [name = '', kind = '', parameters = '', returns = '', varargs] = row.map((value) => String(value ?? ''));
    if (!aggregates.has(name) && !others.has(name)) continue;
    const all = parameters === '' ? [] : parameters.split(';');
    if (varargs) all.push(varargs);
    const overload = { name, isAggregate: kind === 'aggregate', parameters: all, returns };
    if (all.some((type) => !maker.canMake(type)) || !(await runs(connection, maker, overload))) continue;
    maker.add(overload);
  }
  return { overloads: maker.overloads, make: () => maker.statement() };
}

async function runs(connection: DuckDBConnection, maker: Maker, overload: Overload): Promise<boolean> {
  try {
    await connection.runAndReadAll(`select ${maker.call(overload, DEPTH_MAX)} from sales s`);
    return true;
  } catch {
    return false;
  }
}

class Maker {
  private readonly random: Random;
  private readonly texts: readonly string[];
  private readonly scalars = new Map<string, Overload[]>();
  private readonly aggregates: Overload[] = [];
  overloads = 0;

  constructor(random: Random, texts: readonly string[]) {
    this.random = random;
    this.texts = texts;
  }

  add(overload: Overload): void {
    this.overloads += 1;
    if (overload.isAggregate) this.aggregates.push(overload);
    else {
      const key = (TYPES as readonly string[]).includes(overload.returns) ? overload.returns : 'other';
      this.scalars.set(key, [...(this.scalars.get(key) ?? []), overload]);
    }
  }

  canMake(type: string): boolean {
    return (
      (TYPES as readonly string[]).includes(type) ||
      /^(?:ANY|T|ANY\[\]|T\[\]|DOUBLE\[\]|INTEGER|LAMBDA|BLOB)$/.test(type)
    );
  }

  statement(): string {
    const { next, integer } = this.random;
    const parts: string[] = [];
    const from = this.from();
    const list = (make: () => string): string => Array.from({ length: integer(1, 3) }, make).join(', ');
    if (next() < 0.35) {
      parts.push(`select ${next() < 0.5 ? 's.region, ' : ''}${list(() => this.aggregate())}`, `from ${from}`);
      if (next() < 0.4) parts.push(`where ${this.expression('BOOLEAN', 2)}`);
      if (parts[0]!.startsWith('select s.region')) parts.push('group by s.region');
      if (next() < 0.2) parts.push(`having ${this.aggregate()} is not null`);
    } else {
      parts.push(
        `select ${next() < 0.15 ? 'distinct ' : ''}${next() < 0.1 ? '*, ' : ''}${list(() => this.anything(1))}`,
      );
      parts.push(`from ${from}`);
      if (next() < 0.4) parts.push(`where ${this.expression('BOOLEAN', 2)}`);
      if (next() < 0.1) parts.push(`qualify row_number() over (partition by s.region order by amount) <= 2`);
      if (next() < 0.2) parts.push('order by 1');
    }
    if (next() < 0.2) parts.push(`limit ${integer(0, 50)}`);
    const statement = parts.join(' ');
    if (next() < 0.06) return `with ledger as (${statement}) select * from ledger`;
    if (next() < 0.05) return `select count(*) from (${statement}) q`;
    return next() < 0.05
      ? `select ${this.expression('VARCHAR', 2)} from sales s union all select region from sales`
      : statement;
  }

  private from(): string {
    return this.random.pick([
      ...['sales s', 'sales s', 'sales s', 'sales as s left join regions r using (region)'],
      ...['sales s cross join regions r', 'sales s join regions r on s.region = r.region', '(select * from sales) s'],
      ...['sales s, range(3) t(i)', 'sales s natural join regions r', 'sales s semi join regions r using (region)'],
    ]);
  }

  private anything(depth: number): string {
    const { next, pick } = this.random;
    if (next() < 0.12) return this.window();
    if (next() < 0.2 && this.scalars.has('other')) return this.call(pick(this.scalars.get('other')!), depth);
    return this.expression(pick(TYPES), depth);
  }

  private aggregate(): string {
    return this.call(this.random.pick(this.aggregates), 2);
  }

  private window(): string {
    const { pick } = this.random;
    const call = pick([this.aggregate(), 'row_number()', 'rank()', 'lag(note)', 'first_value(s.region)', 'ntile(2)']);
    // Some aggregates have an order of their own, and some are no window functions.
    return `${call} over (partition by active order by quantity)`;
  }

  private expression(type: Type, depth: number): string {
    const { next, pick } = this.random;
    if (depth >= DEPTH_MAX || next() < 0.15) return this.leaf(type);
    const overloads = this.scalars.get(type);
    const inner = (): string => this.expression(type, depth + 1);
    const shape = next();
    if (shape < 0.65 && overloads) return this.call(pick(overloads), depth);
    if (shape < 0.72) return `case when ${this.expression('BOOLEAN', depth + 1)} then ${inner()} else ${inner()} end`;
    if (shape < 0.77) return `coalesce(${inner()}, ${inner()})`;
    if (shape < 0.8) return `nullif(${inner()}, ${inner()})`;
    if (shape < 0.84) return `(select max(${inner()}) from sales s)`;
    if (shape < 0.94) return `try_cast(${this.anything(depth + 1)} as ${type})`;
    if (type !== 'BOOLEAN') return this.leaf(type);
    const other = pick(TYPES);
    const two = [this.expression(other, depth + 1), this.expression(other, depth + 1)];
    return pick([
      `(${two[0]} ${pick(['=', '<>', '<', '>=', 'is distinct from'])} ${two[1]})`,
      `(${two[0]} in (${two[1]}, ${this.leaf(other)}))`,
      `(${this.expression('VARCHAR', depth + 1)} like ${this.leaf('VARCHAR')})`,
      `(s.region in (select region from regions))`,
      `exists (select 1 from sales x where x.region = s.region)`,
    ]);
  }

  call(overload: Overload, depth: number): string {
    const { name, parameters } = overload;
    const values = parameters.map((type, i) => this.argument(overload, type, i, depth + 1));
    if (/^[a-z_]\w*$/.test(name)) return `${name}(${values.join(', ')})`;
    return values.length === 2 && /^[^a-z]+$/.test(name)
      ? `(${values[0]} ${name} ${values[1]})`
      : `"${name}"(${values.join(', ')})`;
  }

  private argument({ name, isAggregate, parameters }: Overload, type: string, index: number, depth: number): string {
    const { integer, pick } = this.random;
    if (FORMAT.test(name) && type === 'VARCHAR') return `'%Y'`;
    if (/^date_?(?:part|trunc|diff|sub|add)|^datepart|^datetrunc|^datediff|^datesub/.test(name) && index === 0)
      return `'${pick(PARTS)}'`;
    if (/regexp/.test(name) && type === 'VARCHAR' && index > 0) return pick([`'[a-z]+'`, `'o'`, `'(.)r'`]);
    if (isAggregate && index > 0) return type === 'DOUBLE' ? '0.5' : type === 'VARCHAR' ? `','` : String(integer(1, 4));
    switch (type) {
      case 'INTEGER':
        return String(integer(0, 9));
      case 'BIGINT':
        if (LARGE.test(name)) return String(integer(0, 9));
        break;
      case 'LAMBDA':
        return name.includes('reduce')
          ? 'lambda x, y: x || y'
          : name.includes('filter')
            ? `lambda y: y > 'a'`
            : 'lambda y: y || note';
      case 'BLOB':
        return `${this.leaf('VARCHAR')}::blob`;
      case 'DOUBLE[]':
        return `[0.5, ${integer(1, 9)}]`;
      case 'ANY[]':
      case 'T[]':
        return this.expression('VARCHAR[]', depth);
      case 'ANY':
      case 'T':
        return this.expression(
          parameters.filter((one) => /^(?:T|ANY)/.test(one)).length > 1 ? 'VARCHAR' : pick(TYPES),
          depth,
        );
      default:
    }
    return this.expression(type as Type, depth);
  }

  private leaf(type: Type): string {
    const { next, pick, integer } = this.random;
    const constant = next() < 0.5;
    switch (type) {
      case 'VARCHAR':
        return constant ? this.text() : pick(COLUMNS.VARCHAR);
      case 'DOUBLE':
        return constant ? `${integer(-5, 90)}.5::double` : pick(COLUMNS.DOUBLE);
      case 'BIGINT':
        return constant ? `${integer(-2, 12)}::bigint` : pick(COLUMNS.BIGINT);
      case 'BOOLEAN':
        return constant ? pick(['true', 'false']) : 'active';
      case 'TIMESTAMP':
        return constant ? `timestamp '2024-0${integer(1, 9)}-11 12:13:14'` : 'ordered';
      case 'DATE':
        return constant ? `date '2024-0${integer(1, 9)}-11'` : 'ordered::date';
      case 'INTERVAL':
        return `interval ${integer(1, 9)} day`;
      case 'JSON':
        return constant ? `'{"a": [1, "x"]}'::json` : 'to_json(s.region)';
      default:
        return `[${this.leaf('VARCHAR')}, ${this.leaf('VARCHAR')}]`;
    }
  }

  private text(): string {
    const { next, pick } = this.random;
    return `'${(next() < 0.5 ? pick(this.texts) : pick(['North', '%o%', 'a', '', '$.a', 'x,y'])).replaceAll("'", "''")}'`;
  }
}
