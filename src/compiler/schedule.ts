/**
 * Schedules a circuit into steps: orders the work so that few sweeps are needed.
 *
 * A circuit with loops is divided into parts at the beginnings and ends of loops. There, every qubit is in
 * its own place, so that all rounds are alike.
 *
 * Each stage has a file: `work-list.ts` (work items and what commutes), `sweep-plan.ts` and `sweep-search.ts`
 * (qubits resident in each sweep), `exchange-plan.ts` (qubits within reach of a tile), `sweep-layout.ts`
 * (places of qubits), `fuse-blocks.ts` (blocks). This file combines them.
 */
import {
  type AssignOperation,
  type DynamicCircuit,
  type DynamicOperation,
  type MeasureOperation,
  type MisreadOperation,
  notByStabilizers,
  type Operation,
  type Qubit,
  type SaveOperation,
} from '../circuit/circuit.ts';
import type { Block, BlockForm } from './block.ts';
import { DEFAULT_COSTS } from './cost-model.ts';
import { KernelTooWideError } from './errors.ts';
import { isWithinReach, planSteps, reachOf } from './exchange-plan.ts';
import { fuseBlocks } from './fuse-blocks.ts';
import { MatrixPool } from './matrix-pool.ts';
import {
  type Kernel,
  localQubits,
  type PermutationKernel,
  type ProbeKernel,
  type Program,
  type Step,
  type TargetProfile,
} from './program.ts';
import { SweepLayout } from './sweep-layout.ts';
import { type PlannedStep, type PlannedSweep, runsOf, type StartLayout } from './sweep-plan.ts';
import { noiseIsNoStep, onWires, workOf } from './work-list.ts';

/** A program without its hash. */
export type UnhashedProgram = Omit<Program, 'hash'>;

/** A program with figures for the report. */
export interface Scheduled {
  readonly program: UnhashedProgram;
  /** Kernels that combine several operations of the circuit. */
  readonly fusedBlocks: number;
  /** By offset, the forms of kernels that depend on parameters. */
  readonly parametric: ReadonlyMap<number, BlockForm>;
}

/**
 * Schedules an optimized circuit. If an operation is too wide, the error names its index in the caller's circuit:
 * passes never widen an operation, so the original circuit fails too.
 *
 * @throws {KernelTooWideError} as `schedule` does.
 */
export function scheduleOf(
  optimized: DynamicCircuit,
  original: DynamicCircuit,
  target: TargetProfile,
): Scheduled {
  try {
    return schedule(optimized, target);
  } catch (error) {
    if (error instanceof KernelTooWideError) return schedule(original, target);
    throw error;
  }
}

/**
 * Returns the steps of a circuit, with their matrices and layout, and figures for the report.
 *
 * @param start - For a circuit without loops; where absent, qubits may be anywhere before the first step.
 * @param measuresAtHome - Whether all operations before a measurement are done then and none after it, with every qubit
 *   in its own place there and at the end.
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than
 *   `target.maxDenseQubits`.
 */
export function schedule(
  circuit: DynamicCircuit,
  target: TargetProfile,
  start?: StartLayout,
  measuresAtHome = false,
): Scheduled {
  const widest = Math.min(target.tileQubits, reachOf(target));
  if (widest < target.contiguousQubits + target.maxDenseQubits) {
    throw new Error('unreachable: the target profile has a tile too small for its widest kernel');
  }
  const { numQubits, numBits, control } = circuit;
  const pool = new MatrixPool();
  const parts = new PartList(circuit, target, pool, start, measuresAtHome);
  parts.add(circuit.operations);
  if (start?.returns === true) parts.moveTo(start.placeOf);
  if (measuresAtHome) parts.moveHome();
  const program = {
    numQubits,
    numBits,
    ...(control === undefined ? {} : { control }),
    steps: parts.steps,
    matrices: pool.entries(),
    finalLayout: parts.layout,
  };
  return { program, fusedBlocks: parts.fusedBlocks, parametric: pool.parametric };
}

