/**
 * Conditions of a change (RFC 9110, section 13.1). `If-Match` names the version that the caller has read; `If-None-Match: *` says that
 * nothing is stored. Thereby nobody replaces a change that they have not seen.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest, ServiceError } from '../../errors.ts';

export interface Precondition {
  /** Call in the transaction of the change, after its lock. @param version what is stored. @throws ServiceError precondition_failed */
  check(version: number | undefined): void;
}

/** Entity tags as a list. A proxy that compresses answers makes them weak (`W/"3"`). */
const TAGS = /^(?:W\/)?"\d{1,15}"(?:[ \t]*,[ \t]*(?:W\/)?"\d{1,15}")*$/;

export function versionTag(version: number): string {
  return `"${version}"`;
}

/** Returns the entity tag of an answer that these values decide. */
export function etagOf(...parts: readonly (string | number)[]): string {
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)}"`;
}

/** @throws ServiceError invalid_request for a condition that cannot be understood: it must not be ignored. */
export function readPrecondition(headers: IncomingHttpHeaders): Precondition {
  const ifMatch = headers['if-match']?.trim();
  const ifNoneMatch = headers['if-none-match']?.trim();
  if (ifMatch !== undefined && ifMatch !== '*' && !TAGS.test(ifMatch))
    throw invalidRequest('The header If-Match must be a version in quotation marks, such as "3", or *.');
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*')
    throw invalidRequest('The header If-None-Match must be * here: it creates what is not stored yet.');
  return {
    check(version) {
      if (ifMatch !== undefined && !isMatch(ifMatch, version))
        throw new ServiceError(
          'precondition_failed',
          version === undefined
            ? 'Nothing is stored here, so If-Match names no version. Leave the header out to create it.'
            : `Version ${version} is stored, which If-Match does not name. Read it, and send its version.`,
        );
      if (ifNoneMatch !== undefined && version !== undefined)
        throw new ServiceError(
          'precondition_failed',
          `Version ${version} is stored already. To change it, read it and send If-Match.`,
        );
    },
  };
}

function isMatch(ifMatch: string, version: number | undefined): boolean {
  if (version === undefined) return false;
  return ifMatch === '*' || ifMatch.split(',').some((tag) => tag.includes(versionTag(version)));
}
