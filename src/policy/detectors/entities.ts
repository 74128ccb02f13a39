/** What entity rules can look for. */
export const ENTITIES = ['email'] as const;
export type Entity = (typeof ENTITIES)[number];
