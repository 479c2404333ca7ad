/**
 * Turns operations into work items: the units of scheduling, with the resources that each one touches and
 * how.
 *
 * Resources are wires, classical bits, and one more that keeps measurements and resets in order, because
 * random draws are numbered by it. Two items that touch a resource alike (both diagonally, both as a function
 * of X, both reading a bit) commute on it.
 */
import {
  type AssignOperation,
  assignedBits,
  type Condition,
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  type MeasureOperation,
  type MisreadOperation,
  notByStabilizers,
  numRegisterBits,
  type Operation,
  type Qubit,
  type ResetOperation,
  type SaveOperation,
} from '../circuit/circuit.ts';
import type { Bit } from '../circuit/classical-expression.ts';
import { targetMatrix } from '../circuit/operation-matrix.ts';
import {
  ACTS_DIAGONALLY,
  ACTS_GENERALLY,
  type Block,
  type BlockForm,
  formOf,
  type Wire,
} from './block.ts';
import { KernelTooWideError } from './errors.ts';
import { isProbe, type Probe } from './gradient/backward-circuit.ts';
import { isLinearMap, mapForm } from './noise/density-circuit.ts';
import { isParametric } from './parametric.ts';
import type { GateLike } from './passes/gate-like.ts';

/** An operation between sweeps, on qubits or classical bits. */
export type CollapseOperation =
  | MeasureOperation
  | ResetOperation
  | SaveOperation
  | AssignOperation
  | MisreadOperation;

/** Moves an operation to other wires; an assignment or a misreading has none. */
export function onWires(
  operation: CollapseOperation,
  toWire: (wire: Wire) => Wire,
): CollapseOperation {
  if (operation.kind === 'assign' || operation.kind === 'misread') return operation;
  return { ...operation, qubits: operation.qubits.map(toWire) };
}

/** One unit of work. */
export interface WorkItem {
  readonly work:
    | { readonly kind: 'block'; readonly block: Block; readonly condition?: Condition }
    | { readonly kind: 'collapse'; readonly operation: CollapseOperation }
    /** A probe that has a step of its own. */
    | { readonly kind: 'probe'; readonly block: Block }
    | { readonly kind: 'barrier' };
  /** Wires that must be resident: the targets of a block that is not diagonal. */
  readonly needs: readonly Wire[];
  /** Resources touched, distinct: wire w is w, bit b is numWires + b, the order of draws is last. */
  readonly resources: readonly number[];
  /** Its action on each resource, as in `block.ts`. */
  readonly actions: readonly number[];
}

/** All work of a circuit. */
export interface WorkList {
  readonly items: readonly WorkItem[];
  readonly numWires: number;
  readonly numResources: number;
  /** Wire of each logical qubit, after all SWAPs. */
  readonly wireOf: readonly Wire[];
  /** On logical qubits; measured after everything else, in order. */
  readonly lastMeasurements: readonly MeasureOperation[];
  /** Assignments after these measurements, in order. */
  readonly lastAssignments: readonly AssignOperation[];
}

/**
 * Returns the work of a circuit without loops. If nothing depends on a measurement, all measurements are
 * joined into last ones.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more than `maxDenseQubits`.
 */
export function workOf(circuit: DynamicCircuit, maxDenseQubits: number): WorkList {
  const { numQubits, operations } = circuit;
  const numBits = numRegisterBits(circuit);
  const hasSaves = operations.some(({ kind }) => kind === 'save');
  const builder = new WorkBuilder(numQubits, numBits, maxDenseQubits, hasSaves);
  const isStraight = !hasMidCircuitMeasurement(circuit);
  const measuresLast = isStraight || operations.every(({ kind }) => kind !== 'measure');
  const measurements: MeasureOperation[] = [];
  const assignments: AssignOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    if (operation.kind === 'while') throw new Error('unreachable: a loop is no single item');
    if (operation.kind === 'noise') throw noiseIsNoStep();
    if (operation.kind === 'initialize')
      throw new Error('unreachable: an initial state among work');
    if (operation.kind === 'track' || operation.kind === 'repeat') {
      throw notByStabilizers(operation);
    }
    if (measuresLast && operation.kind === 'measure') measurements.push(operation);
    // Assignments before a condition stay in order, because the condition may read them.
    else if (isStraight && operation.kind === 'assign') assignments.push(operation);
    else builder.add(operation, index);
  }
  return {
    items: measuresLast ? builder.items : withFixedEnd(builder.items, numQubits + numBits),
    numWires: numQubits,
    numResources: numQubits + numBits + 1,
    wireOf: builder.wireOf,
    lastMeasurements: joined(measurements),
    lastAssignments: assignments,
  };
}

