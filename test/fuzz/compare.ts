/** Comparisons of answers with exact values. Each gives what differs, in words, or undefined. */
import type { Complex } from './matrices.ts';

/** Chance that counts of the right distribution are called wrong. */
const FALSE_ALARM = 1e-9;
/** Outcomes expected less often than this are taken together. */
const LEAST_EXPECTED = 5;
const IMPOSSIBLE = 1e-12;

/** Numbers that are to be equal within a tolerance. */
export function differs(
  name: string,
  got: unknown,
  expected: unknown,
  tolerance: number,
): string | undefined {
  if (typeof expected === 'number') {
    const isNear = typeof got === 'number' && Math.abs(got - expected) <= tolerance;
    return isNear ? undefined : `${name} is ${JSON.stringify(got)}, not ${expected}`;
  }
  const keys = Object.keys(expected as object);
  if (typeof got !== 'object' || got === null || Object.keys(got).length !== keys.length) {
    return `${name} is ${JSON.stringify(got)?.slice(0, 200)}, not ${JSON.stringify(expected).slice(0, 200)}`;
  }
  for (const key of keys) {
    const [a, b] = [got, expected].map((each) => (each as Record<string, unknown>)[key]);
    const found = differs(`${name}[${key}]`, a, b, tolerance);
    if (found) return found;
  }
  return undefined;
}

/** Probabilities by label; zeros may be left out. */
export function probabilitiesDiffer(
  got: Readonly<Record<string, number>>,
  exact: ReadonlyMap<string, number>,
  tolerance: number,
): string | undefined {
  for (const label of new Set([...Object.keys(got), ...exact.keys()])) {
    const [a, b] = [got[label] ?? 0, exact.get(label) ?? 0];
    if (!(Math.abs(a - b) <= tolerance)) return `probability of ${label} is ${a}, not ${b}`;
  }
  return undefined;
}

/** Counts against the exact distribution: their sum, outcomes that cannot be, and Pearson's test. */
export function countsDiffer(
  counts: Readonly<Record<string, number>>,
  exact: ReadonlyMap<string, number>,
  shots: number,
): string | undefined {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total !== shots) return `counts sum to ${total}, not ${shots}`;
  const cells: [number, number][] = [];
  const rare: [number, number] = [0, 0];
  for (const label of Object.keys(counts)) {
    if ((exact.get(label) ?? 0) < IMPOSSIBLE) return `outcome ${label} occurred and is impossible`;
  }
  for (const [label, probability] of exact) {
    const expected = probability * shots;
    const cell = expected < LEAST_EXPECTED ? rare : [0, 0];
    cell[0]! += counts[label] ?? 0;
    cell[1]! += expected;
    if (cell !== rare) cells.push(cell as [number, number]);
  }
  // Fewer than five together are too few for the test; their number may still be absurd.
  if (rare[1] >= LEAST_EXPECTED) cells.push(rare);
  else if (rare[0] > 40) return `${rare[0]} rare outcomes where ${rare[1]} are expected`;
  if (cells.length < 2) return undefined;
  const statistic = cells.reduce((sum, [o, e]) => sum + (o - e) ** 2 / e, 0);
  const chance = chiSquaredTail(statistic, cells.length - 1);
  if (chance >= FALSE_ALARM) return undefined;
  const [o, e] = cells.reduce((a, b) =>
    (a[0] - a[1]) ** 2 / a[1] > (b[0] - b[1]) ** 2 / b[1] ? a : b,
  );
  return `counts have chance ${chance.toExponential(1)}: ${o} where ${e.toFixed(1)} are expected`;
}

/** Labels shot by shot, counted. */
export function counted(memory: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const label of memory) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

/** Amplitudes as the service writes them. */
export function pairs(entries: readonly Complex[]): number[][] {
  return entries.map(([re, im]) => [re, im]);
}

/** Probability that χ² of `df` degrees of freedom exceeds x: the incomplete gamma function Q(df/2, x/2). */
export function chiSquaredTail(x: number, df: number): number {
  const [a, y] = [df / 2, x / 2];
  if (y <= 0) return 1;
  const front = Math.exp(a * Math.log(y) - y - logGamma(a));
  if (y < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < 1000 && term > sum * 1e-16; n++) {
      term *= y / (a + n);
      sum += term;
    }
    return 1 - front * sum;
  }
  // Lentz's continued fraction.
  let b = y + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let n = 1; n < 1000; n++) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

/** ln Γ(a) by Stirling's series at a + 10. */
function logGamma(a: number): number {
  let shift = 0;
  for (let k = 0; k < 10; k++) shift += Math.log(a + k);
  const z = a + 10;
  const series = 1 / (12 * z) - 1 / (360 * z ** 3) + 1 / (1260 * z ** 5);
  return (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series - shift;
}
