/** The origin that a source group is synchronised with, as its setting stores it. */
export type Origin =
  | { kind: 'drive'; folderUrl: string }
  | { kind: 'page'; pageId: string }
  | {
      kind: 'repo';
      /** owner/name. */
      repository: string;
      /** gitignore-style globs of the wanted files, `!` negates; an empty list wants all files. */
      pathFilters: readonly string[];
      referenceType: 'default' | 'branch' | 'tag' | 'commit';
      /** Branch, tag or commit; empty for `default`. */
      referenceParam: string;
    }
  | {
      kind: 'web';
      urls: readonly string[];
      /** Number of links to follow from `urls`; 0 reads only `urls` themselves. */
      maxDepth: number;
      maxPages: number;
      includePaths: readonly string[];
      excludePaths: readonly string[];
      sameHost: boolean;
      useSitemap: boolean;
      /** Delay between two requests to one host. Null means the service's default; origins of older versions lack the member. */
      delayMs?: number | null;
      /** The only address is a file, which keeps this address wherever redirects lead. Whatever prevents reading the file fails the run. */
      oneFile?: true;
    }
  | {
      kind: 'database';
      /** Names have the form schema.table; no columns: all of them. */
      tables: readonly { name: string; columns: readonly string[] }[];
    };

export type OriginKind = Origin['kind'];

/** JSON that only the connector which wrote it can read. */
export type Opaque = Readonly<Record<string, unknown>>;
