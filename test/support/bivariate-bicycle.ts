/**
 * Memory experiments of bivariate bicycle codes in Stim's format, from their polynomials: rounds of noise on the data
 * qubits and of Z checks with wrong outcomes.
 *
 * @see Bravyi & others, "High-threshold and low-overhead fault-tolerant quantum memory", 2024, section 4.
 */

/** A term x^a·y^b. */
type Term = readonly [number, number];

/** A code on the torus of l times m: the checks are (A | B) for X and (Bᵀ | Aᵀ) for Z. */
export interface BicycleCode {
  readonly l: number;
  readonly m: number;
  readonly a: readonly Term[];
  readonly b: readonly Term[];
}

/** The code [[72, 12, 6]]. */
export const GROSS_72: BicycleCode = {
  l: 6,
  m: 6,
  a: [
    [3, 0],
    [0, 1],
    [0, 2],
  ],
  b: [
    [0, 3],
    [1, 0],
    [2, 0],
  ],
};

/** Rows of a matrix of bits, as numbers of 2^qubit. */
type Rows = readonly bigint[];

function checks({ l, m, a, b }: BicycleCode): { readonly x: Rows; readonly z: Rows } {
  const place = (i: number, j: number) => ((i + l) % l) * m + ((j + m) % m);
  const row = (i: number, j: number, left: readonly Term[], right: readonly Term[], sign: number) =>
    [left, right].reduce(
      (bits, terms, half) =>
        terms.reduce(
          (sum, [p, q]) => sum ^ (1n << BigInt(half * l * m + place(i + sign * p, j + sign * q))),
          bits,
        ),
      0n,
    );
  const sites = Array.from({ length: l * m }, (_, k) => [Math.floor(k / m), k % m] as const);
  return {
    x: sites.map(([i, j]) => row(i, j, a, b, 1)),
    z: sites.map(([i, j]) => row(i, j, b, a, -1)),
  };
}

/** Adds rows to a row until their highest bits are gone from it. */
const reduced = (row: bigint, byHighest: ReadonlyMap<number, bigint>): bigint => {
  let rest = row;
  for (let bit = rest.toString(2).length - 1; bit >= 0; bit--) {
    if (((rest >> BigInt(bit)) & 1n) === 1n) rest ^= byHighest.get(bit) ?? 0n;
  }
  return rest;
};

/** Rows that are independent of each other and of some others. */
function independent(rows: Rows, others: Rows): Rows {
  const byHighest = new Map<number, bigint>();
  const add = (row: bigint): boolean => {
    const rest = reduced(row, byHighest);
    if (rest !== 0n) byHighest.set(rest.toString(2).length - 1, rest);
    return rest !== 0n;
  };
  for (const row of others) add(row);
  return rows.filter(add);
}

/** Strings that have an even number of bits in common with every row. */
function kernel(rows: Rows, numColumns: number): Rows {
  // Columns with a mark each; sums of columns that are 0 leave their marks.
  const byHighest = new Map<number, readonly [bigint, bigint]>();
  const found: bigint[] = [];
  for (let column = 0; column < numColumns; column++) {
    let bits = rows.reduce(
      (sum, row, i) => sum | (((row >> BigInt(column)) & 1n) << BigInt(i)),
      0n,
    );
    let marks = 1n << BigInt(column);
    while (bits !== 0n) {
      const highest = bits.toString(2).length - 1;
      const known = byHighest.get(highest);
      if (known === undefined) {
        byHighest.set(highest, [bits, marks]);
        break;
      }
      bits ^= known[0];
      marks ^= known[1];
    }
    if (bits === 0n) found.push(marks);
  }
  return found;
}

const qubitsOf = (row: bigint): readonly number[] =>
  [...row.toString(2)].reverse().flatMap((digit, qubit) => (digit === '1' ? [qubit] : []));

/** A memory experiment in the Z basis. */
export function bicycleMemory(code: BicycleCode, rounds: number, p: number): string {
  const numQubits = 2 * code.l * code.m;
  const { x, z } = checks(code);
  const numChecks = z.length;
  const data = Array.from({ length: numQubits }, (_, qubit) => qubit).join(' ');
  const products = z.map((row) =>
    qubitsOf(row)
      .map((qubit) => `Z${qubit}`)
      .join('*'),
  );
  const lines = [`R ${data}`];
  for (let round = 0; round < rounds; round++) {
    lines.push(`DEPOLARIZE1(${p}) ${data}`, `MPP(${p}) ${products.join(' ')}`);
    for (let check = 0; check < numChecks; check++) {
      const now = `rec[${check - numChecks}]`;
      lines.push(`DETECTOR ${now}${round === 0 ? '' : ` rec[${check - 2 * numChecks}]`}`);
    }
  }
  lines.push(`DEPOLARIZE1(${p}) ${data}`, `M ${data}`);
  const ofData = (row: bigint) => qubitsOf(row).map((qubit) => `rec[${qubit - numQubits}]`);
  for (const [check, row] of z.entries()) {
    lines.push(`DETECTOR rec[${check - numChecks - numQubits}] ${ofData(row).join(' ')}`);
  }
  for (const [i, row] of independent(kernel(x, numQubits), z).entries()) {
    lines.push(`OBSERVABLE_INCLUDE(${i}) ${ofData(row).join(' ')}`);
  }
  return lines.join('\n');
}
