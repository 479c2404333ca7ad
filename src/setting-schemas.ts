/** Kinds of settings: from the text of an environment variable to its value, faults in plain words. */
import { z } from 'zod';

/** A text of the pattern, without the spaces around it. */
export const matching = (pattern: RegExp, error: string) =>
  z.string().trim().regex(pattern, { error });

/** A whole number in decimal digits. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d+$/, { error: `must be a whole number from ${min} to ${max}`, abort: true })
    .transform(Number)
    .pipe(
      z
        .number()
        .min(min, { error: `must be at least ${min}` })
        .max(max, { error: `must be at most ${max}` }),
    );

/** A duration in whole seconds; the value is in milliseconds. */
export const seconds = (min: number, max: number) =>
  integer(min, max).transform((value) => value * 1000);

export const MIB = 1024 * 1024;

/** A size in whole mebibytes; the value is in bytes. */
export const mebibytes = (min: number, max: number) =>
  integer(min, max).transform((value) => value * MIB);

/** One of the words. */
export const choice = <const T extends readonly [string, ...string[]]>(options: T) =>
  z.enum(options, { error: `must be one of ${options.join(', ')}` });

/** A key or token. */
export const secret = matching(
  /^[\x21-\x7e]{1,4096}$/,
  'must be 1 to 4096 visible ASCII characters, without spaces',
);

/** `1` or `0`. */
export const flag = z
  .enum(['0', '1'], { error: 'must be 0 or 1' })
  .transform((value) => value === '1');

/** Numbers of nodes of the fleet, 0 to 5, separated by commas: distinct, in ascending order. */
export const fleetNodeList = z
  .string()
  .trim()
  .regex(/^[0-5](?:\s*,\s*[0-5])*$/, {
    error: 'must be numbers from 0 to 5, separated by commas',
    abort: true,
  })
  .transform((value) => [...new Set(value.split(',').map(Number))].sort((a, b) => a - b));

/** Entries separated by commas, trimmed and without empty ones. */
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

/** Some of the words, each once, separated by commas; or `none` alone. */
export const wordListOrNone = <const T extends readonly [string, ...string[]]>(words: T) =>
  list
    .transform((given) => (given.join() === 'none' ? [] : given))
    .pipe(z.array(z.enum(words, { error: `must be some of ${words.join(', ')}, or none` })))
    .transform((given) => [...new Set(given)]);

/** IP addresses and CIDR ranges, separated by commas. */
export const addressList = list.pipe(
  z.array(
    z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
      error: 'must be IP addresses or CIDR ranges, separated by commas',
    }),
  ),
);

/** Origins of web pages as browsers send them, separated by commas; or `*` alone. */
export const originList = list.pipe(
  z.array(z.string()).superRefine((origins, context) => {
    const fault =
      origins.length > 1 && origins.includes('*')
        ? 'must be * alone, or a list of origins'
        : origins.map(faultOfOrigin).find((each) => each !== undefined);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  }),
);

function faultOfOrigin(origin: string): string | undefined {
  if (origin === '*') return undefined;
  const url = URL.parse(origin);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return 'must be origins such as https://app.example.com, separated by commas, or *';
  }
  if (url.hostname.includes('*')) return 'must name each origin; patterns are not taken';
  if (url.origin === origin) return undefined;
  return `must name an origin as browsers send it, here ${url.origin}`;
}

/** Base URL of an HTTP interface, without the slashes at its end. */
export const baseUrl = z
  .string()
  .trim()
  .superRefine((value, context) => {
    const fault = faultOfBaseUrl(value);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .transform((value) => new URL(value).href.replace(/\/+$/, ''));

function faultOfBaseUrl(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return 'must be an http or https URL, such as http://127.0.0.1:11434/v1';
  }
  // When the URL is joined with a path, they would be lost, or end up in logs and answers.
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (/[?#]/.test(value)) return 'must not have a query or fragment';
  return undefined;
}

/** URL of a PostgreSQL database, which may hold a password. */
export const postgresUrl = z
  .string()
  .trim()
  .superRefine((value, context) => {
    const url = URL.parse(value);
    if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
      context.addIssue({
        code: 'custom',
        message: 'must be a URL such as postgres://qcs@127.0.0.1:5432/qcs',
      });
    }
  });
