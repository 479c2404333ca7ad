/** The Prefer header (RFC 7240): how long a caller is willing to wait. */

/** Preferences of a caller. Others in a Prefer header are ignored, as the RFC asks. */
export interface Preference {
  /** Milliseconds to wait for the result; undefined: until it is there. */
  readonly waitMs: number | undefined;
  /** The preferences that are honoured, for Preference-Applied. */
  readonly applied: string | undefined;
}

/** The longest wait that a timer can be set to, in whole seconds: 24 days. */
const MAX_WAIT_S = 2_147_483;

/**
 * Reads the header. `respond-async` alone means not to wait; with `wait=N` the RFC has it mean to
 * wait N seconds and then answer asynchronously, which `wait=N` means here anyway.
 */
export function parsePrefer(header: string | undefined): Preference {
  let respondAsync = false;
  let waitS: number | undefined;
  for (const entry of splitList(header ?? '')) {
    const [name = '', value = ''] = (entry.split(';')[0] ?? '').split('=', 2);
    const token = name.trim().toLowerCase();
    const text = value.trim().replace(/^"(.*)"$/, '$1');
    if (token === 'respond-async') respondAsync = true;
    // Of a preference given twice the first counts (RFC 7240, section 2).
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

/** The entries of a header's list; a comma inside quotes does not end one. */
function splitList(header: string): readonly string[] {
  return header.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
}
