/**
 * An answer without what differs from run to run: ids, times and durations are placeholders, and numbers are rounded so
 * that another CPU, which may add or multiply in another order, has the same ones.
 */
import { isObject, type OrderedJson, type OrderedObject } from './ordered-json.ts';

/** How far a number is kept: significant digits, and digits after the point, below which all is a rounding error. */
interface Rounding {
  readonly digits: number;
  readonly decimals: number;
}

const DOUBLE: Rounding = { digits: 10, decimals: 12 };
/** Of answers that engines in single precision have computed. */
const SINGLE: Rounding = { digits: 4, decimals: 6 };

/** Fields whose whole value depends on when, where or after what a request was answered. */
const UNSTABLE: readonly string[] = [
  'devices',
  'vendor_job_id',
  'vendor_job_ids',
  'submitter_id',
  'creator_id',
];

/** Whether the engine had the circuit from before, which depends on the requests before this one. */
const REUSED = 'reused';

/** The answer as it is recorded. */
export function stableAnswer(answer: OrderedJson, keepsReuse = false): OrderedJson {
  const rounding = isSingle(answer) ? SINGLE : DOUBLE;
  return stable(answer, rounding, keepsReuse ? UNSTABLE : [...UNSTABLE, REUSED]);
}

function isSingle(value: OrderedJson): boolean {
  if (Array.isArray(value)) return value.some(isSingle);
  if (!isObject(value)) return false;
  return value.fields.some(([name, of]) =>
    name === 'precision' && of === 'f32' ? true : isSingle(of),
  );
}

function stable(value: OrderedJson, rounding: Rounding, unstable: readonly string[]): OrderedJson {
  if (typeof value === 'number') return rounded(value, rounding);
  if (typeof value === 'string') return stableText(value);
  if (Array.isArray(value)) return value.map((each) => stable(each, rounding, unstable));
  if (!isObject(value)) return value;
  const numbers = packedNumbers(value);
  const fields = value.fields.map(([name, of]): readonly [string, OrderedJson] => {
    if (unstable.includes(name)) return [name, `<${name}>`];
    if (/_ms$/.test(name) && typeof of === 'number') return [name, '<ms>'];
    if (name === 'data' && numbers !== undefined) return [name, stable(numbers, rounding, [])];
    return [stableText(name), stable(of, rounding, unstable)];
  });
  return { fields };
}

function rounded(value: number, { digits, decimals }: Rounding): number {
  if (Number.isInteger(value)) return value;
  return Number(Number(value.toPrecision(digits)).toFixed(decimals)) + 0;
}

/** The numbers of an array in base64; undefined for another object. */
function packedNumbers({ fields }: OrderedObject): OrderedJson | undefined {
  const { dtype, data } = Object.fromEntries(fields);
  if (dtype !== '<f8' || typeof data !== 'string') return undefined;
  const bytes = Uint8Array.from(Buffer.from(data, 'base64'));
  return Array.from(new Float64Array(bytes.buffer), (number) =>
    Number.isFinite(number) ? number : String(number),
  );
}

const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/\b(circ|batch|task|tpujob)_[0-9a-f]{32}(_[0-9a-z]{1,11})?\b/g, '$1_<id>'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/\bNode\.js \d+\.\d+\.\d+/g, 'Node.js <version>'],
];

/** Numbers of more digits than are kept. */
const LONG_NUMBER = /\b\d+\.\d{11,}(?:e-?\d+)?\b/g;

function stableText(text: string): string {
  const replaced = REPLACED.reduce((each, [pattern, by]) => each.replace(pattern, by), text);
  return replaced.replace(LONG_NUMBER, (number) => String(rounded(Number(number), DOUBLE)));
}
