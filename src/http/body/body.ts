/** Reads and parses JSON bodies. Bytes, time, depth and characters are checked before the content is used. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { invalidRequest, pointerOf, ServiceError } from '../../errors.ts';
import { openGate, type Whose } from '../../util/pool.ts';

export const JSON_BODY_BYTES_MAX = 1024 * 1024;
export const JSON_DEPTH_MAX = 32;
/** More than any request needs. Checking and parsing a megabyte of members would hold the event loop for 0.1 s. */
export const JSON_MEMBERS_MAX = 10_000;
/** Longer bodies are parsed one by one. */
const LONG_BODY_BYTES = 64 * 1024;
/** A JSON body must arrive within this time. Uploads have no such limit. */
export const JSON_BODY_TIMEOUT_MS = 30_000;

/** Reads a whole body. @throws ServiceError too_large, request_timeout, or invalid_request when the client leaves. */
export function readBody(request: IncomingMessage, bytesMax: number, timeoutMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(
      () => finish(new ServiceError('request_timeout', 'The request body did not arrive in time.')),
      timeoutMs,
    );
    const onData = (piece: Buffer): void => {
      bytes += piece.length;
      if (bytes > bytesMax) finish(tooLarge(bytesMax));
      else pieces.push(piece);
    };
    const onEnd = (): void => finish(null);
    const onClose = (): void => finish(invalidRequest('The connection closed before the request body was complete.'));
    const finish = (error: Error | null): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error) reject(error);
      else resolve(Buffer.concat(pieces, bytes));
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

/** Returns the error for a body over its limit: status 413. */
export function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('too_large', `The request body is larger than ${bytesMax} bytes.`);
}

/**
 * Parses a JSON body. Returns undefined for an empty body.
 *
 * @throws ServiceError invalid_request for bytes that are not UTF-8, bad syntax, too deep nesting, `__proto__` as a
 *   member name, a member given twice, too many members, U+0000 or a lone surrogate in any string or member name.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = decodeUtf8(bytes);
  checkStructure(text);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('The request body is not valid JSON.');
  }
}

const longBodies = openGate(1);
/** After a long body, the event loop does other work for so many times as long as the body took. */
const LONG_BODY_PAUSE = 4;
let nextLongBodyAt = 0;

/**
 * As `parseJson`, but long bodies are parsed one at a time and take a fifth of the event loop at most: every request of every tenant
 * needs the loop.
 */
export async function parseJsonInTurn(bytes: Buffer, whose: Whose): Promise<unknown> {
  if (bytes.length < LONG_BODY_BYTES) return parseJson(bytes);
  return longBodies(async () => {
    await sleep(Math.max(0, nextLongBodyAt - performance.now()));
    const startedAt = performance.now();
    try {
      return parseJson(bytes);
    } finally {
      const parsedAt = performance.now();
      nextLongBodyAt = parsedAt + LONG_BODY_PAUSE * (parsedAt - startedAt);
    }
  }, whose);
}

/** @throws ServiceError invalid_request when `text` holds U+0000 or a lone surrogate. */
export function checkText(text: string, where: string): void {
  const problem = textProblem(text, where);
  if (problem !== undefined) throw invalidRequest(problem);
}

function textProblem(text: string, where: string): string | undefined {
  if (text.includes('\0')) return `${where} contains the character U+0000.`;
  return text.isWellFormed() ? undefined : `${where} is not well-formed Unicode (lone surrogate).`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidRequest('The request body is not valid UTF-8.');
  }
}

interface ObjectBracket {
  names: Set<string>;
  /** The name of the present member. */
  at: string;
}

/** An open bracket. An array has the index of its present element. */
type Bracket = ObjectBracket | { names: null; at: number };

/** Returns the error about the value at which the brackets stand. */
function refusedAt(open: readonly Bracket[], message: string): ServiceError {
  const pointer = open.length === 0 ? undefined : pointerOf(open.map(({ at }) => at));
  return new ServiceError('invalid_request', message, { pointer });
}

/**
 * Checks the text before JSON.parse, in one pass: nesting depth, characters of all strings, and reserved or repeated member names.
 * Repeated names are refused because parsers disagree about which value counts. JSON.parse finds syntax errors afterwards.
 */
function checkStructure(text: string): void {
  let members = 0;
  const open: Bracket[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      const end = stringEnd(text, at);
      if (end < 0) return;
      const source = text.slice(at, end);
      const inner = open[open.length - 1];
      const isName = inner !== undefined && inner.names !== null && isMemberName(text, end);
      const value = checkString(source, isName ? open.slice(0, -1) : open);
      if (isName && value !== null) {
        const { names } = inner;
        members += 1;
        if (members > JSON_MEMBERS_MAX)
          throw invalidRequest(`The request body has more than ${JSON_MEMBERS_MAX} members in its objects.`);
        inner.at = value;
        if (value === '__proto__') throw refusedAt(open, 'Unknown member "__proto__" in the request body.');
        if (names.has(value))
          throw refusedAt(open, `Member ${JSON.stringify(value)} is given twice in the request body.`);
        names.add(value);
      }
      at = end - 1;
    } else if (character === 0x7b || character === 0x5b) {
      open.push(character === 0x7b ? { names: new Set(), at: '' } : { names: null, at: 0 });
      if (open.length > JSON_DEPTH_MAX)
        throw invalidRequest(`The request body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
    } else if (character === 0x7d || character === 0x5d) {
      open.pop();
    } else if (character === 0x2c) {
      const inner = open[open.length - 1];
      if (inner?.names === null) inner.at += 1;
    }
  }
}

/** Returns the index after the closing quote, or -1. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at++;
    else if (character === 0x22) return at + 1;
  }
  return -1;
}

/** Returns the value of the string, or null for an invalid JSON string. JSON.parse reports the invalid string later. */
function checkString(source: string, open: readonly Bracket[]): string | null {
  let value = source.slice(1, -1);
  if (source.includes('\\')) {
    try {
      value = JSON.parse(source) as string;
    } catch {
      return null;
    }
    const problem = textProblem(value, 'A string in the request body');
    if (problem !== undefined) throw refusedAt(open, problem);
  }
  return value;
}

function isMemberName(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && ' \t\n\r'.includes(text[at]!)) at++;
  return text[at] === ':';
}
