/** Finds the service for the client commands, and the API key for it. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { environment, PORT_DEFAULT } from '../../config.ts';
import { ConfigError, type Environment } from '../../util/settings/settings-reader.ts';
import { type Client, openClient } from './client.ts';
import { CliError } from './io.ts';

const ADMIN_KEY_FILE = 'admin.key';

export interface ClientConfig {
  url: string;
  apiKey: string | null;
  /** Absolute path of the folder with the file admin.key of the local service. */
  dataDir: string;
}

/** Reads the settings of the client commands. @throws ConfigError for an invalid address. */
export function clientConfig(env: Environment): ClientConfig {
  const port = env['PINAKES_PORT']?.trim() || String(PORT_DEFAULT);
  // The base address of other clients of the API ends in /api/v1.
  const url = env['PINAKES_URL']?.trim().replace(/\/api\/v1\/*$/, '') || `http://127.0.0.1:${port}`;
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol)) {
    throw new ConfigError(
      'PINAKES_URL',
      'must be an address that starts with http:// or https://',
      'http://127.0.0.1:7700',
    );
  }
  // The service has no prefix. The console has a path, and its address is the one that is at hand.
  const { pathname, search, hash, username, password, origin } = new URL(url);
  if (`${pathname}${search}${hash}${username}${password}` !== '/')
    throw new ConfigError('PINAKES_URL', 'must be an address without a path, query, fragment or user', origin);
  return {
    url,
    apiKey: env['PINAKES_API_KEY']?.trim() || null,
    dataDir: resolve(env['PINAKES_DATA_DIR']?.trim() || './.pinakes'),
  };
}

/**
 * Returns a client for the configured service. With `onWait` it waits for a service that restarts in the middle of the command.
 * @throws CliError when no key is set and no local service has written one.
 */
export async function openConfiguredClient(
  config = clientConfig(environment()),
  onWait?: (text: string) => void,
): Promise<Client> {
  return openClient({ url: config.url, apiKey: config.apiKey ?? (await localKey(config)), onWait });
}

/** The local key is sent to this machine only: a key must not leak to whatever PINAKES_URL names. */
async function localKey(config: ClientConfig): Promise<string> {
  if (!isLoopback(new URL(config.url).hostname))
    throw new CliError(`PINAKES_API_KEY is not set, and ${config.url} is not on this machine.`);
  try {
    return await readAdminKey(config.dataDir);
  } catch {
    const file = join(config.dataDir, ADMIN_KEY_FILE);
    throw new CliError(
      `No API key: ${file} cannot be read. Start the service with "pinakes serve", or set PINAKES_API_KEY or PINAKES_DATA_DIR.`,
    );
  }
}

/** Returns the sentence for a key that the service does not know, with the place where the command found it. */
export function refusedKeyText({ url, apiKey, dataDir } = clientConfig(environment())): string {
  const place = apiKey === null ? join(dataDir, ADMIN_KEY_FILE) : 'PINAKES_API_KEY';
  return `The service at ${url} refuses the API key in ${place}: it is wrong, expired or revoked.`;
}

/** Returns the key that the first start of the service wrote. @throws the error of the file system; ENOENT when there is no such file. */
export async function readAdminKey(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, ADMIN_KEY_FILE), 'utf8')).trim();
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}