/** Channels are taken out of a circuit, by trajectories or in a density matrix, before anything is scheduled. */
export const noiseIsNoStep = (): Error => new Error('unreachable: noise among steps of a program');

/**
 * Joins measurements into one. If one overwrites a bit of another, there are more: the outcome is lost, but a loop may
 * still use the qubit that was measured.
 */
function joined(measurements: readonly MeasureOperation[]): readonly MeasureOperation[] {
  const found: Map<Bit, Qubit>[] = [];
  for (const { qubits, bits } of measurements) {
    for (const [i, bit] of bits.entries()) {
      if (found.at(-1)?.has(bit) ?? true) found.push(new Map());
      found.at(-1)!.set(bit, qubits[i]!);
    }
  }
  return found.map((sources) => {
    return { kind: 'measure', qubits: [...sources.values()], bits: [...sources.keys()] };
  });
}

/**
 * Keeps the last block behind the measurements that precede it in the circuit. The trailing measurements
 * decide how random draws are numbered, and a seed must keep giving the same counts.
 */
function withFixedEnd(items: readonly WorkItem[], drawOrder: number): readonly WorkItem[] {
  const last = items.findLastIndex(
    ({ work }) =>
      work.kind === 'block' ||
      (work.kind === 'collapse' && (work.operation.kind === 'reset' || isConditioned(work))),
  );
  const item = items[last];
  if (item?.work.kind !== 'block') return items;
  const resources = [...item.resources, drawOrder];
  return items.with(last, { ...item, resources, actions: [...item.actions, ACTS_GENERALLY] });
}

const isConditioned = ({ operation }: { operation: CollapseOperation }) =>
  operation.condition !== undefined;

const NO_ENTRIES = new Float64Array(0);

/** Collects the work of operations, in order. */
class WorkBuilder {
  readonly items: WorkItem[] = [];
  readonly wireOf: Wire[];
  /** Forms by gate, then by its angle if it has one: most circuits use few matrices, often. */
  readonly #forms = new Map<string, Map<number, BlockForm>>();
  readonly #numBits: number;
  readonly #maxDenseQubits: number;
  readonly #hasSaves: boolean;

  constructor(numQubits: number, numBits: number, maxDenseQubits: number, hasSaves: boolean) {
    this.#hasSaves = hasSaves;
    this.wireOf = Array.from({ length: numQubits }, (_, qubit) => qubit);
    this.#numBits = numBits;
    this.#maxDenseQubits = maxDenseQubits;
  }

  add(
    operation: Operation | SaveOperation | AssignOperation | MisreadOperation,
    index: number,
  ): void {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        if (operation.kind === 'gate' && this.#relabels(operation)) return;
        this.#addBlock(operation, index);
        return;
      case 'save':
      case 'measure':
      case 'reset':
        if (operation.qubits.length > 0) this.#addCollapse(operation);
        return;
      case 'assign': {
        const resources = this.#bits(assignedBits(operation));
        this.#push({ kind: 'collapse', operation }, [], resources, allGeneral(resources));
        return;
      }
      case 'misread': {
        const { bits, condition } = operation;
        const drawOrder = this.wireOf.length + this.#numBits;
        const resources = [...this.#bits([...bits, ...(condition?.bits ?? [])]), drawOrder];
        this.#push({ kind: 'collapse', operation }, [], resources, allGeneral(resources));
        return;
      }
      case 'barrier': {
        if (isProbe(operation)) {
          this.#addProbe(operation);
          return;
        }
        const wires = this.#wires(operation.qubits);
        if (wires.length > 0) this.#push({ kind: 'barrier' }, [], wires, allGeneral(wires));
        return;
      }
    }
  }

  /** Applies a SWAP by relabelling; returns whether the operation was one. */
  #relabels({ gate, controls, targets, condition }: Operation & { kind: 'gate' }): boolean {
    if (gate !== 'SWAP' || controls.length > 0 || condition !== undefined) return false;
    const [first = 0, second = 0] = targets;
    const wire = this.wireOf[first]!;
    this.wireOf[first] = this.wireOf[second]!;
    this.wireOf[second] = wire;
    return true;
  }

