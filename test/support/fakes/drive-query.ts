/** Reads the search queries and the field selections of the Drive API. */

export interface Searchable {
  name: string;
  mimeType: string;
  parents: readonly string[];
  trashed: boolean;
}

export class QueryError extends Error {}

/** Reads `in parents`, `=`, `!=`, `contains`, `and`, `or`, `not` and parentheses. @throws QueryError. */
export function parseQuery(text: string): (file: Searchable) => boolean {
  const tokens = text.match(/'(?:[^'\\]|\\.)*'|!=|=|\(|\)|[A-Za-z]+|\S/g) ?? [];
  let at = 0;
  const next = (): string => {
    const token = tokens[at++];
    if (token === undefined) throw new QueryError(text);
    return token;
  };
  const literal = (): string => {
    const token = next();
    if (!/^'.*'$/s.test(token)) throw new QueryError(text);
    return token.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
  };
  const any = (): ((file: Searchable) => boolean) => {
    let left = all();
    while (tokens[at] === 'or') {
      at++;
      const [first, second] = [left, all()];
      left = (file) => first(file) || second(file);
    }
    return left;
  };
  const all = (): ((file: Searchable) => boolean) => {
    let left = term();
    while (tokens[at] === 'and') {
      at++;
      const [first, second] = [left, term()];
      left = (file) => first(file) && second(file);
    }
    return left;
  };
  const term = (): ((file: Searchable) => boolean) => {
    if (tokens[at] === 'not') {
      at++;
      const inner = term();
      return (file) => !inner(file);
    }
    if (tokens[at] === '(') {
      at++;
      const inner = any();
      if (next() !== ')') throw new QueryError(text);
      return inner;
    }
    if (tokens[at]?.startsWith("'")) {
      const id = literal();
      if (next() !== 'in' || next() !== 'parents') throw new QueryError(text);
      return (file) => file.parents.includes(id);
    }
    return comparison(next(), next());
  };
  const comparison = (field: string, operator: string): ((file: Searchable) => boolean) => {
    if (field === 'trashed' && ['=', '!='].includes(operator)) {
      const wanted = next() === 'true';
      return (file) => (file.trashed === wanted) === (operator === '=');
    }
    if (field !== 'name' && field !== 'mimeType') throw new QueryError(text);
    const value = literal();
    if (operator === 'contains') return (file) => file[field].includes(value);
    if (operator !== '=' && operator !== '!=') throw new QueryError(text);
    return (file) => (file[field] === value) === (operator === '=');
  };
  const query = any();
  if (at !== tokens.length) throw new QueryError(text);
  return query;
}

/** A selection of fields: member -> selected fields of the member; null selects the whole member. */
export type Selection = Map<string, Selection | null>;

/** `a,b(c,d),e/f`. @throws QueryError with the invalid word. */
export function parseFields(text: string): Selection {
  let at = 0;
  const list = (): Selection => {
    const selection: Selection = new Map();
    for (;;) {
      const word = /^[A-Za-z0-9*]+/.exec(text.slice(at))?.[0];
      if (word === undefined) throw new QueryError(text.slice(at, at + 20));
      at += word.length;
      let inner: Selection | null = null;
      if (text[at] === '(') {
        at++;
        inner = list();
        if (text[at++] !== ')') throw new QueryError(text);
      } else if (text[at] === '/') {
        at++;
        const end = text.slice(at).search(/[,)]/);
        const path = end === -1 ? text.slice(at) : text.slice(at, at + end);
        at += path.length;
        inner = parseFields(path);
      }
      selection.set(word, inner);
      if (text[at] !== ',') return selection;
      at++;
    }
  };
  const selection = list();
  if (at !== text.length) throw new QueryError(text);
  return selection;
}

/** Returns the selected fields of `value`. */
export function select(value: unknown, selection: Selection | null): unknown {
  if (selection === null || selection.has('*') || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => select(one, selection));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      selection.has(key) ? [[key, select(one, selection.get(key) ?? null)]] : [],
    ),
  );
}
