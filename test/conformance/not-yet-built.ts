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
    routes: [],
    statements: [
      'authz_policy and principal_id select which chunks a principal may retrieve when authorization is enabled (it cannot be enabled yet)',
    ],
  },
];
