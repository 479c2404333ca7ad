/**
 * Divides a circuit into runs of gates with wanted parameters, each of which is probed at one point, and the rest.
 */
import { type Operation, operationQubits, type Qubit } from '../../circuit/circuit.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { matrixOfOperations } from '../../circuit/operation-matrix.ts';
import { reducedAngle } from '../../math/angles.ts';
import { adjoint, type ComplexMatrix, identity, multiply } from '../../math/complex-matrix.ts';
import { CONSTANT, isParametric, type ParametricGate } from '../parametric.ts';
import type { GateLike } from '../passes/gate-like.ts';
import type { ProbeFlip } from '../program.ts';
import { matrixRule } from './shift-rule.ts';

/** A run with the point at which it is probed, and the sums taken there. */
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

/** Most members of a run: the work to plan one grows with their square. */
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
 * the angles that are differentiated by. Undefined where a gate has an angle that is constant, or several, which may be
 * one parameter.
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
 * The run with the X axis of its one qubit turned to Y and back around the point, where that makes its sums real.
 * Engines rotate about Y, so that the turn, which is diagonal, would come before the rotation anyway.
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

// Derivatives of runs of gates, as Hermitian matrices at one point of the run.
//
// With ψ and λ at that point, the derivative of the expectation value by an angle is 2·Im⟨λ|H|ψ⟩, H being
// i·(∂G)·G† of the angle's gate G, carried to the point by the gates in between.

/** Gates on a few qubits that nothing else acts on in between. */
export interface ProbedRun {
  /** In order; a gate with parameters is no part of a product here. */
  readonly members: readonly GateLike[];
  /** Bit i of an index is `qubits[i]`. Controls that a run has in common are not among them. */
  readonly qubits: readonly Qubit[];
}

/** One derivative: of the parameter, by one angle of one gate. */
export interface Slope {
  readonly parameter: number;
  readonly member: number;
  /** Position of the angle among those of the gate. */
  readonly position: number;
}

/** The slopes of a run by the parameters that are wanted. */
function slopesOf(
  { members }: ProbedRun,
  isWanted: (parameter: number) => boolean,
): readonly Slope[] {
  return members.flatMap((gate, member) => {
    if (!isParametricGate(gate)) return [];
    return gate.slots.flatMap((parameter, position) =>
      parameter !== CONSTANT && isWanted(parameter) ? [{ parameter, member, position }] : [],
    );
  });
}

/** Whether an operation is a single gate with parameters. */
function isParametricGate(operation: GateLike): operation is ParametricGate {
  return operation.kind === 'gate' && isParametric(operation);
}

/**
 * The matrices H of slopes of a run at a point of it, which is before member number `point`.
 *
 * @param anglesOf - Angles of a gate of the run.
 */
export function generatorsAt(
  { members, qubits }: ProbedRun,
  slopes: readonly Slope[],
  point: number,
  anglesOf: (gate: ParametricGate) => readonly number[],
): readonly ComplexMatrix[] {
  const within = new Map(qubits.map((qubit, i) => [qubit, i]));
  const placed = (gate: GateLike, matrix?: ComplexMatrix) => onQubits(gate, within, matrix);
  const matrices = members.map((gate) =>
    placed(gate, isParametricGate(gate) ? gateNamed(gate.gate).matrix(anglesOf(gate)) : undefined),
  );
  // From each member to the point: the product of the members in between.
  const carry = carriers(matrices, point, 2 ** qubits.length);
  return slopes.map(({ member, position }) => {
    const gate = members[member]!;
    if (!isParametricGate(gate)) throw new Error('unreachable: a slope of a gate without angles');
    const derivative = placed(gate, derivativeOf(gate, anglesOf(gate), position));
    withoutIdle(derivative, gate, within);
    const inverse = adjoint(matrices[member]!);
    // Before the point, H follows its gate; after it, H comes before its gate.
    const own = member < point ? multiply(derivative, inverse) : multiply(inverse, derivative);
    timesI(own);
    const by = carry[member];
    return by === undefined ? own : multiply(multiply(by, own), adjoint(by));
  });
}

/** The derivative of a gate's target matrix by one of its angles. */
function derivativeOf(
  { gate }: ParametricGate,
  angles: readonly number[],
  position: number,
): ComplexMatrix {
  const definition = gateNamed(gate);
  const moved = [...angles];
  const angle = reducedAngle(angles[position]!);
  let sum: ComplexMatrix | undefined;
  for (const { shift, weight } of matrixRule(definition, position)) {
    moved[position] = angle + shift;
    const matrix = definition.matrix(moved);
    sum ??= new Float64Array(matrix.length);
    for (let i = 0; i < matrix.length; i++) sum[i]! += weight * matrix[i]!;
  }
  return sum ?? new Float64Array(definition.matrix(angles).length);
}

/** A gate's matrix on the qubits of a run, with another matrix on its targets if one is given. */
function onQubits(
  gate: GateLike,
  within: ReadonlyMap<Qubit, number>,
  matrix?: ComplexMatrix,
): ComplexMatrix {
  const placeOf = (qubit: Qubit) => within.get(qubit);
  const controls = gate.controls.map(placeOf).filter((place) => place !== undefined);
  const targets = gate.targets.map((qubit) => placeOf(qubit)!);
  const placed =
    matrix === undefined
      ? { ...gate, controls, targets }
      : ({ kind: 'unitary', controls, targets, matrix } as const);
  return matrixOfOperations([placed], within.size);
}

/** Clears the part of a controlled matrix in which it does not act: the derivative of 1 is 0. */
function withoutIdle(
  matrix: ComplexMatrix,
  { controls }: GateLike,
  within: ReadonlyMap<Qubit, number>,
): void {
  let mask = 0;
  for (const control of controls) {
    const place = within.get(control);
    if (place !== undefined) mask |= 1 << place;
  }
  const d = 2 ** within.size;
  for (let row = 0; row < d; row++) {
    if ((row & mask) !== mask) matrix.fill(0, 2 * row * d, 2 * (row + 1) * d);
  }
}

/** For each member, the unitary that carries its generator to the point; undefined for the identity. */
function carriers(
  matrices: readonly ComplexMatrix[],
  point: number,
  d: number,
): readonly (ComplexMatrix | undefined)[] {
  const carry = new Array<ComplexMatrix | undefined>(matrices.length).fill(undefined);
  let product = identity(d);
  for (let member = point - 2; member >= 0; member--) {
    product = multiply(product, matrices[member + 1]!);
    carry[member] = product;
  }
  product = identity(d);
  for (let member = point + 1; member < matrices.length; member++) {
    product = multiply(product, adjoint(matrices[member - 1]!));
    carry[member] = product;
  }
  return carry;
}

function timesI(matrix: ComplexMatrix): void {
  for (let i = 0; i < matrix.length; i += 2) {
    const re = matrix[i]!;
    matrix[i] = -matrix[i + 1]!;
    matrix[i + 1] = re;
  }
}