type PartOperation = Operation | SaveOperation | AssignOperation | MisreadOperation;

/** Schedules the parts of a circuit, one after the other. */
class PartList {
  readonly steps: Step[] = [];
  fusedBlocks = 0;
  /** Place of each qubit. */
  layout: readonly Qubit[];
  readonly #circuit: DynamicCircuit;
  readonly #target: TargetProfile;
  readonly #pool: MatrixPool;
  readonly #start: StartLayout | undefined;
  readonly #measuresAtHome: boolean;
  /** Layout with every qubit in the place of its own number. */
  readonly #home: readonly Qubit[];

  constructor(
    circuit: DynamicCircuit,
    target: TargetProfile,
    pool: MatrixPool,
    start: StartLayout | undefined,
    measuresAtHome: boolean,
  ) {
    this.#measuresAtHome = measuresAtHome;
    this.#circuit = circuit;
    this.#target = target;
    this.#pool = pool;
    this.#start = start;
    this.#home = Array.from({ length: circuit.numQubits }, (_, qubit) => qubit);
    this.layout = start?.placeOf ?? this.#home;
  }

  /**
   * Adds operations. Every qubit is in its own place at the beginning of a loop and at the end of its body.
   */
  add(operations: readonly DynamicOperation[]): void {
    let part: PartOperation[] = [];
    for (const operation of operations) {
      if (operation.kind === 'noise') throw noiseIsNoStep();
      if (operation.kind === 'track' || operation.kind === 'repeat') {
        throw notByStabilizers(operation);
      }
      if (operation.kind === 'initialize') {
        if (part.length + this.steps.length > 0)
          throw new Error('unreachable: a late initial state');
        this.steps.push({ kind: 'initialize', state: operation.state, places: this.layout });
        continue;
      }
      const isMeasuredAtHome = this.#measuresAtHome && operation.kind === 'measure';
      if (operation.kind !== 'while' && !isMeasuredAtHome) {
        part.push(operation);
        continue;
      }
      this.#addPart(part);
      part = [];
      this.moveHome();
      if (operation.kind !== 'while') {
        this.steps.push(operation);
        continue;
      }
      const head = this.steps.push({ kind: 'loop', condition: operation.condition, end: 0 }) - 1;
      this.add(operation.body);
      this.moveHome();
      this.steps.push({ kind: 'again', head });
      this.steps[head] = {
        kind: 'loop',
        condition: operation.condition,
        end: this.steps.length,
      };
    }
    this.#addPart(part);
  }

