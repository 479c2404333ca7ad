/** Describes values of a wrong type, and guesses their meaning. */

const MAX_SHOWN = 40;

/** Describes a value: `the string "pi/2"`, `a list`, `0.5`. */
export function foundText(value: unknown): string {
  if (typeof value === 'string') {
    return `the string ${JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)}`;
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  // JSON.parse reads a number that is too large for a double as infinity.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
    return 'one beyond the largest, 1.8e308';
  }
  return String(value);
}

/**
 * Suggests a correction, as the end of a sentence; empty where there is no good guess.
 *
 * @param kind - Expected kind, as kindOf() names it.
 */
export function insteadOf(value: unknown, kind: string): string {
  if (kind.split(' or ').some((each) => each.endsWith('number'))) return numberInsteadOf(value);
  if (kind === 'true or false' && /^(true|false)$/i.test(String(value))) {
    return `; write ${String(value).toLowerCase()} without quotation marks`;
  }
  if (kind === 'a list' && typeof value !== 'object') return `; write [${JSON.stringify(value)}]`;
  if (kind === 'a string' && typeof value === 'number') return `; write "${value}"`;
  if (kind === 'a string' && Array.isArray(value)) return '; give one value';
  return '';
}

function numberInsteadOf(value: unknown): string {
  if (Array.isArray(value) && value.length === 1 && typeof value[0] === 'number') {
    return `; write ${value[0]}`;
  }
  // Nobody writes a number this long, and the patterns below may backtrack on long texts.
  if (typeof value !== 'string' || value.length > MAX_SHOWN) return '';
  if (value.trim() !== '' && Number.isFinite(Number(value))) {
    return `; write ${Number(value)} without quotation marks`;
  }
  const degrees = /^\s*([-+]?[\d.]+)\s*(?:°|deg|degrees?)\s*$/i.exec(value)?.[1];
  if (degrees !== undefined && Number.isFinite(Number(degrees))) {
    const angle = (Number(degrees) * Math.PI) / 180;
    return `; angles are in radians, and ${degrees} degrees are ${angle}`;
  }
  const angle = angleText(value);
  return angle === undefined ? '' : `; ${angle}`;
}

/** Suggests the number for a multiple of π such as `pi/2`; undefined for any other text. */
export function angleText(text: string): string | undefined {
  const angle = text.length > MAX_SHOWN ? undefined : multipleOfPi(text);
  return angle === undefined ? undefined : `write ${text.trim()} as a number in radians, ${angle}`;
}

/** Matches `pi/2`, `-3*pi/4`, `2π`, `np.pi`. */
const PI =
  /^([-+]?)(?:([\d.]+)\s*\*?\s*)?(?:\w+\.)?(?:pi|π)(?:\s*\*\s*([\d.]+))?(?:\s*\/\s*([\d.]+))?$/i;

function multipleOfPi(text: string): number | undefined {
  const match = PI.exec(text.trim());
  if (match === null) return undefined;
  const [, sign, before = '1', after = '1', divisor = '1'] = match;
  const value = (Number(before) * Number(after) * Math.PI) / Number(divisor);
  if (!Number.isFinite(value)) return undefined;
  return sign === '-' ? -value : value;
}
