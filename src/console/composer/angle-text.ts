/** Angles as people write them: numbers, products and quotients with pi, degrees, and inputs. */

import type { GateAngle } from '../live-state/messages.ts';
import { plain } from '../numbers.ts';

/**
 * Reads an angle such as `0.3`, `pi/2`, `-3*pi/4`, `2pi`, `1.5π`, `90deg` or `90°`.
 *
 * @returns Radians; undefined if the text is no angle.
 */
export function readAngle(text: string): number | undefined {
  const compact = text.replace(/\s+/g, '').replaceAll('π', 'pi').replaceAll('−', '-').toLowerCase();
  const match =
    /^([+-]?)(?:(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?)?(\*?pi|deg|°)?(?:\/(\d+(?:\.\d+)?))?$/.exec(
      compact,
    );
  if (match === null) return undefined;
  const [, sign, digits, exponent = '', suffix, divisor] = match;
  if (digits === undefined && suffix !== 'pi') return undefined;
  const size = digits === undefined ? 1 : Number(`${digits}${exponent}`);
  const unit = suffix === undefined ? 1 : suffix.endsWith('pi') ? Math.PI : Math.PI / 180;
  const value = (size * unit) / Number(divisor ?? 1);
  if (!Number.isFinite(value)) return undefined;
  return sign === '-' ? -value : value;
}

/**
 * Reads an angle that may depend on an input, such as `a`, `-a` or `2*a + pi/4`.
 *
 * @returns Undefined if the text is no angle.
 */
export function readGateAngle(text: string): GateAngle | undefined {
  const value = readAngle(text);
  if (value !== undefined) return value;
  const match = /^\s*(?:(.*?)\s*[*·]\s*|([-−]))?([A-Za-z_]\w{0,30})\s*(?:([-+−])(.*))?$/.exec(text);
  const [, factor, minus, input, sign, rest] = match ?? [];
  if (input === undefined || input === 'pi') return undefined;
  const scale = factor === undefined ? (minus === undefined ? 1 : -1) : readAngle(factor);
  const size = rest === undefined ? 0 : readAngle(rest);
  if (scale === undefined || size === undefined) return undefined;
  const offset = sign === '+' ? size : -size;
  return { input, ...(scale !== 1 && { scale }), ...(size !== 0 && { offset }) };
}

/** Writes an angle that may depend on an input, so that it can be read. */
export function writeGateAngle(angle: GateAngle, decimals = 2): string {
  if (typeof angle === 'number') return writeAngle(angle, decimals);
  const { input, scale = 1, offset = 0 } = angle;
  const times = Number.isInteger(scale)
    ? `${scale}`.replace('-', '−')
    : writeAngle(scale, decimals);
  const factor = scale === 1 ? '' : scale === -1 ? '−' : `${times}·`;
  const rest = `${offset < 0 ? ' − ' : ' + '}${writeAngle(Math.abs(offset), decimals)}`;
  return `${factor}${input}${offset === 0 ? '' : rest}`;
}

const DENOMINATORS = [1, 2, 3, 4, 6, 8, 12, 16] as const;

/** Writes an angle, as a fraction of π if it is a simple one, or with `decimals` decimals. */
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
  return plain(radians, decimals);
}
