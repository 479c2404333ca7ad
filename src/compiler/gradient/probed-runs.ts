/**
 * Divides a circuit into runs of gates with wanted parameters, each of which is probed at one point, and the rest.
 */
import { type Operation, operationQubits, type Qubit } from '../../circuit/circuit.ts';
import { isParametric, type ParametricGate } from '../parametric.ts';
import type { GateLike } from '../passes/gate-like.ts';
import type { ProbeFlip } from '../program.ts';
import { generatorsAt, type ProbedRun, type Slope, slopesOf } from './generators.ts';

/** A run with the point at which it is probed, and what is summed up there. */
export interface PlannedRun extends ProbedRun {
  readonly kind: 'run';
  /** Qubits that must all be 1 for any of it to act. */
  readonly controls: readonly Qubit[];
  readonly slopes: readonly Slope[];
  /** The probe comes before this member. */
  readonly point: number;
  readonly flips: readonly ProbeFlip[];
  readonly signs: readonly number[];
}

/** One part of a circuit. */
export type Part = PlannedRun | GateLike;

/** An entry of a generator below this is none: the sums of a few roundings. */
const NEGLIGIBLE = 1e-12;

/** The parts of a circuit whose parametric gates are at generic angles; measurements and barriers are left out. */
export function partsOf(
  operations: readonly Operation[],
  isWanted: (parameter: number) => boolean,
): readonly Part[] {
  const parts: (Part | OpenRun)[] = [];
  /** The last run on two qubits that may still grow, by qubit. */
  const open = new Map<Qubit, OpenRun>();
  for (const operation of operations) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    const qubits = operationQubits(operation);
    const [a, b] = qubits;
    const pair = a !== undefined && b !== undefined && qubits.length === 2;
    if (pair && isParametric(operation)) {
      const known = open.get(a);
      if (known !== undefined && known === open.get(b)) {
        known.members.push(...leavesOf(operation));
        continue;
      }
      const members = [...leavesOf(operation)];
      const run: OpenRun = { members, qubits: [Math.min(a, b), Math.max(a, b)] };
      for (const qubit of qubits) close(open, qubit);
      for (const qubit of qubits) open.set(qubit, run);
      parts.push(run);
      continue;
    }
    for (const qubit of qubits) close(open, qubit);
    parts.push(isParametric(operation) ? alone(operation) : operation);
  }
  return parts.flatMap((part) => ('kind' in part ? [part] : plannedParts(part, isWanted)));
}

/** A run that has not been planned. */
interface OpenRun {
  readonly members: GateLike[];
  readonly qubits: readonly Qubit[];
  readonly controls?: readonly Qubit[];
}

function close(open: Map<Qubit, OpenRun>, qubit: Qubit): void {
  const run = open.get(qubit);
  if (run !== undefined) for (const each of run.qubits) open.delete(each);
}

/** A run of the gates of one operation. */
function alone(operation: GateLike): OpenRun {
  const { controls, targets } = operation;
  return { members: leavesOf(operation), qubits: targets, controls };
}

/** The gates that an operation with parameters is the product of. */
function leavesOf(operation: GateLike): GateLike[] {
  if (!isParametric(operation) || operation.kind === 'gate') return [operation];
  const { source } = operation;
  if (source.kind !== 'product') throw new Error('unreachable: no pass makes such a matrix');
  return source.members.flatMap(leavesOf);
}

/** The run, or its gates where none of its parameters is wanted. */
function plannedParts(
  { members, qubits, controls = [] }: OpenRun,
  isWanted: (parameter: number) => boolean,
): readonly Part[] {
  const run: ProbedRun = { members, qubits };
  const slopes = slopesOf(run, isWanted);
  if (slopes.length === 0) return members;
  // A single gate with a control is probed where the control is 1.
  const single = members.length === 1 ? members[0] : undefined;
  if (single !== undefined && single.controls.length > 0) {
    return [planned({ members, qubits: single.targets }, single.controls, slopes)];
  }
  return [planned(run, controls, slopes)];
}

const genericAngles = ({ angles }: ParametricGate) => angles;

/** Probes the run at the point where least has to be summed up. */
function planned(run: ProbedRun, controls: readonly Qubit[], slopes: readonly Slope[]): PlannedRun {
  let best: PlannedRun | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let point = 0; point <= run.members.length; point++) {
    const generators = generatorsAt(run, slopes, point, genericAngles);
    const d = 2 ** run.qubits.length;
    const flips = flipsOf(generators, d);
    const signs = signsOf(generators, d, controls.length > 0);
    let cost = signs.length;
    for (const { parts } of flips) cost += parts === 'both' ? 4 : 2;
    if (cost >= least) continue;
    least = cost;
    best = { kind: 'run', ...run, controls, slopes, point, flips, signs };
  }
  if (best === undefined) throw new Error('unreachable: a run without members');
  return best;
}

function flipsOf(generators: readonly Float64Array[], d: number): readonly ProbeFlip[] {
  const flips: ProbeFlip[] = [];
  for (let row = 0; row < d; row++) {
    for (let column = row + 1; column < d; column++) {
      const at = 2 * (row * d + column);
      // The real part of an entry multiplies the imaginary one of the sum.
      const im = generators.some((matrix) => Math.abs(matrix[at]!) > NEGLIGIBLE);
      const re = generators.some((matrix) => Math.abs(matrix[at + 1]!) > NEGLIGIBLE);
      if (re || im) flips.push({ row, column, parts: re && im ? 'both' : re ? 're' : 'im' });
    }
  }
  return flips;
}

function signsOf(generators: readonly Float64Array[], d: number, hasControls: boolean) {
  const signs: number[] = [];
  // Without controls the sum without signs is Im⟨λ|ψ⟩, which is 0: the expectation value is real.
  for (let set = hasControls ? 0 : 1; set < d; set++) {
    if (generators.some((matrix) => Math.abs(signPart(matrix, d, set)) > NEGLIGIBLE)) {
      signs.push(set);
    }
  }
  return signs;
}

/** The coefficient of a product of Z's in the diagonal of a matrix. */
export function signPart(matrix: Float64Array, d: number, set: number): number {
  let sum = 0;
  for (let row = 0; row < d; row++) {
    let odd = 0;
    for (let rest = row & set; rest !== 0; rest &= rest - 1) odd ^= 1;
    sum += odd === 1 ? -matrix[2 * row * (d + 1)]! : matrix[2 * row * (d + 1)]!;
  }
  return sum / d;
}
