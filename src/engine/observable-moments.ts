/**
 * Expectation values and variances of observables.
 *
 * The variance is ‖(O − ⟨O⟩)ψ‖²: close to an eigenstate the difference ⟨O²⟩ − ⟨O⟩² of two large
 * numbers would keep no digit. A multiple of one Pauli string P needs no second state, because
 * P² = 1.
 */
import { bitOf, type PauliSum } from '../circuit/observable.ts';
import { NoRoomForVarianceError } from './errors.ts';
import { groupPaulis } from './pauli-groups.ts';
import type { RunPlan } from './run-plan.ts';
import type { StateBudget } from './state-budget.ts';
import type { StateOperations } from './state-operations.ts';

const IDENTITY: PauliSum = [{ coefficient: 1, factors: [] }];

/** Values of each observable. */
export interface ObservableMoments {
  readonly expectations: readonly number[];
  readonly variances: readonly number[];
}

/**
 * The first two moments of each observable.
 *
 * @throws {NoRoomForVarianceError} if a sum needs a second state, and the budget allows one.
 */
export async function momentsOf<S>(
  { numQubits }: Pick<RunPlan, 'numQubits'>,
  { stateBytes, maxStates }: StateBudget,
  operations: StateOperations<S>,
  state: S,
  observables: readonly PauliSum[],
): Promise<ObservableMoments> {
  const shapes = observables.map(shapeOf);
  if (maxStates < 2 && shapes.some(({ kind }) => kind === 'sum')) {
    throw new NoRoomForVarianceError(numQubits, stateBytes);
  }
  const values = await operations.expectations(state, [...observables, IDENTITY]);
  const expectations = values.slice(0, -1);
  // Rounding leaves a norm that is not quite 1, which would show where a variance is 0.
  const norm = values.at(-1)!;
  const variances: number[] = [];
  for (const [i, shape] of shapes.entries()) {
    const mean = expectations[i]! / norm;
    variances.push(
      shape.kind === 'sum'
        ? await varianceOfSum(operations, state, observables[i]!, mean, norm)
        : varianceOfString(shape, mean),
    );
  }
  return { expectations, variances };
}

async function varianceOfSum<S>(
  operations: StateOperations<S>,
  state: S,
  observable: PauliSum,
  mean: number,
  norm: number,
): Promise<number> {
  const image = operations.create();
  try {
    const deviation = [...observable, { coefficient: -mean, factors: [] }];
    await operations.applyObservable(state, deviation, image);
    const [square] = await operations.expectations(image, [IDENTITY]);
    return Math.max(0, square! / norm);
  } finally {
    operations.release(image);
  }
}

/** offset + factor · P, or a sum of several strings. */
export type ObservableShape =
  | { readonly kind: 'string'; readonly offset: number; readonly factor: number }
  | { readonly kind: 'sum' };

/** Whether an observable is a multiple of one string, apart from multiples of the identity. */
export function shapeOf(observable: PauliSum): ObservableShape {
  const { groups, observables } = groupPaulis([observable], bitOf);
  const { strings, weights } = observables[0]!;
  const identity = groups.find(({ flips, signs }) => flips === 0 && signs.includes(0));
  const identityString =
    identity === undefined ? undefined : identity.firstString + identity.signs.indexOf(0);
  let [offset, factor, numStrings] = [0, 0, 0];
  for (const [i, weight] of weights.entries()) {
    if (strings[i] === identityString) offset = weight;
    else if (weight !== 0) {
      factor = weight;
      numStrings++;
    }
  }
  return numStrings > 1 ? { kind: 'sum' } : { kind: 'string', offset, factor };
}

/** factor² · (1 − ⟨P⟩²), from the mean of offset + factor · P. */
export function varianceOfString(
  { offset, factor }: { readonly offset: number; readonly factor: number },
  mean: number,
): number {
  const deviation = mean - offset;
  return Math.max(0, (factor - deviation) * (factor + deviation));
}
