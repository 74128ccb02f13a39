/** Opens the connector of every kind of origin. No other module names the connectors. */
import type { Config } from '../config.ts';
import type { OriginKind } from '../corpus/origin.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { TenantSockets } from '../net/tenant-sockets.ts';
import type { Clock } from '../util/time.ts';
import type { Connector } from './connector.ts';
import { openDatabaseConnector } from './database/connector.ts';
import { openDriveConnector } from './drive/connector.ts';
import { openPageConnector } from './page/connector.ts';
import { openRepoConnector } from './repo/connector.ts';
import { openWebConnector } from './web/connector.ts';

export type Connectors = { readonly [Kind in OriginKind]: Connector<Kind> };

interface ConnectorDeps {
  /** Base addresses of the remote services; null = the real ones. */
  remote: Config['remote'];
  http: HttpClient;
  sockets: TenantSockets;
  clock: Clock;
  /** Pauses between requests of crawls. */
  crawl: Config['crawl'];
  /** Whether OCR reads words in pictures. */
  readsPictures: boolean;
}

export function openConnectors({ remote, http, sockets, clock, crawl, readsPictures }: ConnectorDeps): Connectors {
  return {
    drive: openDriveConnector({ http, baseUrl: remote.googleApiUrl, clock, readsPictures }),
    page: openPageConnector({ http, baseUrl: remote.pageApiUrl, clock }),
    repo: openRepoConnector({ http, baseUrl: remote.repoApiUrl, clock }),
    web: openWebConnector({ http, clock, ...crawl }),
    database: openDatabaseConnector({ sockets }),
  };
}

/**
 * Returns the connector of a kind that is known only at run time. The caller must pass it origins and items of the same kind.
 */
export function connectorOf(connectors: Connectors, kind: OriginKind): Connector {
  return connectors[kind] as unknown as Connector;
}
