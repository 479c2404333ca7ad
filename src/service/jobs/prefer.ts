/** Prefer header (RFC 7240): how long a caller waits for a result. */

/** Preferences of a caller. Other preferences in the header are ignored, as the RFC requires. */
export interface Preference {
  /** Milliseconds to wait for the result; undefined means until it is available. */
  readonly waitMs: number | undefined;
  /** Honoured preferences, for Preference-Applied. */
  readonly applied: string | undefined;
}

/** Longest wait that a timer supports, in whole seconds: 24 days. */
const MAX_WAIT_S = 2_147_483;

/**
 * Parses the header. `respond-async` alone means not to wait. Together with `wait=N` it means to wait N
 * seconds and then answer asynchronously, which `wait=N` alone means here too.
 */
export function parsePrefer(header: string | undefined): Preference {
  let respondAsync = false;
  let waitS: number | undefined;
  for (const entry of splitList(header ?? '')) {
    const [name = '', value = ''] = (entry.split(';')[0] ?? '').split('=', 2);
    const token = name.trim().toLowerCase();
    const text = value.trim().replace(/^"(.*)"$/, '$1');
    if (token === 'respond-async') respondAsync = true;
    // If a preference is repeated, the first counts (RFC 7240, section 2).
    if (token === 'wait' && waitS === undefined && /^\d{1,15}$/.test(text)) waitS = Number(text);
  }
  const applied = [
    ...(respondAsync ? ['respond-async'] : []),
    ...(waitS === undefined ? [] : [`wait=${waitS}`]),
  ];
  const seconds = waitS ?? (respondAsync ? 0 : undefined);
  return {
    waitMs: seconds === undefined ? undefined : Math.min(seconds, MAX_WAIT_S) * 1000,
    applied: applied.length === 0 ? undefined : applied.join(', '),
  };
}

/** Splits a header's list at commas outside quotes. */
function splitList(header: string): readonly string[] {
  return header.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
}
