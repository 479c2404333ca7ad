/**
 * Splits a program over several devices into a program for each device, and the transfers between.
 *
 * The highest qubits tell devices apart, so on one device they are constants: controls and
 * diagonals on them reduce to the device's own kernels, and no other kernel may target them. What
 * remains are exchanges with such a qubit, in which devices send each other parts of their states.
 * Such a part should consist of long runs of memory, or of few. Therefore a low near qubit first
 * changes places with a high one, inside the devices, and back afterwards: a trip through a
 * device's memory costs little compared with a transfer between devices.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Exchange, Program, Step } from '../../../compiler/program.ts';
import {
  type ChunkShape,
  exchangeParts,
  GrowingMatrices,
  restrictedKernels,
} from '../sweep/index-bits.ts';

/** Pairs of a device qubit and a qubit inside the devices. */
export type DevicePairs = Exchange['pairs'];

/** One action of a step of the program. */
export type SpreadAction =
  /** A step of the devices' own programs. */
  | { readonly kind: 'local'; readonly step: number }
  | { readonly kind: 'move'; readonly pairs: DevicePairs };

/** A program for several devices. */
export interface SpreadProgram {
  /** By rank; alike in their steps. The layout is the whole program's. */
  readonly parts: readonly Program[];
  /** By step of the whole program; empty if the step measures or resets. */
  readonly actions: readonly (readonly SpreadAction[])[];
}

/** log2 of a run that is long enough: 2^17 amplitudes, 1 MiB. */
const RUN_QUBITS = 17;
/** Number of runs that is always acceptable; each is a separate copy command. */
const MAX_RUNS = 2 ** 13;

/**
 * Splits a program.
 *
 * @param shape - Of the state on one device.
 * @param numDevices - A power of two.
 * @param maxRuns - Most short runs of memory that a device sends for one exchange.
 */
export function spreadProgram(
  program: Program,
  shape: ChunkShape,
  numDevices: number,
  maxRuns: number = MAX_RUNS,
): SpreadProgram {
  const steps: Step[] = [];
  const actions = program.steps.map((step): readonly SpreadAction[] => {
    const local = (own: Step): SpreadAction => ({ kind: 'local', step: steps.push(own) - 1 });
    if (step.kind !== 'exchange') {
      const action = local(step);
      return step.kind === 'sweep' ? [action] : [];
    }
    return exchangeActions(step, shape, maxRuns, local);
  });
  const parts = Array.from({ length: numDevices }, (_, rank) =>
    partOf({ ...program, steps }, shape, rank),
  );
  return { parts, actions };
}

function exchangeActions(
  { pairs }: Exchange,
  shape: ChunkShape,
  maxRuns: number,
  local: (own: Step) => SpreadAction,
): readonly SpreadAction[] {
  const { numQubits } = shape;
  const inside = pairs.filter(([far]) => far < numQubits);
  const between = pairs.filter(([far]) => far >= numQubits);
  const actions: SpreadAction[] = [];
  if (inside.length > 0) actions.push(local({ kind: 'exchange', pairs: inside }));
  if (between.length === 0) return actions;
  const lifts = liftsOf(
    between.map(([, near]) => near),
    shape,
    maxRuns,
  );
  const lifted = new Map(lifts.map(([high, low]) => [low, high]));
  const moved = between.map(([far, near]) => [far, lifted.get(near) ?? near] as const);
  // An exchange step, so that the devices' programs write all memory before it.
  local({ kind: 'exchange', pairs: moved });
  const lift = (): readonly SpreadAction[] =>
    lifts.length === 0 ? [] : [local({ kind: 'exchange', pairs: lifts })];
  return [...actions, ...lift(), { kind: 'move', pairs: moved }, ...lift()];
}

/** Pairs of a high qubit and a low near qubit that change places for an exchange. */
function liftsOf(
  nears: readonly Qubit[],
  { numQubits, chunkQubits }: ChunkShape,
  maxRuns: number,
): readonly (readonly [high: Qubit, low: Qubit])[] {
  const fewRuns = Math.max(0, numQubits - 1 - Math.log2(maxRuns));
  const lowest = Math.min(chunkQubits - nears.length, RUN_QUBITS, fewRuns);
  const lifts: (readonly [Qubit, Qubit])[] = [];
  let high = numQubits - 1;
  for (const near of nears) {
    if (near >= lowest) continue;
    while (nears.includes(high)) high--;
    lifts.push([high--, near]);
  }
  return lifts;
}

/**
 * The program of one device, on which qubits beyond the state's own are constants, the bits of its
 * rank.
 */
function partOf(program: Program, { numQubits }: ChunkShape, rank: number): Program {
  const grown = new GrowingMatrices(program);
  const bitOf = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const isOne = (qubit: Qubit) => ((rank >> (qubit - numQubits)) & 1) === 1;
  const steps = program.steps.map((step): Step => {
    if (step.kind !== 'sweep') return step;
    if (step.resident.some((qubit) => qubit >= numQubits)) {
      throw new Error('unreachable: a tile reaches beyond its device');
    }
    return { ...step, kernels: restrictedKernels(step.kernels, grown, bitOf, isOne) };
  });
  // Its steps and matrices are its own, so it has no shape.
  const { shape: _, ...whole } = program;
  return { ...whole, steps, matrices: grown.grown().matrices };
}

/** Passes through memory that a step's actions take on each device. */
export function passesOf(
  actions: readonly SpreadAction[],
  { parts }: SpreadProgram,
  shape: ChunkShape,
  tileChunkQubits: number,
): number {
  return actions.reduce((sum, action) => {
    if (action.kind === 'move') return sum + 1;
    const step = parts[0]?.steps[action.step];
    if (step?.kind !== 'exchange') return sum + 1;
    return sum + exchangeParts(step, shape, tileChunkQubits).sweeps.length;
  }, 0);
}
