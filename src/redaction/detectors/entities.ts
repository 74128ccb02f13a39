/** The names of all that rules can find. */
import { DETECTORS, type Entity } from './registry.ts';

export type { Entity } from './registry.ts';

/** The entities that entity rules can find. */
export const ENTITIES = Object.keys(DETECTORS) as Entity[];

/** Entities that no pattern can find. An analyzer of names finds them (names.ts), if one is configured. */
export const NAMES = ['person', 'location', 'organization', 'nrp'] as const;
export type NameEntity = (typeof NAMES)[number];

export function isName(entity: Entity | NameEntity): entity is NameEntity {
  return (NAMES as readonly string[]).includes(entity);
}
