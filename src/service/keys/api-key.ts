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

/** What a key may be allowed to do, in the order documents list them. */
export const SCOPES = ['read', 'circuits', 'agents', 'models', 'tpu', 'admin'] as const;
/** A scope. */
export type Scope = (typeof SCOPES)[number];

/** What a key gets when nothing is said: everything but administration. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'admin');

/** What is known of a key; the secret is not. Times are milliseconds since 1970 UTC. */
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
}

/** Whether the key is good at a time, milliseconds since 1970 UTC. */
export function isValidAt({ expiresAt = Infinity, revokedAt }: ApiKey, now: number): boolean {
  return revokedAt === undefined && now < expiresAt;
}

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const KEY_TEXT = /^qcs_([0-9a-f]{16})_([0-9a-f]{64})$/;

/** The two parts of a key text; undefined when it does not have the form of one. */
export function parseKeyText(text: string): { id: string; secret: string } | undefined {
  const match = KEY_TEXT.exec(text);
  const [, id, secret] = match ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** A new id and secret from the operating system's random source. */
export function drawKeyText(): { id: string; secretHash: string; text: string } {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { id, secretHash: hashSecret(secret), text: `qcs_${id}_${secret}` };
}

/** SHA-256, hex: all that is stored of a secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** A hash that no secret has: compared with where there is no key, so that it takes as long. */
const NO_HASH = '0'.repeat(64);

/**
 * Compares in a time that does not depend on where the hashes differ, nor on whether there is a key.
 *
 * @param secretHash - Undefined where no key has the id: then nothing matches.
 */
export function secretMatches(secret: string, secretHash: string | undefined): boolean {
  const expected = Buffer.from(secretHash ?? NO_HASH, 'hex');
  const found = hash('sha256', secret, 'buffer');
  const isEqual = expected.length === found.length && timingSafeEqual(expected, found);
  return isEqual && secretHash !== undefined;
}

/** Narrows a text to a scope. */
export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

/** Narrows a text to a tier. */
export function isTier(text: string): text is Tier {
  return TIERS.some((tier) => tier === text);
}
