/** Reads and checks single settings of an environment. config.ts says what each setting means. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong setting. The message is one line: the variable, the problem and an example. */
export class ConfigError extends Error {
  constructor(variable: string, problem: string, example: string, options?: ErrorOptions) {
    super(`${variable} ${problem}; for example ${variable}=${example}`, options);
    this.name = 'ConfigError';
  }
}

/** Reads settings. An empty value counts as not set. Every method throws ConfigError for a value that it refuses. */
export class SettingsReader {
  readonly #env: Environment;
  /** Names that were read, set or not. */
  readonly names = new Set<string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  optional(name: string): string | null {
    this.names.add(name);
    const value = this.#env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }

  /** Returns a value with the blanks at its ends. */
  untrimmed(name: string): string | null {
    this.names.add(name);
    return this.#env[name] || null;
  }

  text(name: string, fallback: string): string {
    return this.optional(name) ?? fallback;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.optional(name);
    if (value === null) return fallback;
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) {
      throw new ConfigError(name, `must be a whole number from ${min} to ${max}, not ${show(value)}`, String(fallback));
    }
    return number;
  }

  /** Returns a number from 0 to 1. */
  share(name: string, fallback: number): number {
    const value = this.optional(name);
    if (value === null) return fallback;
    if (!/^(?:0?\.\d{1,6}|[01](?:\.0{1,6})?)$/.test(value)) {
      throw new ConfigError(name, `must be a number from 0 to 1, not ${show(value)}`, String(fallback));
    }
    return Number(value);
  }

  choice<const T extends string>(name: string, choices: readonly T[], fallback: NoInfer<T>): T {
    const value = this.optional(name);
    if (value === null) return fallback;
    const found = choices.find((choice) => choice === value);
    if (found === undefined)
      throw new ConfigError(name, `must be one of ${choices.join(', ')}, not ${show(value)}`, fallback);
    return found;
  }

  pattern(name: string, pattern: RegExp, problem: string, example: string): string | null {
    const value = this.optional(name);
    if (value !== null && !pattern.test(value)) throw new ConfigError(name, problem, example);
    return value;
  }

  /** Returns an address. Errors never show the value, because it may hold a password. */
  url(name: string, protocols: readonly string[], example: string): string | null {
    const value = this.optional(name);
    if (value === null) return null;
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url === null || !protocols.includes(url.protocol)) {
      throw new ConfigError(
        name,
        `must be an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
        example,
      );
    }
    return value;
  }

  /** Returns an HTTP address without a trailing slash. */
  httpUrl(name: string, example: string): string | null {
    return this.url(name, ['http:', 'https:'], example)?.replace(/\/+$/, '') ?? null;
  }

  /** Returns `fallback` or a value of the form `<provider>:<model>`. */
  model(name: string, fallback: string, providers: readonly string[], example: string): string {
    const value = this.text(name, fallback);
    const [provider = '', model = ''] = value.split(/:(.*)/s);
    if (value !== fallback && !(providers.includes(provider) && model.trim() !== '')) {
      const forms = providers.map((p) => `${p}:<model>`).join(', ');
      throw new ConfigError(name, `must be ${fallback} or one of ${forms}, not ${show(value)}`, example);
    }
    return value;
  }
}

/** Returns a value for a message: in quotes, truncated to 80 characters. */
export function show(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}
