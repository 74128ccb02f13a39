/**
 * SQL as tagged templates. `sql` keeps text and values apart, so that a value can never become text.
 *
 * Nested statements are inserted as statements. Only `identifier` and `raw` put text into a statement.
 */

/** A statement whose values are bound parameters. `text` uses `$1`, `$2`, … */
export class Sql {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  /** See `keepPlan`. */
  readonly keepsPlan: boolean;

  /** `strings` has one more element than `values`. */
  constructor(strings: readonly string[], values: readonly unknown[], keepsPlan = false) {
    this.strings = strings;
    this.values = values;
    this.keepsPlan = keepsPlan;
  }

  get text(): string {
    let text = this.strings[0] ?? '';
    for (let i = 1; i < this.strings.length; i++) text += `$${i}${this.strings[i]}`;
    return text;
  }
}

/** Returns a statement. Every `${value}` that is not `Sql` becomes a bound parameter. */
export function sql(parts: TemplateStringsArray, ...inserts: readonly unknown[]): Sql {
  const strings: string[] = [parts[0] ?? ''];
  const values: unknown[] = [];
  inserts.forEach((insert, i) => {
    const after = parts[i + 1] ?? '';
    if (insert instanceof Sql) {
      strings[strings.length - 1] += insert.strings[0] ?? '';
      values.push(...insert.values);
      strings.push(...insert.strings.slice(1));
      strings[strings.length - 1] += after;
    } else {
      values.push(insert);
      strings.push(after);
    }
  });
  return new Sql(strings, values);
}

/** Returns the text as a statement. The text must come from the program, never from a request. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/**
 * Returns the statement marked so that the database parses and plans it once, for all values. For statements that run often, in few
 * forms, and look up few rows by full keys: parsing and planning is most of their time. Never for a statement that reads a
 * partitioned table: a plan for all values opens and locks the partitions of all tenants.
 */
export function keepPlan({ strings, values }: Sql): Sql {
  return new Sql(strings, values, true);
}

export const empty: Sql = raw('');

/** Returns a quoted identifier. @throws Error when the name is not `[a-z_][a-z0-9_]*`, as all our names are. */
export function identifier(name: string): Sql {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new Error(`not an identifier: ${name}`);
  return raw(`"${name}"`);
}

/** Returns the statements joined by a separator, for example `join(conditions, ' and ')`. */
export function join(statements: readonly Sql[], separator = ', '): Sql {
  if (statements.length === 0) return empty;
  return statements.slice(1).reduce((left, right) => sql`${left}${raw(separator)}${right}`, statements[0]!);
}
