/**
 * Product formulas for exp(−i·t·H), H a sum of terms: the order in which the exponentials of the terms are applied, and
 * for how long.
 *
 * @see Suzuki, "General theory of fractal path integrals", J. Math. Phys. 32, 400 (1991).
 */

/** Orders of formulas: Lie and Trotter's, the symmetric one, and Suzuki's of fourth order. */
export const FORMULA_ORDERS = [1, 2, 4] as const;

/** Order of a formula. */
export type FormulaOrder = (typeof FORMULA_ORDERS)[number];

/** The exponential of one term. */
export interface Stage {
  readonly term: number;
  /** Time of the exponential as a part of the time of the formula; negative in a formula of fourth order. */
  readonly part: number;
}

/** Steps of a formula as lists of stages: `first`, then `inner` a number of times, then `last`. */
export interface FormulaSteps {
  readonly first: readonly Stage[];
  readonly inner: readonly Stage[];
  /** Number of times that `inner` follows. */
  readonly numInner: number;
  readonly last: readonly Stage[];
}

/** Part of each of the four outer factors of the formula of fourth order. */
const OUTER = 1 / (4 - 4 ** (1 / 3));

/** Parts of the symmetric formulas that a formula of second or fourth order is a product of. */
const symmetricParts = (order: 2 | 4): readonly number[] =>
  order === 2 ? [1] : [OUTER, OUTER, 1 - 4 * OUTER, OUTER, OUTER];

/** Stages of one step, in the order in which they are applied. None are merged. */
export function stagesOf(order: FormulaOrder, numTerms: number): readonly Stage[] {
  const forth = Array.from({ length: numTerms }, (_, term) => term);
  if (order === 1) return forth.map((term) => ({ term, part: 1 }));
  const both = [...forth, ...forth.toReversed()];
  return symmetricParts(order).flatMap((whole) => both.map((term) => ({ term, part: whole / 2 })));
}

/** Steps of a formula, with neighbouring exponentials of the same term as one. Times are parts of the whole time. */
export function formulaSteps(order: FormulaOrder, numTerms: number, steps: number): FormulaSteps {
  const step = merged(
    stagesOf(order, numTerms).map(({ term, part }) => ({ term, part: part / steps })),
  );
  const [head, tail] = [step[0]!, step.at(-1)!];
  if (steps === 1 || step.length === 1 || head.term !== tail.term) {
    return { first: step, inner: step, numInner: steps - 1, last: [] };
  }
  // The last exponential of a step and the first one of the next are one.
  const body = step.slice(1, -1);
  const joint = { term: head.term, part: head.part + tail.part };
  return {
    first: [head, ...body],
    inner: [joint, ...body],
    numInner: steps - 1,
    last: [tail],
  };
}

function merged(stages: readonly Stage[]): readonly Stage[] {
  const out: Stage[] = [];
  for (const stage of stages) {
    const before = out.at(-1);
    if (before?.term !== stage.term) out.push(stage);
    else out[out.length - 1] = { term: stage.term, part: before.part + stage.part };
  }
  return out;
}
