/** Angles as people write them: numbers, and products and quotients with pi. */

/**
 * Reads an angle such as `0.3`, `pi/2`, `-3*pi/4`, `2pi` or `1.5π`.
 *
 * @returns Radians; undefined if the text is no angle.
 */
export function readAngle(text: string): number | undefined {
  const compact = text.replace(/\s+/g, '').replaceAll('π', 'pi').replaceAll('−', '-').toLowerCase();
  const match =
    /^([+-]?)(?:(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?)?(\*?pi)?(?:\/(\d+(?:\.\d+)?))?$/.exec(compact);
  if (match === null) return undefined;
  const [, sign, digits, exponent = '', pi, divisor] = match;
  if (digits === undefined && (pi === undefined || pi.startsWith('*'))) return undefined;
  const size = digits === undefined ? 1 : Number(`${digits}${exponent}`);
  const value = (size * (pi === undefined ? 1 : Math.PI)) / Number(divisor ?? 1);
  if (!Number.isFinite(value)) return undefined;
  return sign === '-' ? -value : value;
}

const DENOMINATORS = [1, 2, 3, 4, 6, 8, 12, 16] as const;

/** Writes an angle, as a fraction of π if it is a simple one, or with so many decimals. */
export function writeAngle(radians: number, decimals = 3): string {
  if (radians === 0) return '0';
  for (const denominator of DENOMINATORS) {
    const numerator = (radians * denominator) / Math.PI;
    const whole = Math.round(numerator);
    if (whole === 0 || Math.abs(numerator - whole) > 1e-9 || Math.abs(whole) > 32) continue;
    const sign = whole < 0 ? '−' : '';
    const size = Math.abs(whole) === 1 ? '' : Math.abs(whole);
    return `${sign}${size}π${denominator === 1 ? '' : `/${denominator}`}`;
  }
  return radians.toFixed(decimals).replace('-', '−');
}
