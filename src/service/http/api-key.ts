/**
 * Format of an API key: a public id and a secret in one text, `qcs_<id>_<secret>`.
 *
 * The id finds the record, so only one hash is compared. The secret has 256 random bits, so a plain SHA-256
 * is enough; slow password hashes protect secrets that can be guessed.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Tiers of keys. They determine the rate limit and whether priority `high` takes effect. */
export const TIERS = ['standard', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** Scopes of keys, in the order in which documents list them. */
export const SCOPES = ['read', 'circuits', 'agents', 'models', 'tpu', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Default scopes of a key: all except administration. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'admin');

/** Default time for which the old secret is accepted after a rotation, seconds: one day. */
export const DEFAULT_GRACE_S = 24 * 60 * 60;
/** Greatest such time: 30 days. */
export const MAX_GRACE_S = 30 * 24 * 60 * 60;

/** An API key without its secret. Times are milliseconds since 1970 UTC. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  /** Time from which the key is invalid; absent if it never expires. */
  readonly expiresAt?: number;
  /** Time of revocation; absent if not revoked. */
  readonly revokedAt?: number;
  /** Time until which the secret before the last rotation is accepted; absent without a rotation. */
  readonly oldSecretUntil?: number;
}

/** True if the key is valid at a time, milliseconds since 1970 UTC. */
export function isValidAt({ expiresAt = Infinity, revokedAt }: ApiKey, now: number): boolean {
  return revokedAt === undefined && now < expiresAt;
}

const ID_BYTES = 8;
const SECRET_BYTES = 32;
/** Length of a key's text, characters. */
export const KEY_LENGTH = 'qcs_'.length + 2 * ID_BYTES + 1 + 2 * SECRET_BYTES;
const KEY_TEXT = /^qcs_([0-9a-f]{16})_([0-9a-f]{64})$/;

/** Splits a key text into its parts; undefined if it is malformed. */
export function parseKeyText(text: string): { id: string; secret: string } | undefined {
  const match = KEY_TEXT.exec(text);
  const [, id, secret] = match ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/**
 * Draws a new secret from the operating system's random source.
 *
 * @param id - Id of the key that gets it; a new one by default.
 */
export function drawKeyText(id = randomBytes(ID_BYTES).toString('hex')): {
  id: string;
  secretHash: string;
  text: string;
} {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { id, secretHash: hashSecret(secret), text: `qcs_${id}_${secret}` };
}

/** SHA-256 of a secret, hex; nothing else of a secret is stored. */
function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** Hash that no secret has. It is compared if there is no key, so that the lookup takes the same time. */
const NO_HASH = '0'.repeat(64);

/** Hashes of a key's secrets. */
export interface SecretHashes {
  readonly current: string;
  /** Hash of the secret before the last rotation. */
  readonly old: string | undefined;
}

/**
 * Says which secret of a key a text is; undefined if neither. The time taken does not depend on where the
 * hashes differ, on their number, or on whether the key exists.
 *
 * @param hashes - Undefined if no key has the id; then nothing matches.
 */
export function matchSecret(
  secret: string,
  hashes: SecretHashes | undefined,
): keyof SecretHashes | undefined {
  const found = hash('sha256', secret, 'buffer');
  const isCurrent = isHash(found, hashes?.current);
  const isOld = isHash(found, hashes?.old);
  if (isCurrent) return 'current';
  return isOld ? 'old' : undefined;
}

function isHash(found: Buffer, expectedHex: string | undefined): boolean {
  const expected = Buffer.from(expectedHex ?? NO_HASH, 'hex');
  const isEqual = expected.length === found.length && timingSafeEqual(expected, found);
  return isEqual && expectedHex !== undefined;
}

/** Narrows a text to a scope. */
export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

/** Narrows a text to a tier. */
export function isTier(text: string): text is Tier {
  return TIERS.some((tier) => tier === text);
}
