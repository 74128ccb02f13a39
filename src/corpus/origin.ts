/** What a source group is kept in step with, as its setting stores it. */

/** What a tenant asked to be kept in step. */
export type Origin =
  | { kind: 'drive'; folderUrl: string }
  | { kind: 'page'; pageId: string }
  | {
      kind: 'repo';
      /** owner/name. */
      repository: string;
      /** gitignore-style globs of what to take, `!` negates; empty takes everything. */
      pathFilters: readonly string[];
      referenceType: 'default' | 'branch' | 'tag' | 'commit';
      /** Branch, tag or commit; empty for `default`. */
      referenceParam: string;
    }
  | {
      kind: 'web';
      urls: readonly string[];
      /** Links away from `urls`: 0 takes these alone. */
      maxDepth: number;
      maxPages: number;
      includePaths: readonly string[];
      excludePaths: readonly string[];
      sameHost: boolean;
      useSitemap: boolean;
      /** Between two requests to one host; null, or absent from an origin of an older version: the service's own. */
      delayMs?: number | null;
    };

export type OriginKind = Origin['kind'];

/** JSON that only the connector that made it reads. */
export type Opaque = Readonly<Record<string, unknown>>;
