/**
 * Descriptions of errors of databases. They have codes, but no text of the server: a server might repeat the password. For the same
 * reason, errors of drivers are not passed on.
 */
import { AddressRefused } from '../../net/resolve-host.ts';
import { SocketLimitExceeded } from '../../net/tenant-sockets.ts';
import { OriginError, type OriginProblem } from '../connector.ts';

/** A fault of one table. The other tables can still be read, in another connection. */
export class TableError extends OriginError {
  /** True if a new transaction may read the table. */
  readonly mayPass: boolean;

  constructor(problem: OriginProblem, { mayPass = false } = {}) {
    super(problem);
    this.mayPass = mayPass;
  }
}

interface Rule {
  codes: RegExp;
  problem: OriginProblem;
  /** True: only the table is at fault. */
  ofTable?: true;
  mayPass?: true;
}

/** A column or table that is missing although the transaction still sees it: it was dropped, renamed or replaced meanwhile. */
const REPLACED_CODES = /^(?:42703|42P01|ER_(?:BAD_FIELD_ERROR|NO_SUCH_TABLE))$/;

const RULES: readonly Rule[] = [
  {
    codes:
      /^(?:28...|ER_(?:ACCESS_DENIED_ERROR|ACCESS_DENIED_NO_PASSWORD_ERROR|HOST_NOT_PRIVILEGED|MUST_CHANGE_PASSWORD)|AUTH_SWITCH_.*)$/,
    problem: {
      title: 'The database refused the login',
      message: 'Check user and password of the connection URL, and whether the server lets this user in from here.',
      retryable: false,
    },
  },
  {
    codes: /^(?:3D000|ER_(?:BAD_DB_ERROR|DBACCESS_DENIED_ERROR))$/,
    problem: {
      title: 'The database does not exist',
      message: 'Check the name at the end of the connection URL, and the rights of the user.',
      retryable: false,
    },
  },
  {
    codes: /^(?:HANDSHAKE_NO_SSL_SUPPORT|NO_TLS)$/,
    problem: {
      title: 'The database server offers no TLS',
      message:
        'Switch TLS on at the server. If the network in between is yours, add ?sslmode=disable to the connection URL.',
      retryable: false,
    },
  },
  {
    codes:
      /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|CERT_.*|ERR_TLS_CERT_.*|HANDSHAKE_SSL_ERROR)$/,
    problem: {
      title: 'The certificate of the database server is not trusted',
      message:
        'Give the server a certificate of a public authority, or add ?sslmode=require to accept any certificate.',
      retryable: false,
    },
  },
  {
    codes: /^(?:42501|ER_(?:TABLEACCESS|COLUMNACCESS)_DENIED_ERROR|ER_VIEW_INVALID)$/,
    problem: {
      title: 'The table may not be read',
      message: 'Grant SELECT on the table to the user of the connection URL.',
      retryable: false,
    },
    ofTable: true,
  },
  {
    codes: /^(?:57014|55P03|ER_QUERY_TIMEOUT|ER_STATEMENT_TIMEOUT|ER_LOCK_WAIT_TIMEOUT)$/,
    problem: {
      title: 'The table took too long',
      message:
        'The server ended the statement. Read fewer columns, or a view with fewer rows, or run the source at a quieter time.',
      retryable: true,
    },
    ofTable: true,
  },
  {
    // A standby server ends statements that hold up its changes.
    codes: /^(?:40...|ER_(?:TABLE_DEF_CHANGED|CHECKREAD|LOCK_DEADLOCK))$/,
    problem: {
      title: 'The table changed while it was read',
      message: 'Its rows from earlier runs were kept. The next run reads it again.',
      retryable: true,
    },
    ofTable: true,
    mayPass: true,
  },
  {
    codes:
      /^(?:53300|57P0[123]|08...|ER_(?:CON_COUNT_ERROR|TOO_MANY_USER_CONNECTIONS|USER_LIMIT_REACHED|SERVER_SHUTDOWN|CONNECTION_KILLED))$/,
    problem: {
      title: 'The database ended the connection',
      message: 'The server shuts down, or has too many connections. Run the source again later.',
      retryable: true,
    },
  },
];

const UNREACHABLE: OriginProblem = {
  title: 'The database could not be reached',
  message:
    'Check host and port of the connection URL. A private address works only if the operator allows it in PINAKES_OUTBOUND_ALLOW.',
  retryable: true,
};

const LOST: OriginProblem = {
  title: 'The connection to the database was lost',
  message: 'Nothing was deleted. Run the source again later.',
  retryable: true,
};

const LIMITS: Readonly<Record<SocketLimitExceeded['limit'], OriginProblem>> = {
  bytes: {
    title: 'The database sent too much at once',
    message: 'A row is too large to be read. Leave out columns with long texts and files.',
    retryable: false,
  },
  time: {
    title: 'The table took too long',
    message: 'Read fewer columns, or a view with fewer rows.',
    retryable: true,
  },
};

/** Returns the error for a person. @param stage whether the connection had been made. */
export function databaseError(error: unknown, stage: 'connect' | 'read'): Error {
  if (error instanceof OriginError) return error;
  if (error instanceof SocketLimitExceeded) return new TableError(LIMITS[error.limit]);
  const code = codeOf(error);
  const rule = RULES.find(({ codes }) => codes.test(code));
  if (rule) return rule.ofTable ? new TableError(rule.problem, rule) : new OriginError(rule.problem);
  if (error instanceof AddressRefused || stage === 'connect') return new OriginError(UNREACHABLE);
  const isOfServer = /^(?:[0-9A-Z]{5}|ER_[A-Z_]+)$/.test(code) && !/^E[A-Z]{4}$/.test(code);
  if (!isOfServer) return new OriginError(LOST);
  const message = `The database answered with the error ${code}.`;
  const mayPass = REPLACED_CODES.test(code);
  return new TableError({ title: 'The table cannot be read', message, retryable: false }, { mayPass });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // pg has no code for this refusal.
  if (/does not support SSL/.test(error.message)) return 'NO_TLS';
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : '';
}

export function noSuchTable(schema: string, table: string): TableError {
  return new TableError({
    title: 'The table does not exist',
    message: `There is no table ${schema}.${table} that the user of the connection URL can see. Its rows from earlier runs were kept.`,
    retryable: false,
  });
}

export function noSuchColumn(column: string): TableError {
  return new TableError({
    title: 'A column does not exist',
    message: `The table has no column ${column}. Its rows from earlier runs were kept.`,
    retryable: false,
  });
}

export function tooLarge(what: string): TableError {
  return new TableError({
    title: 'The table is too large',
    message: `${what} Read fewer columns, or a view with fewer rows.`,
    retryable: false,
  });
}
