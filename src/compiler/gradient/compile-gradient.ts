/**
 * Compiles the gradient of a circuit's expectation values by the adjoint method: once for all angles.
 *
 * The program goes forward as any other one. Then gates are taken back from ψ and λ = O·ψ: the way back is an ordinary
 * program of inverse gates, fused and scheduled like any other. Where sums are taken in sweeps, the two are one state,
 * which an ancilla tells apart, because a tile then has amplitudes of both. In the program are probes, one for each run
 * of gates with parameters: the derivatives by all angles of a run follow from one small matrix of inner products, so
 * that a pass over the state is due once a run and not once an angle.
 *
 * @see Jones & Gacon, "Efficient calculation of gradients in classical simulations of variational quantum algorithms",
 *   2020.
 */
import {
  type Circuit,
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  preparedState,
  type Qubit,
  withoutPreparedState,
} from '../../circuit/circuit.ts';
import { uniformDraw } from '../../math/philox.ts';
import { pairForm } from '../pair-form.ts';
import { type AngleKinds, CONSTANT } from '../parametric.ts';
import { optimize } from '../passes/pipeline.ts';
import type { GradientProgram, TargetProfile } from '../program.ts';
import { type Scheduled, schedule, scheduleOf } from '../schedule.ts';
import { programAt, withParameters } from '../shape.ts';
import { type BackwardCircuit, backwardCircuit, type SummedRun } from './backward-circuit.ts';
import { generatorsAt, signPart } from './probed-runs.ts';

/** The angles of a circuit, divided into parameters and constants, and the variables of differentiation. */
export interface GradientKinds extends Pick<AngleKinds, 'slots'> {
  /** By parameter: 1 where a derivative is wanted. All of them if absent. */
  readonly wanted?: Uint8Array;
}

/** The gradient of a circuit whose parameters have no values yet. */
export interface CompiledGradient {
  /** @param values - Radians, by parameter. */
  bind(values: ArrayLike<number>): GradientProgram;
}

/** Least place of the ancilla: room for the widest kernel of an engine below it, lanes included. */
const MIN_ANCILLA = 8;
/** Factors that differ by less are equal up to rounding. */
const NEGLIGIBLE = 1e-13;

/**
 * Compiles the gradient of a circuit. Measurements at its end are ignored. A circuit that measures or resets before its
 * end has no gradient: engines refuse its program.
 *
 * @param circuit - Static, but for a pure state given by numbers that it may begin in.
 * @throws {GateNotDifferentiableError} if a wanted angle belongs to a gate whose matrix is no short sum of waves in it.
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than `target.maxDenseQubits`.
 */
export function compileGradient(
  circuit: DynamicCircuit,
  { slots, wanted }: GradientKinds,
  target: TargetProfile,
): CompiledGradient {
  const isWanted = (parameter: number) => wanted === undefined || wanted[parameter] === 1;
  const hasGradient = !hasMidCircuitMeasurement(circuit);
  const operations = hasGradient
    ? circuit.operations.filter(({ kind }) => kind !== 'measure')
    : circuit.operations;
  const generic = withParameters({ ...circuit, operations }, slots);
  const optimized = optimize(generic, { keepState: true }).circuit;
  const ancilla =
    target.probesBetweenSweeps === true ? undefined : Math.max(MIN_ANCILLA, circuit.numQubits);
  // Checked: parameters in place of angles make no loops, and without its state the circuit is static.
  const gates = withoutPreparedState(optimized) as Circuit;
  const inverted = hasGradient ? gates : { ...gates, operations: [] };
  const inverse = backwardCircuit(inverted, ancilla, isWanted);
  const backward = preparedState(circuit) === undefined ? inverse : { ...inverse, returned: [] };
  const numParameters = slots.reduce((most, slot) => Math.max(most, slot + 1), 0);
  const contraction = contractionOf(backward.runs, numParameters);
  const schedule = (form: <C extends DynamicCircuit>(circuit: C) => C) =>
    scheduled(form(optimized), generic, backward, ancilla, form, target);
  const paired = schedule((each) => pairForm(each, target.costs));
  // Pairs of gates are rewritten to a form that does not fit a few special angles.
  let plain: Bindable | undefined;
  return {
    bind(values) {
      let bound = paired(values);
      if (bound === undefined) {
        plain ??= schedule((each) => each);
        bound = plain(values);
      }
      if (bound === undefined) throw new Error('unreachable: a gate has another form');
      const { numSums } = backward;
      return { ...bound, numParameters, numSums, contraction: contraction(values) };
    },
  };
}

type Bindable = (
  values: ArrayLike<number>,
) => Pick<GradientProgram, 'forward' | 'backward' | 'returned'> | undefined;

