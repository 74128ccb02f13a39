/** Reads connection URLs of databases. Pure. */
import { invalidRequest } from '../../errors.ts';

export type Engine = 'postgresql' | 'mysql';

/** `disable`: no TLS. `require`: TLS with any certificate. `verify-full`: TLS with a certificate of the host. */
const TLS_MODES = ['disable', 'require', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];

export interface DatabaseUrl {
  engine: Engine;
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  tls: TlsMode;
}

const ENGINES: Readonly<Record<string, Engine>> = {
  'postgres:': 'postgresql',
  'postgresql:': 'postgresql',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};
const PORTS: Readonly<Record<Engine, number>> = { postgresql: 5432, mysql: 3306 };

/** Returns the parts of a connection URL. The error never repeats the text. @throws ServiceError invalid_request */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const url = URL.parse(text.trim());
  const engine = url === null ? undefined : ENGINES[url.protocol];
  if (!url || !engine)
    throw invalidRequest(
      'A database secret is a connection URL: postgresql://user:password@host:5432/database or mysql://user:password@host:3306/database.',
    );
  const parts = {
    engine,
    host: decoded(url.hostname).replace(/^\[|\]$/g, ''),
    port: url.port === '' ? PORTS[engine] : Number(url.port),
    user: decoded(url.username),
    password: decoded(url.password),
    database: decoded(url.pathname.slice(1)),
  };
  for (const part of ['host', 'user', 'database'] as const)
    if (parts[part] === '') throw invalidRequest(`The connection URL names no ${part}.`);
  if (/[/\s]/.test(parts.host)) throw invalidRequest('The host of a connection URL is a name or an address.');
  const other = [...url.searchParams.keys()].find((name) => name !== 'sslmode');
  if (other !== undefined || url.hash !== '')
    throw invalidRequest(
      'The only parameter of a connection URL is sslmode. Write # and ? in a password as %23 and %3F.',
    );
  const tls = url.searchParams.get('sslmode') ?? 'verify-full';
  if (!isTlsMode(tls)) throw invalidRequest(`The sslmode of a connection URL is one of ${TLS_MODES.join(', ')}.`);
  return { ...parts, tls };
}

function isTlsMode(text: string): text is TlsMode {
  return TLS_MODES.some((mode) => mode === text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidRequest('The connection URL has a % that begins no encoded character: write it as %25.');
  }
}
