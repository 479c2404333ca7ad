/**
 * What an API key is: a public id and a secret in one text, `qcs_<id>_<secret>`.
 *
 * The id finds the record, so that only one hash is compared; the secret has 256 random bits, so
 * that a plain SHA-256 of it is enough (slow password hashes protect guessable secrets).
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Decides the rate limit and whether priority `high` takes effect. */
export const TIERS = ['standard', 'enterprise'] as const;
/** A tier. */
export type Tier = (typeof TIERS)[number];

/** Scopes of keys, in the order in which documents list them. */
export const SCOPES = ['read', 'circuits', 'agents', 'models', 'tpu', 'admin'] as const;
/** A scope. */
export type Scope = (typeof SCOPES)[number];

/** Scopes of a key unless given: all but administration. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'admin');

/** Seconds for which a key's secret is accepted after a rotation, where none are named: a day. */
export const DEFAULT_GRACE_S = 24 * 60 * 60;
/** The most that may be named: 30 days. */
export const MAX_GRACE_S = 30 * 24 * 60 * 60;

/** An API key without its secret. Times are milliseconds since 1970 UTC. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  /** From then on it is not valid; absent if it never expires. */
  readonly expiresAt?: number;
  /** Present once revoked. */
  readonly revokedAt?: number;
  /** Until then the secret before the last rotation is accepted too; absent if there was no rotation. */
  readonly oldSecretUntil?: number;
}

/** Whether the key is good at a time, milliseconds since 1970 UTC. */
export function isValidAt({ expiresAt = Infinity, revokedAt }: ApiKey, now: number): boolean {
  return revokedAt === undefined && now < expiresAt;
}

const ID_BYTES = 8;
const SECRET_BYTES = 32;
/** Characters of a key's text. */
export const KEY_LENGTH = 'qcs_'.length + 2 * ID_BYTES + 1 + 2 * SECRET_BYTES;
const KEY_TEXT = /^qcs_([0-9a-f]{16})_([0-9a-f]{64})$/;

/** The two parts of a key text; undefined when it does not have the form of one. */
export function parseKeyText(text: string): { id: string; secret: string } | undefined {
  const match = KEY_TEXT.exec(text);
  const [, id, secret] = match ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/**
 * A new secret from the operating system's random source.
 *
 * @param id - Of the key that is to have it; by default a new one.
 */
export function drawKeyText(id = randomBytes(ID_BYTES).toString('hex')): {
  id: string;
  secretHash: string;
  text: string;
} {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { id, secretHash: hashSecret(secret), text: `qcs_${id}_${secret}` };
}

/** SHA-256, hex: all that is stored of a secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** A hash that no secret has: compared with where there is no key, so that it takes as long. */
const NO_HASH = '0'.repeat(64);

/** The hashes of a key's secrets. */
export interface SecretHashes {
  readonly current: string;
  /** End of the secret before the last rotation. */
  readonly old: string | undefined;
}

/**
 * Which of a key's secrets a text is; undefined if it is neither. It takes a time that does not depend on
 * where the hashes differ, on how many there are, nor on whether there is a key.
 *
 * @param hashes - Undefined where no key has the id: then nothing matches.
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
