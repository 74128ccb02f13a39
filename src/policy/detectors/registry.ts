/** Entity -> what finds it. */
import type { Finder } from '../redaction-session.ts';
import { email } from './email.ts';
import type { Entity } from './entities.ts';

const DETECTORS: Record<Entity, Finder> = { email };

export function detectorOf(entity: Entity): Finder {
  return DETECTORS[entity];
}