function scheduled(
  optimized: DynamicCircuit,
  original: DynamicCircuit,
  { circuit, returned: qubits }: BackwardCircuit,
  ancilla: Qubit | undefined,
  form: <C extends DynamicCircuit>(circuit: C) => C,
  target: TargetProfile,
): Bindable {
  const forward = scheduleOf(optimized, original, target);
  const backward = scheduleBack(form(circuit), forward, ancilla, target);
  const { finalLayout } = backward.program;
  const returned = qubits.map((qubit) => finalLayout[qubit]!);
  const forwardAt = programAt(forward);
  const backwardAt = programAt(backward);
  return (values) => {
    const bound = forwardAt(values);
    const back = bound && backwardAt(values);
    return back && { forward: bound, backward: back, returned };
  };
}

/** The backward circuit begins where the forward one has put its qubits; an ancilla stays where it is. */
function scheduleBack(
  circuit: Circuit,
  { program: { finalLayout } }: Scheduled,
  ancilla: Qubit | undefined,
  target: TargetProfile,
): Scheduled {
  const { numQubits } = circuit;
  const placeOf = Array.from({ length: numQubits }, (_, qubit) => finalLayout[qubit] ?? qubit);
  // With an ancilla a state may be wider than the engine's; it refuses what it cannot hold.
  const reach =
    ancilla === undefined ? target.chunkQubits : Math.max(target.chunkQubits, numQubits);
  return schedule(circuit, { ...target, chunkQubits: reach }, { placeOf, pinned: ancilla });
}

/** The sums and factors that make up the derivatives, as a function of the angles. */
function contractionOf(
  runs: readonly SummedRun[],
  numParameters: number,
): (values: ArrayLike<number>) => GradientProgram['contraction'] {
  const parameters: number[] = [];
  const sums: number[] = [];
  for (const { run, firstFlip, firstSign } of runs) {
    for (const { parameter } of run.slopes) {
      for (const i of run.flips.keys()) {
        parameters.push(parameter, parameter);
        sums.push(firstFlip + 2 * i, firstFlip + 2 * i + 1);
      }
      for (const i of run.signs.keys()) {
        parameters.push(parameter);
        sums.push(firstSign + i);
      }
    }
  }
  const parametersOf = Int32Array.from(parameters);
  const sumsOf = Int32Array.from(sums);
  // Factors that are the same at two sets of angles drawn at random are so at all angles, as those of rotations are.
  const drawn = (draw: number): FactorsAt => {
    const values = Float64Array.from({ length: numParameters }, (_, i) =>
      uniformDraw(draw, i, 0, 0),
    );
    const factors = new Float64Array(parametersOf.length);
    /** Ranges of the factors of runs of each kind. */
    const known = new Map<string, readonly [from: number, end: number]>();
    let at = 0;
    const ends = runs.map(({ run }) => {
      const { kindOfGates = '' } = run;
      const [from, end] = known.get(kindOfGates) ?? [at, at];
      if (end > from) {
        factors.copyWithin(at, from, end);
        at += end - from;
      } else {
        const next = putFactors(run, values, factors, at);
        if (kindOfGates !== '') known.set(kindOfGates, [at, next]);
        at = next;
      }
      return at;
    });
    return { factors, ends };
  };
  const [some, others] = [drawn(1), drawn(2)];
  const changing: (readonly [run: SummedRun['run'], from: number])[] = [];
  let from = 0;
  for (const [i, { run }] of runs.entries()) {
    const end = some.ends[i]!;
    const isConstant = some.factors
      .subarray(from, end)
      .every((factor, j) => Math.abs(factor - others.factors[from + j]!) < NEGLIGIBLE);
    if (!isConstant) changing.push([run, from]);
    from = end;
  }
  return (values) => {
    const factors = some.factors.slice();
    for (const [run, at] of changing) putFactors(run, values, factors, at);
    return { parameters: parametersOf, sums: sumsOf, factors };
  };
}

/** Factors at one set of angles, and where those of each run end. */
interface FactorsAt {
  readonly factors: Float64Array;
  readonly ends: readonly number[];
}

/** Writes the factors of a run from an index on; returns the one after them. */
function putFactors(
  run: SummedRun['run'],
  values: ArrayLike<number>,
  factors: Float64Array,
  from: number,
): number {
  const d = 2 ** run.qubits.length;
  const generators = generatorsAt(run, run.slopes, run.point, ({ slots, angles }) =>
    slots.map((slot, i) => (slot === CONSTANT ? angles[i]! : values[slot]!)),
  );
  let at = from;
  for (const generator of generators) {
    for (const { row, column, parts } of run.flips) {
      const entry = 2 * (row * d + column);
      // 2·Im(H·K): a part of K that is not summed up has no factor.
      factors[at++] = parts === 'im' ? 0 : 2 * generator[entry + 1]!;
      factors[at++] = parts === 're' ? 0 : 2 * generator[entry]!;
    }
    for (const set of run.signs) factors[at++] = 2 * signPart(generator, d, set);
  }
  return at;
}
