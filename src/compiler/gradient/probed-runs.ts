/**
 * Divides a circuit into runs of gates with wanted parameters, each of which is probed at one point, and the rest.
 */
import { type Operation, operationQubits, type Qubit } from '../../circuit/circuit.ts';
import { CONSTANT, isParametric, type ParametricGate } from '../parametric.ts';
import type { GateLike } from '../passes/gate-like.ts';
import type { ProbeFlip } from '../program.ts';
import {
  generatorsAt,
  isParametricGate,
  type ProbedRun,
  type Slope,
  slopesOf,
} from './generators.ts';

/** A run with the point at which it is probed, and what is summed up there. */
export interface PlannedRun extends ProbedRun {
  readonly kind: 'run';
  /** The same for runs whose generators are the same functions of their gates' angles. */
  readonly kindOfGates?: string;
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
    // A phase under two controls has no matrix on the pair: it is a run by itself.
    const hasTargets = operation.targets.length > 0;
    const pair = a !== undefined && b !== undefined && qubits.length === 2 && hasTargets;
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
  const planner = new Planner(isWanted);
  return parts.flatMap((part) => ('kind' in part ? [part] : planner.partsOf(part)));
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

/** Most members of a run: what is tried to plan one grows with their square. */
const MAX_MEMBERS = 12;

/** The sums taken for a run, and their cost. */
interface Plan extends Pick<PlannedRun, 'point' | 'flips' | 'signs'> {
  readonly cost: number;
}

/** Plans runs; those of the same gates are planned once. */
class Planner {
  readonly #isWanted: (parameter: number) => boolean;
  readonly #plans = new Map<string, Plan>();

  constructor(isWanted: (parameter: number) => boolean) {
    this.#isWanted = isWanted;
  }

  /** A run in one part or several; single gates where none of their parameters is wanted. */
  partsOf({ members, qubits, controls = [] }: OpenRun): readonly Part[] {
    const parts: Part[] = [];
    for (let from = 0; from < members.length; from += MAX_MEMBERS) {
      parts.push(...this.#partsOf(members.slice(from, from + MAX_MEMBERS), qubits, controls));
    }
    return parts;
  }

  #partsOf(
    members: readonly GateLike[],
    qubits: readonly Qubit[],
    controls: readonly Qubit[],
  ): readonly Part[] {
    const [single] = members;
    if (single !== undefined && members.length === 1) {
      // A single gate is probed where its controls are 1.
      return this.#planned([single], single.targets, single.controls).parts;
    }
    const whole = this.#planned(members, qubits, controls);
    if (qubits.length === 1) return whole.parts;
    const apart = members.map((gate) => this.#planned([gate], gate.targets, gate.controls));
    const cost = apart.reduce((sum, each) => sum + each.cost, 0);
    return whole.cost <= cost ? whole.parts : apart.flatMap(({ parts }) => parts);
  }

  #planned(
    members: readonly GateLike[],
    qubits: readonly Qubit[],
    controls: readonly Qubit[],
  ): { readonly parts: readonly Part[]; readonly cost: number } {
    const run: ProbedRun = { members, qubits };
    const slopes = slopesOf(run, this.#isWanted);
    if (slopes.length === 0) return { parts: members, cost: 0 };
    const key = kindOf(run, slopes, controls);
    const known = key === undefined ? undefined : this.#plans.get(key);
    const plan = known ?? planOf(run, controls.length > 0, slopes);
    if (key !== undefined) this.#plans.set(key, plan);
    const { point, flips, signs, cost } = plan;
    const named = key === undefined ? {} : { kindOfGates: key };
    const parts = [
      { kind: 'run', ...run, ...named, controls, slopes, point, flips, signs } as const,
    ];
    return { parts: parts.map((part) => turned(part) ?? part), cost };
  }
}

/**
 * Key of all that the plan of a run and its generators depend on besides the values of parameters: gates, places, and
 * the angles that are differentiated by. Undefined where a gate has an angle that is constant, or several, which may be one parameter.
 */
function kindOf(
  { members, qubits }: ProbedRun,
  slopes: readonly Slope[],
  controls: readonly Qubit[],
): string | undefined {
  const places = (of: readonly Qubit[]) => of.map((qubit) => qubits.indexOf(qubit));
  const names: string[] = [];
  for (const gate of members) {
    if (gate.kind !== 'gate') return undefined;
    const isPlain = isParametricGate(gate)
      ? gate.slots.length === 1 && gate.slots[0] !== CONSTANT
      : gate.angles.length === 0;
    if (!isPlain) return undefined;
    names.push(`${gate.gate} ${places(gate.controls)} ${places(gate.targets)}`);
  }
  return `${names} ${slopes.map(({ member }) => member)} ${controls.length}`;
}

const genericAngles = ({ angles }: ParametricGate) => angles;

/** Probes the run at the point where least has to be summed up. */
function planOf(run: ProbedRun, hasControls: boolean, slopes: readonly Slope[]): Plan {
  let best: Plan | undefined;
  const d = 2 ** run.qubits.length;
  for (let point = 0; point <= run.members.length; point++) {
    const generators = generatorsAt(run, slopes, point, genericAngles);
    const flips = flipsOf(generators, d);
    const signs = signsOf(generators, d, hasControls);
    let cost = signs.length;
    for (const { parts } of flips) cost += parts === 'both' ? 4 : 2;
    if (best === undefined || cost < best.cost) best = { point, flips, signs, cost };
  }
  if (best === undefined) throw new Error('unreachable: a run without members');
  return best;
}

/**
 * The run with the X axis of its one qubit turned to Y and back around the point, where that makes its sums real. Engines
 * rotate about Y, so that the turn, which is diagonal, would come before the rotation anyway.
 */
function turned(run: PlannedRun): PlannedRun | undefined {
  const { members, qubits, point, flips } = run;
  if (qubits.length !== 1 || flips.length !== 1 || flips[0]!.parts !== 'im') return undefined;
  const phase = (gate: string) =>
    ({ kind: 'gate', gate, controls: [], targets: qubits, angles: [] }) as const;
  return {
    ...run,
    members: members.toSpliced(point, 0, phase('S'), phase('SDG')),
    slopes: run.slopes.map((slope) =>
      slope.member < point ? slope : { ...slope, member: slope.member + 2 },
    ),
    point: point + 1,
    flips: [{ ...flips[0]!, parts: 're' }],
  };
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
