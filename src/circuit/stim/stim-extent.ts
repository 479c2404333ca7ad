/** How much the instructions of a text in Stim's format add to its counts, with REPEAT blocks as often as they are repeated. */
import type { StimInstruction, StimStatement } from './stim-text.ts';

/** Counts of a list of statements. */
export interface StimExtent {
  readonly numBits: number;
  readonly numTicks: number;
  readonly numDetectors: number;
  /** One more than the greatest number of an observable. */
  readonly numObservables: number;
  /** Instructions and their targets. */
  readonly numSteps: number;
}

/** Counts the statements of a list. */
export function stimExtent(statements: readonly StimStatement[]): StimExtent {
  let [numBits, numTicks, numDetectors, numObservables, numSteps] = [0, 0, 0, 0, 0];
  for (const statement of statements) {
    if (statement.gate === undefined) {
      const { count, body } = statement;
      const inner = stimExtent(body);
      numBits += count * inner.numBits;
      numTicks += count * inner.numTicks;
      numDetectors += count * inner.numDetectors;
      numObservables = Math.max(numObservables, inner.numObservables);
      numSteps += count * inner.numSteps;
      continue;
    }
    const { gate, args, targets } = statement;
    const { kind } = gate.action;
    numBits += numBitsOf(statement);
    numSteps += 1 + targets.length;
    if (gate.name === 'TICK') numTicks++;
    if (kind === 'detector') numDetectors++;
    if (kind === 'observable') numObservables = Math.max(numObservables, args[0]! + 1);
  }
  return { numBits, numTicks, numDetectors, numObservables, numSteps };
}

/** Number of bits that an instruction adds to the measurement record. */
export function numBitsOf({ gate: { action }, targets }: StimInstruction): number {
  switch (action.kind) {
    case 'measure':
      return action.measures ? targets.length : 0;
    case 'measure-pair':
      return targets.length / 2;
    case 'measure-product':
      return targets.length - 2 * targets.filter(({ kind }) => kind === 'combiner').length;
    case 'heralded':
    case 'measure-loss':
    case 'pad':
      return targets.length;
    default:
      return 0;
  }
}
