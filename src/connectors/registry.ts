/** A connector for every kind of origin. The only place that names them. */
import type { Config } from '../config.ts';
import type { OriginKind } from '../corpus/origin.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { Clock } from '../util/time.ts';
import type { Connector } from './connector.ts';
import { openDriveConnector } from './drive/connector.ts';
import { openPageConnector } from './page/connector.ts';
import { openRepoConnector } from './repo/connector.ts';
import { openWebConnector } from './web/connector.ts';

export type Connectors = { readonly [Kind in OriginKind]: Connector<Kind> };

interface ConnectorDeps {
  /** Base addresses of the remote services; null = the real ones. */
  remote: Config['remote'];
  http: HttpClient;
  clock: Clock;
  /** Pauses of crawls. */
  crawl: Config['crawl'];
  /** Whether words in pictures are read. */
  readsPictures: boolean;
}

export function openConnectors({ remote, http, clock, crawl, readsPictures }: ConnectorDeps): Connectors {
  return {
    drive: openDriveConnector({ http, baseUrl: remote.googleApiUrl, clock, readsPictures }),
    page: openPageConnector({ http, baseUrl: remote.pageApiUrl, clock }),
    repo: openRepoConnector({ http, baseUrl: remote.repoApiUrl, clock }),
    web: openWebConnector({ http, clock, ...crawl }),
  };
}

/** The connector of a kind that is known at run time only: its origin and items are of that kind. */
export function connectorOf(connectors: Connectors, kind: OriginKind): Connector {
  return connectors[kind] as unknown as Connector;
}