  #addBlock(operation: Operation & { kind: 'gate' | 'unitary' }, index: number): void {
    const targets = this.#wires(operation.targets);
    const controls = this.#wires(operation.controls);
    const form = this.#formOf(operation);
    if (form === undefined) return;
    const block = { form, targets, controls };
    const needs = form.kind === 'diagonal' ? [] : targets;
    if (needs.length > this.#maxDenseQubits) {
      throw new KernelTooWideError(index, needs.length, this.#maxDenseQubits);
    }
    const { condition } = operation;
    const read = condition === undefined ? [] : this.#bits(condition.bits);
    const resources = [...targets, ...controls, ...read];
    const actions = [...form.actions];
    // A global phase stays on its side of a snapshot.
    if (this.#hasSaves && targets.length + controls.length === 0) resources.push(0);
    while (actions.length < resources.length) actions.push(ACTS_DIAGONALLY);
    const work = {
      kind: 'block',
      block,
      ...(condition === undefined ? {} : { condition }),
    } as const;
    this.#push(work, needs, resources, actions);
  }

  /** Adds a probe as a block without entries. */
  #addProbe({ targets, controls, ancilla, sums, actions }: Probe): void {
    const last = ancilla === undefined ? [] : [this.wireOf[ancilla]!];
    const wires = [...this.#wires(targets), ...last];
    const form = { kind: 'probe', entries: NO_ENTRIES, actions, sums } as const;
    const block = { form, targets: wires, controls: this.#wires(controls) };
    const resources = [...block.targets, ...block.controls];
    const all = [...actions];
    while (all.length < resources.length) all.push(ACTS_DIAGONALLY);
    if (ancilla === undefined) this.#push({ kind: 'probe', block }, [], resources, all);
    else this.#push({ kind: 'block', block }, sums.flips.length > 0 ? wires : last, resources, all);
  }

  #formOf(operation: Operation & { kind: 'gate' | 'unitary' }): BlockForm | undefined {
    if (operation.kind === 'unitary' || operation.angles.length > 1) return newForm(operation);
    const { gate, angles } = operation;
    const [angle = 0] = angles;
    const known = this.#forms.get(gate)?.get(angle);
    if (known !== undefined) return known;
    const form = newForm(operation);
    if (form === undefined) return undefined;
    const byAngle = this.#forms.get(gate);
    if (byAngle === undefined) this.#forms.set(gate, new Map([[angle, form]]));
    else byAngle.set(angle, form);
    return form;
  }

  #addCollapse(operation: MeasureOperation | ResetOperation | SaveOperation): void {
    const qubits = this.#wires(operation.qubits);
    const written = operation.kind === 'measure' ? this.#bits(operation.bits) : [];
    const read = this.#bits(operation.condition?.bits ?? []);
    const drawOrder = this.wireOf.length + this.#numBits;
    const resources = [...new Set([...qubits, ...written, ...read, drawOrder])];
    const work = { kind: 'collapse', operation: { ...operation, qubits } } as const;
    this.#push(work, [], resources, allGeneral(resources));
  }

  #push(
    work: WorkItem['work'],
    needs: readonly Wire[],
    resources: readonly number[],
    actions: readonly number[],
  ): void {
    this.items.push({ work, needs, resources, actions });
  }

  #wires(qubits: readonly Qubit[]): readonly Wire[] {
    return qubits.map((qubit) => this.wireOf[qubit]!);
  }

  #bits(bits: readonly number[]): readonly number[] {
    return [...new Set(bits)].map((bit) => this.wireOf.length + bit);
  }
}

function newForm(operation: GateLike): BlockForm | undefined {
  if (isLinearMap(operation)) return mapForm(operation);
  const form = formOf(targetMatrix(operation));
  if (form === undefined || !isParametric(operation)) return form;
  return { ...form, source: { kind: 'operation', operation } };
}

const allGeneral = (resources: readonly number[]) => resources.map(() => ACTS_GENERALLY);
