/** Keeps the stored files while a backup runs: a lock of a session of its own, which also ends when this process is killed. */
import pg from 'pg';
import { ServiceError } from '../../errors.ts';
import { ConfigError } from '../../util/settings/settings-reader.ts';
import { BACKUP_LOCK } from '../backup-lock.ts';
import { mapDatabaseError } from '../pg-errors.ts';
import { explainStart } from './start.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Deletions of files hold the lock for a moment; another backup holds it longer. */
const LOCK_TIMEOUT_MS = 30_000;
/** A server that failed over does not answer on the old connection. */
const RELEASE_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
const LOCK_NOT_AVAILABLE = '55P03';

export interface Hold {
  /** Ends the hold. Returns false if it had ended before, because the connection was lost. */
  release(): Promise<boolean>;
}

/**
 * @param onLost is called once if the connection ends before the hold is released. A connection that only falls silent is noticed by
 *   `release`.
 * @throws ConfigError when the server cannot be used. @throws ServiceError when another backup runs.
 */
export async function holdFiles(url: string, onLost: () => void = () => {}): Promise<Hold> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'pinakes backup',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('select pg_is_in_recovery() as standby');
    if (rows[0]?.standby === true) {
      const problem = 'names a standby, whose locks the primary does not see: name the primary';
      throw new ConfigError('PINAKES_DATABASE_URL', problem, 'postgres://user:secret@db.example.com:5432/pinakes');
    }
    await client.query(`set statement_timeout=0; set idle_session_timeout=0; set lock_timeout=${LOCK_TIMEOUT_MS}`);
    await client.query(`select pg_advisory_lock(${BACKUP_LOCK})`);
  } catch (error) {
    await client.end().catch(() => {});
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE)
      throw new ServiceError('conflict', 'Another backup runs, or files are being deleted. Try again.', {
        cause: error,
      });
    throw explainStart(mapDatabaseError(error), url);
  }
  client.once('error', onLost);
  const unlock = { text: `select pg_advisory_unlock(${BACKUP_LOCK}) as held`, query_timeout: RELEASE_TIMEOUT_MS };
  return {
    async release() {
      client.off('error', onLost);
      try {
        const { rows } = await client.query<{ held: boolean }>(unlock);
        return rows[0]?.held === true;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => {});
      }
    },
  };
}
