/**
 * Factors permutations of the basis states of at most three qubits into X, CX and CCX on few targets, and
 * SWAPs.
 *
 * Each factor flips one bit where a function of the others is 1. As a sum of products (its algebraic normal
 * form), such a function is one X, CX or CCX for each product. The controls stay controls, which a matrix on
 * three targets would lose.
 */

/** An X with controls, or a SWAP; numbers are bits of the basis index. */
export interface PermutationGate {
  readonly base: 'X' | 'SWAP';
  readonly controls: readonly number[];
  readonly targets: readonly number[];
}

/** Gates in order, and their cost. */
export interface Factors {
  readonly gates: readonly PermutationGate[];
  readonly cost: number;
}

interface Factor extends Factors {
  /** Each factor is its own inverse. */
  readonly rows: readonly number[];
}

/** Cost of an X with any controls. A phase costs 1; a SWAP is relabelling. */
const X_COST = 2;
const SWAP_COST = 0.5;
const MAX_FACTORS = 3;
const NOTHING: Factors = { gates: [], cost: 0 };

/**
 * Returns the gates of the permutation |j⟩ → |rows[j]⟩; undefined if it needs more than three factors.
 *
 * @param rows - Images of 8 basis states.
 * @param numBits - Bits used; the permutation must keep the others.
 */
export function permutationFactors(rows: readonly number[], numBits: number): Factors | undefined {
  const key = keyOf(rows);
  const known = factorings[numBits]!;
  if (!known.has(key)) known.set(key, factorsWithin(MAX_FACTORS, rows, numBits));
  return known.get(key);
}

const factorings = Array.from({ length: 4 }, () => new Map<number, Factors | undefined>());

function factorsWithin(
  numFactors: number,
  rows: readonly number[],
  numBits: number,
): Factors | undefined {
  if (rows.every((row, j) => row === j)) return NOTHING;
  const { list, byKey } = factorsOn[numBits]!;
  if (numFactors === 1) return byKey.get(keyOf(rows));
  let best = factorsWithin(numFactors - 1, rows, numBits);
  if (best !== undefined) return best;
  for (const first of list) {
    // Remaining permutation after the first factor, which is its own inverse.
    const left = first.rows.map((row) => rows[row]!);
    const rest = factorsWithin(numFactors - 1, left, numBits);
    const cost = first.cost + (rest?.cost ?? Number.POSITIVE_INFINITY);
    if (rest !== undefined && cost < (best?.cost ?? Number.POSITIVE_INFINITY)) {
      best = { gates: [...first.gates, ...rest.gates], cost };
    }
  }
  return best;
}

/** Number whose octal digits are the rows. */
function keyOf(rows: readonly number[]): number {
  return rows.reduce((key, row) => 8 * key + row, 0);
}

/** All factors on 0 to 3 bits. */
const factorsOn = [0, 1, 2, 3].map((numBits) => {
  const list: Factor[] = [];
  for (let target = 0; target < numBits; target++) {
    const others = [0, 1, 2].filter((bit) => bit !== target && bit < numBits);
    const products = subsetsOf(others);
    for (const controls of subsetsOf(products)) {
      if (controls.length > 0) list.push(flips(target, controls));
    }
    for (const other of others) if (other < target) list.push(swap(other, target));
  }
  return { list, byKey: new Map(list.map((factor) => [keyOf(factor.rows), factor])) };
});

/** Flips a bit once for each product that is 1. */
function flips(target: number, products: readonly (readonly number[])[]): Factor {
  const rows = Array.from({ length: 8 }, (_, j) =>
    products.reduce(
      (row, bits) => (bits.every((bit) => (j >> bit) & 1) ? row ^ (1 << target) : row),
      j,
    ),
  );
  const gates = products.map((controls) => ({ base: 'X' as const, controls, targets: [target] }));
  return { rows, gates, cost: X_COST * gates.length };
}

function swap(a: number, b: number): Factor {
  const rows = Array.from({ length: 8 }, (_, j) => {
    const differ = ((j >> a) ^ (j >> b)) & 1;
    return differ === 0 ? j : j ^ (1 << a) ^ (1 << b);
  });
  return { rows, gates: [{ base: 'SWAP', controls: [], targets: [a, b] }], cost: SWAP_COST };
}

function subsetsOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: 2 ** items.length }, (_, mask) =>
    items.filter((_item, i) => (mask >> i) & 1),
  );
}
