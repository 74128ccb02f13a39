/**
 * Statements of interface.md about endpoints that do not exist yet. A test checks that the routes are really absent, so that these
 * lines become rows of a conformance table when a route appears.
 */
export interface NotYetBuilt {
  routes: readonly string[];
  statements: readonly string[];
}

export const notYetBuilt: readonly NotYetBuilt[] = [
  {
    routes: ['POST /drive-sources', 'GET /drive-sources'],
    statements: [
      'POST /drive-sources (scope ingestion:manage) creates a drive-folder source and starts ingestion; response: Drive-folder source',
      'name: required, max length 200',
      'folder_url: required, max length 2000',
      'service_account_key: one-time key JSON; mutually exclusive with secret_id',
      'secret_id: id of a stored secret; mutually exclusive with service_account_key',
      'rrule: RFC 5545 RRULE; requires secret_id, not a one-time key',
      'metadata: Metadata container, reserved for future use',
      'Drive-folder source: id, name, folder_url, status, ingestion_setting_id, creation_time, start_time, end_time, error, metadata',
      'GET /drive-sources: limit (1..100) and the cursor; response drive_sources and pagination',
    ],
  },
  {
    routes: ['GET /drive-source-settings/{id}', 'PUT /drive-source-settings/{id}'],
    statements: [
      'GET /drive-source-settings/{id} (scope ingestion:manage): response Drive-folder ingestion setting',
      'Drive-folder ingestion setting: id, name, folder_url, rrule, secret_id (all strings)',
      'PUT /drive-source-settings/{id} (scope ingestion:manage): name, rrule; response Drive-folder ingestion setting',
    ],
  },
  {
    routes: ['PUT /repo-settings/{id}'],
    statements: [
      'PUT /repo-settings/{id} (scope ingestion:manage): name, rrule; response Repository ingestion setting',
      'Repository ingestion setting: id, name, repository, path_filters, reference_type (default, branch, tag, commit), reference_param, rrule, secret_id',
    ],
  },
  {
    routes: ['POST /page-sources', 'GET /page-sources'],
    statements: [
      'POST /page-sources (scope ingestion:manage) creates a page-workspace source and starts ingestion; response: Page-workspace source',
      'name: required, max length 200',
      'page_id: required, max length 2000',
      'page_token: one-time integration token; mutually exclusive with secret_id',
      'secret_id: stored secret id; mutually exclusive with page_token',
      'rrule: RFC 5545 RRULE; requires secret_id',
      'metadata: Metadata container, reserved for future use',
      'Page-workspace source: same as the drive-folder source, with page_id in place of folder_url',
      'GET /page-sources: limit (1..100) and the cursor; response page_sources and pagination',
    ],
  },
  {
    routes: [],
    statements: [
      'Ingestion sources can recur according to an RFC 5545 recurrence rule (uploads do not recur)',
      'web_citations: item present when grounding was on and the model used web results (web grounding is not built)',
      'authz_policy and principal_id select which chunks a principal may retrieve when authorization is enabled (it cannot be enabled yet)',
      'authz:grant, policy:redaction:manage: endpoints of those areas only (those areas are not built)',
    ],
  },
];
