/** The common parts of Google's services: the exchange of signed assertions for tokens, and the bodies of refusals. */
import { generateKeyPairSync, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const AUDIENCE = 'https://oauth2.googleapis.com/token';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const DRIVE_SCOPES = ['https://www.googleapis.com/auth/drive.readonly', 'https://www.googleapis.com/auth/drive'];
const KEY_ID = 'fake-key-1';
const CLIENT_EMAIL = 'reader@fake-project.iam.gserviceaccount.com';
const CLOCK_SKEW_SECONDS = 300;

export interface FakeTokensOptions {
  /** Lifetime of an access token in seconds. */
  tokenSeconds?: number;
  now?: () => Date;
  /** Additional members of the key file. */
  keyMembers?: Record<string, string>;
}

export class Refused extends Error {
  readonly status: number;
  readonly reason: string;
  readonly location: string | undefined;

  constructor(status: number, reason: string, message: string, location?: string) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.location = location;
  }
}

export function invalidParameter(name: string): Refused {
  return new Refused(400, 'invalid', 'Invalid Value', name);
}

/** The token endpoint has its own form of error bodies. */
export function errorBody({ status, reason, message, location }: Refused, ofTokens: boolean): object {
  if (ofTokens) return { error: reason, error_description: message };
  const domain = /Limit|quota/i.test(reason) && reason !== 'exportSizeLimitExceeded' ? 'usageLimits' : 'global';
  const locationType = location === 'Authorization' ? 'header' : 'parameter';
  const place = location === undefined ? {} : { location, locationType };
  return { error: { code: status, message, errors: [{ message, domain, reason, ...place }] } };
}

/** One service account and its access tokens. */
export class FakeTokens {
  /** The key file. */
  readonly key: string;
  readonly #options: FakeTokensOptions;
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  /** Access token -> time of expiry in Unix seconds. */
  readonly #tokens = new Map<string, number>();
  #given = 0;

  constructor(options: FakeTokensOptions) {
    this.#options = options;
    this.key = JSON.stringify({
      type: 'service_account',
      project_id: 'fake-project',
      private_key_id: KEY_ID,
      private_key: this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: CLIENT_EMAIL,
      client_id: '123456789012345678901',
      token_uri: AUDIENCE,
      ...options.keyMembers,
    });
  }

  expire(): void {
    this.#tokens.clear();
  }

  exchange(request: IncomingMessage, text: string): object {
    if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      throw new Refused(400, 'invalid_request', 'Bad Request');
    const form = new URLSearchParams(text);
    if (form.get('grant_type') !== GRANT_TYPE) throw new Refused(400, 'unsupported_grant_type', 'Invalid grant_type.');
    const claims = this.#verified(form.get('assertion') ?? '');
    const scopes = String(claims['scope'] ?? '').split(' ');
    if (!scopes.every((scope) => scope.startsWith('https://www.googleapis.com/auth/')))
      throw new Refused(400, 'invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    const seconds = this.#options.tokenSeconds ?? 3599;
    const token = `ya29.c.fake-${++this.#given}`;
    if (scopes.some((scope) => DRIVE_SCOPES.includes(scope))) this.#tokens.set(token, this.#now() + seconds);
    return { access_token: token, expires_in: seconds, token_type: 'Bearer' };
  }

  authorize(request: IncomingMessage): void {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if ((this.#tokens.get(token) ?? 0) <= this.#now())
      throw new Refused(401, 'authError', 'Invalid Credentials', 'Authorization');
  }

  #verified(assertion: string): Record<string, unknown> {
    const [header = '', payload = '', signature = ''] = assertion.split('.');
    const head = decode(header);
    const claims = decode(payload);
    const invalid = (message: string): Refused => new Refused(400, 'invalid_grant', message);
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${payload}`),
      this.#keys.publicKey,
      Buffer.from(signature, 'base64url'),
    );
    if (head['alg'] !== 'RS256' || !isSigned || (head['kid'] !== undefined && head['kid'] !== KEY_ID))
      throw invalid('Invalid JWT Signature.');
    if (claims['iss'] !== CLIENT_EMAIL) throw invalid('Invalid grant: account not found');
    if (claims['aud'] !== AUDIENCE) throw invalid('Invalid JWT: Failed audience check.');
    const [iat, exp, now] = [Number(claims['iat']), Number(claims['exp']), this.#now()];
    if (!(iat <= now + CLOCK_SKEW_SECONDS && exp > now && exp > iat && exp - iat <= 3600))
      throw invalid('Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.');
    return claims;
  }

  #now(): number {
    return Math.floor((this.#options.now?.() ?? new Date()).getTime() / 1000);
  }
}

function decode(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return {};
  }
}