  #addPart(operations: readonly PartOperation[]): void {
    if (operations.length === 0) return;
    const work = workOf({ ...this.#circuit, operations }, this.#target.maxDenseQubits);
    const start = isWithinReach(this.#target, this.#home.length) ? this.#start : undefined;
    const { steps: plan, slotOf } = planSteps(work, this.#target, start);
    const emitter = new Emitter(plan, this.#home.length, this.#target, this.#pool, start);
    const placeOf = slotOf.map((slot) => emitter.placeOf[slot]!);
    // A part chooses its own initial layout. At the beginning of the circuit that needs no moves.
    const [first, ...others] = this.steps;
    const isNew = first === undefined || (first.kind === 'initialize' && others.length === 0);
    const hasLayout = !isNew || (this.#start !== undefined && start === undefined);
    const before = placesBefore(emitter.steps, placeOf);
    if (hasLayout) this.moveTo(before);
    else if (first !== undefined) this.steps[0] = { ...first, places: before };
    for (const step of emitter.steps) this.steps.push(step);
    this.fusedBlocks += emitter.fusedBlocks;
    this.layout = work.wireOf.map((wire) => placeOf[wire]!);
    for (const measurement of work.lastMeasurements) {
      this.steps.push(placed(measurement, this.layout));
    }
    for (const assignment of work.lastAssignments) this.steps.push(assignment);
  }

  /** Moves every qubit to the place of its own number. */
  moveHome(): void {
    this.moveTo(this.#home);
  }

  /** Moves every qubit to a place. */
  moveTo(layout: readonly Qubit[]): void {
    for (const step of moveSteps(this.layout, layout, this.#target, this.#pool))
      this.steps.push(step);
    this.layout = layout;
  }
}

/** Assigns places to planned steps, and turns their blocks into kernels. */
class Emitter {
  readonly steps: Step[] = [];
  readonly #target: TargetProfile;
  readonly #layout: SweepLayout;
  readonly #pool: MatrixPool;
  #fusedBlocks = 0;

  constructor(
    plan: readonly PlannedStep[],
    numWires: number,
    target: TargetProfile,
    pool: MatrixPool,
    start: StartLayout | undefined,
  ) {
    this.#target = target;
    this.#pool = pool;
    this.#layout = new SweepLayout(plan, numWires, target.contiguousQubits, start);
    for (const step of plan) {
      this.#emit(step);
    }
  }

  /** Place of each wire after the last step. */
  get placeOf(): readonly Qubit[] {
    return this.#layout.placeOf;
  }

  get fusedBlocks(): number {
    return this.#fusedBlocks;
  }

  #emit(step: PlannedStep): void {
    switch (step.kind) {
      case 'sweep':
        this.#emitSweep(step);
        return;
      case 'collapse':
        this.steps.push(onWires(step.operation, (wire) => this.placeOf[wire]!));
        return;
      case 'probing':
        this.steps.push({
          kind: 'probing',
          probes: step.blocks.map((block) => probeOf(block, this.placeOf)),
        });
        return;
      case 'exchange': {
        const pairs = step.pairs.map(
          ([far, near]) => [this.placeOf[far]!, this.placeOf[near]!] as const,
        );
        this.steps.push({ kind: 'exchange', pairs });
        return;
      }
    }
  }

  #emitSweep(planned: PlannedSweep): void {
    const { wires, condition } = planned;
    const { maxDenseQubits, costs = DEFAULT_COSTS } = this.#target;
    const fused = runsOf(planned).flatMap((run) =>
      fuseBlocks(run, { resident: wires, maxDenseQubits, costs }),
    );
    this.#fusedBlocks += fused.filter(({ numFactors }) => numFactors > 1).length;
    const sweep = this.#layout.enter();
    const kernels = fused.map(({ block }) => kernelOf(block, this.placeOf, this.#pool));
    const { resident, store } = sweep;
    // A sweep whose blocks cancel may still be needed for its store.
    if (kernels.length > 0 || store !== undefined) {
      this.steps.push({
        kind: 'sweep',
        resident,
        kernels,
        ...(store === undefined ? {} : { store }),
        ...(condition === undefined ? {} : { condition }),
      });
    }
    this.#layout.leave(sweep);
  }
}

/** Moves a measurement to the places of its qubits. */
function placed(operation: MeasureOperation, placeOf: readonly Qubit[]): MeasureOperation {
  return { ...operation, qubits: operation.qubits.map((qubit) => placeOf[qubit]!) };
}

/**
 * Returns the kernel of a block.
 *
 * @param placeOf - Physical qubit of each wire.
 */
export function kernelOf(block: Block, placeOf: readonly Qubit[], pool: MatrixPool): Kernel {
  const { form } = block;
  const targets = block.targets.map((wire) => placeOf[wire]!);
  const controls = block.controls.map((wire) => placeOf[wire]!);
  if (form.kind === 'probe') return probeOf(block, placeOf);
  const offset = pool.addForm(form);
  switch (form.kind) {
    case 'dense':
    case 'diagonal':
      return { kind: form.kind, targets, controls, offset };
    case 'permutation':
      return { kind: form.kind, targets, controls, offset, rows: form.rows };
    case 'map':
      return { kind: form.kind, targets, controls, offset, rows: form.rows, rest: form.rest };
  }
}

/** Returns the kernel of a block that is a probe. */
function probeOf({ form, targets, controls }: Block, placeOf: readonly Qubit[]): ProbeKernel {
  if (form.kind !== 'probe') throw new Error('unreachable: a block that is no probe');
  const places = targets.map((wire) => placeOf[wire]!);
  const numTargets = form.actions.length;
  const [ancilla] = places.slice(numTargets);
  return {
    kind: 'probe',
    targets: places.slice(0, numTargets),
    controls: controls.map((wire) => placeOf[wire]!),
    ...(ancilla === undefined ? {} : { ancilla }),
    sums: form.sums,
  };
}

/** Entries of a permutation of two qubits without phases. */
const ONES = Float64Array.of(1, 0, 1, 0, 1, 0, 1, 0);

/** Places of wires before steps that left them in the places `after`. */
function placesBefore(steps: readonly Step[], after: readonly Qubit[]): readonly Qubit[] {
  let places = after;
  for (const step of steps.toReversed()) {
    const cameFrom = new Map<Qubit, Qubit>();
    if (step.kind === 'exchange') {
      for (const [far, near] of step.pairs) cameFrom.set(far, near).set(near, far);
    } else if (step.kind === 'sweep' && step.store !== undefined) {
      for (const [i, place] of step.resident.entries()) cameFrom.set(step.store[i]!, place);
    }
    if (cameFrom.size > 0) places = places.map((place) => cameFrom.get(place) ?? place);
  }
  return places;
}

/**
 * Returns steps that move each qubit from place `from[qubit]` to place `to[qubit]` without applying gates: parts of a
 * circuit with loops each have their own layout.
 */
function moveSteps(
  from: readonly Qubit[],
  to: readonly Qubit[],
  target: TargetProfile,
  pool: MatrixPool,
): readonly Step[] {
  const steps: Step[] = [];
  /** Destination of the qubit at each place. */
  const goesTo = Array.from(from, (_, place) => place);
  for (const [qubit, place] of from.entries()) goesTo[place] = to[qubit]!;
  const swap = (a: Qubit, b: Qubit) => {
    [goesTo[a], goesTo[b]] = [goesTo[b]!, goesTo[a]!];
  };
  const numQubits = from.length;
  const numNear = Math.min(reachOf(target), localQubits(target, numQubits), numQubits);
  // Far places first: each is exchanged with the near place that holds its qubit.
  for (let far = numNear; far < numQubits; far++) {
    if (goesTo[far] === far) continue;
    const source = goesTo.indexOf(far);
    if (source >= numNear) {
      steps.push({ kind: 'exchange', pairs: [[source, 0]] });
      swap(source, 0);
    }
    const near = source >= numNear ? 0 : source;
    steps.push({ kind: 'exchange', pairs: [[far, near]] });
    swap(far, near);
  }
  // Then swaps of near places, as many in a sweep as its tile can hold. A store cannot do it: a tile that is
  // the whole state is changed in place.
  const tileQubits = Math.min(target.tileQubits, numNear);
  const lowest = Array.from({ length: Math.min(target.contiguousQubits, numNear) }, (_, i) => i);
  const offset = pool.add(ONES);
  let resident = new Set<Qubit>(lowest);
  let kernels: PermutationKernel[] = [];
  const finishSweep = () => {
    if (kernels.length === 0) return;
    steps.push({ kind: 'sweep', resident: [...resident].sort((a, b) => a - b), kernels });
    resident = new Set(lowest);
    kernels = [];
  };
  for (const first of goesTo.keys()) {
    while (goesTo[first] !== first) {
      const targets = [first, goesTo[first]!] as const;
      if (resident.union(new Set(targets)).size > tileQubits) finishSweep();
      for (const place of targets) resident.add(place);
      kernels.push({ kind: 'permutation', targets, controls: [], offset, rows: [0, 2, 1, 3] });
      swap(...targets);
    }
  }
  finishSweep();
  return steps;
}
