/**
 * Compiles a circuit of Clifford gates, some other gates, Pauli noise, measurements, resets and conditions to a
 * stabilizer program around a state of few active qubits (`ActivePart`).
 *
 * The Clifford circuit U that is common to all shots is kept as a tableau of the strings U†·P·U. A rotation about P acts
 * on the inner state as one about U†·P·U. Where that flips an idle qubit, which is |0⟩, a Clifford gate that idle |0⟩
 * controls is moved into U, so that the rotation acts on this qubit alone, and makes it active. Measurements are alike:
 * one that flips an idle qubit is a fair coin, one that acts on active qubits makes one of them idle.
 *
 * Other gates under conditions than Paulis are rotations under conditions, so that U does not depend on outcomes.
 */
import {
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  type MeasureOperation,
  operationQubits,
  type Qubit,
  type ResetOperation,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import { simulated } from '../../circuit/noise/channel.ts';
import type { PauliFactor } from '../../circuit/observable.ts';
import { hasOddParity } from '../../math/basis-index.ts';
import {
  type ActivePart,
  type ActiveRotation,
  bitsOfRotation,
  type Collapse,
  type CoreRotation,
  MAX_GROUP_BITS,
  type RotationGroup,
  STABILIZER_OPS,
  type StabilizerProgram,
} from '../program.ts';
import { StabilizerCode } from './compile-stabilizer.ts';
import { type PauliRotation, rotationsOf } from './gate-rotations.ts';
import { InnerFrame } from './inner-frame.ts';
import { CliffordRecognition, type LocalGate } from './pauli-images.ts';

const { x, y, z, h, s, sdg, cx, cz } = STABILIZER_OPS;
const QUARTER = Math.PI / 2;
const TOLERANCE = 1e-12;
/** Units of work, of about 1 ns each, of an operation beside the rows that it changes. */
const OPERATION_UNITS = 500;

/** Part of the amplitudes that a rotation counts for: up to eight of a group are one multiplication. */
const UPDATES_PER_ROTATION = 0.25;

/** Limits of compiling. */
export interface ActiveLimits {
  /** At most 30. */
  readonly maxActiveQubits: number;
  /** Units of work, of about 1 ns each; no limit unless given. */
  readonly maxUnits?: number;
}

/** Why a circuit has no such program. */
export type NoActiveReason =
  /** The operations that it cannot have, such as `loops`. */
  | { readonly kind: 'unsupported'; readonly what: string }
  /** More active qubits than allowed. */
  | { readonly kind: 'wide' }
  /** Compiling needs more than the units of work that it may take. */
  | { readonly kind: 'long' };

/** A reason as it is thrown. */
class NoProgram extends Error {
  readonly reason: NoActiveReason;

  constructor(reason: NoActiveReason) {
    super(reason.kind);
    this.reason = reason;
  }
}

/** A stabilizer program with active qubits. */
export type ActiveProgram = StabilizerProgram & { readonly active: ActivePart };

/** Programs of circuits that are in use: the choice of a method compiles a circuit, and so do its detectors. */
const known = new WeakMap<DynamicCircuit, ActiveProgram>();

/** Compiles a circuit, or says why it has no such program. */
export function compileActive(
  circuit: DynamicCircuit,
  limits: ActiveLimits,
): ActiveProgram | NoActiveReason {
  const before = known.get(circuit);
  if (before !== undefined && before.active.width <= limits.maxActiveQubits) return before;
  const program = compiled(circuit, limits);
  if (!('kind' in program)) known.set(circuit, program);
  return program;
}

function compiled(circuit: DynamicCircuit, limits: ActiveLimits): ActiveProgram | NoActiveReason {
  const { numQubits, numBits, control } = circuit;
  const writer = new ActiveWriter(numQubits, limits);
  try {
    for (const operation of circuit.operations) writer.add(operation);
  } catch (error) {
    if (error instanceof NoProgram) return error.reason;
    throw error;
  }
  return {
    numQubits,
    numBits,
    ...(control === undefined ? {} : { control }),
    numBodyInstructions: writer.code.numInstructions,
    ...writer.code.tables(),
    reference: 'shared',
    branches: [],
    hasFinalState: false,
    active: writer.active(),
  };
}

class ActiveWriter {
  readonly code = new StabilizerCode();
  readonly #recognition = new CliffordRecognition();
  readonly #frame: InnerFrame;
  readonly #limits: ActiveLimits;
  readonly #rotations: ActiveRotation[] = [];
  readonly #groups: OpenGroup[] = [];
  readonly #collapses: Collapse[] = [];
  /** Instructions that measure a 1 where the frame is the identity. */
  readonly #ones: number[] = [];
  /** Whether the last group may have more rotations: none of its qubits was measured. */
  #isOpen = false;
  #width = 0;
  #updates = 0;
  #units = 0;

  constructor(numQubits: number, limits: ActiveLimits) {
    this.#frame = new InnerFrame(numQubits);
    this.#limits = limits;
    this.#spend(this.#frame.rowsUnits);
  }

  active(): ActivePart {
    const reference = new Uint8Array(this.code.numInstructions);
    for (const place of this.#ones) reference[place] = 1;
    const [rotations, collapses] = [this.#rotations, this.#collapses];
    const groups = this.#groups.map(({ basis, numNew, first, numRotations }) => ({
      basis,
      numNew,
      first,
      numRotations,
    }));
    return { width: this.#width, groups, rotations, collapses, updates: this.#updates, reference };
  }

  add(operation: DynamicOperation): void {
    this.#spend(OPERATION_UNITS);
    switch (operation.kind) {
      case 'barrier':
        break;
      case 'while':
        throw new NoProgram({ kind: 'unsupported', what: 'loops' });
      case 'repeat':
        throw new NoProgram({ kind: 'unsupported', what: 'REPEAT block too long to be unrolled' });
      case 'track':
        throw new NoProgram({ kind: 'unsupported', what: 'observables of Pauli operators' });
      case 'initialize':
        throw new NoProgram({ kind: 'unsupported', what: 'initial states given by numbers' });
      case 'save':
        throw new NoProgram({ kind: 'unsupported', what: 'snapshots' });
      case 'assign':
        this.code.addAssignment(operation);
        break;
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        break;
      case 'noise': {
        const { qubits } = operation;
        const channel = simulated(operation.channel);
        if (channel.kind !== 'pauli') {
          throw new NoProgram({ kind: 'unsupported', what: 'channels that are no Pauli errors' });
        }
        this.code.under(operation.condition, () => this.code.addNoise(channel, qubits));
        break;
      }
      case 'misread':
        this.code.under(operation.condition, () => this.code.addMisread(operation));
        break;
      case 'measure':
      case 'reset':
        this.#addReading(operation);
        break;
    }
  }

  #addReading(operation: MeasureOperation | ResetOperation): void {
    if (operation.condition !== undefined) {
      const what = `${operation.kind === 'reset' ? 'resets' : 'measurements'} under conditions`;
      throw new NoProgram({ kind: 'unsupported', what });
    }
    for (const [i, qubit] of operation.qubits.entries()) {
      const value = this.#measure(qubit);
      if (operation.kind === 'measure') {
        const place = this.code.add(STABILIZER_OPS.measure, qubit, operation.bits[i]!);
        if (value === 1) this.#ones.push(place);
      } else {
        this.code.add(STABILIZER_OPS.reset, qubit);
        if (value === 1) this.#frame.outer.apply({ op: x, a: 0, b: -1 }, [qubit]);
      }
    }
  }

  /** Measures a qubit. Its value where the frame is the identity, which is 0 if it is random. */
  #measure(qubit: Qubit): 0 | 1 {
    const frame = this.#frame;
    const string = frame.inner([{ qubit, pauli: 'Z' }]);
    const coin = frame.idleFlip(string);
    if (coin >= 0) {
      this.#spend(frame.rowsUnits);
      frame.makeZ(string, coin);
      return 0;
    }
    const onActive = frame.onActive(string);
    const bits = onActive.flips === 0 ? onActive.signs : onActive.flips;
    if (bits === 0) return onActive.turns === 2 ? 1 : 0;
    this.#spend(frame.rowsUnits);
    const pivot = 31 - Math.clz32(bits);
    this.#updates += 2 ** frame.active.length;
    const inner = frame.active[pivot]!;
    frame.makeZ(string, inner);
    frame.end(pivot);
    const flip = frame.outerOf(inner, 'X');
    this.#isOpen = false;
    this.code.add(STABILIZER_OPS.collapse, this.#collapses.length);
    this.#collapses.push({ string: onActive, pivot, flip });
    return 0;
  }

  #addGate(operation: GateOperation | UnitaryOperation): void {
    const { condition } = operation;
    const qubits = operationQubits(operation);
    const gates = this.#recognition.gatesOf(operation)?.map(({ op, a, b }) => ({
      op,
      a: qubits[a]!,
      b: b < 0 ? 0 : qubits[b]!,
    }));
    if (gates !== undefined) {
      if (condition === undefined) this.#addClifford(gates);
      else for (const gate of gates) this.#addConditional(gate, condition);
      return;
    }
    const rotations = rotationsOf(operation, qubits);
    if (rotations === undefined) {
      const what =
        'gates with more than one target, or on more than six qubits, that are not diagonal';
      throw new NoProgram({ kind: 'unsupported', what });
    }
    for (const rotation of rotations) this.#rotate(rotation, condition);
  }

  #addClifford(gates: readonly LocalGate[]): void {
    for (const { op, a, b } of gates) {
      this.#spend(this.#frame.rowUnits);
      this.#frame.outer.apply({ op, a: 0, b: 1 }, [a, b]);
      // Frames do not change by Paulis.
      if (op !== x && op !== y && op !== z) this.code.add(op, a, b);
    }
  }

  #addConditional(gate: LocalGate, condition: Condition): void {
    for (const part of conditionalParts(gate)) {
      if ('op' in part) this.code.under(condition, () => this.code.add(part.op, part.a));
      else this.#rotate(part, condition);
    }
  }

  #rotate({ factors, angle }: PauliRotation, condition: Condition | undefined): void {
    const quarters = Math.round(angle / QUARTER);
    const isClifford = Math.abs(angle - quarters * QUARTER) < TOLERANCE;
    if (isClifford && (quarters & 3) === 0) {
      // A full turn is a phase, which a condition makes no difference to.
      return;
    }
    if (isClifford && condition === undefined) {
      this.#addClifford(quarterTurns(factors, quarters & 3));
      return;
    }
    const frame = this.#frame;
    let string = frame.inner(factors);
    const about = {
      flips: factors.filter(({ pauli }) => pauli !== 'Z').map(({ qubit }) => qubit),
      signs: factors.filter(({ pauli }) => pauli !== 'X').map(({ qubit }) => qubit),
    };
    const rotation = {
      angle,
      about,
      ...(condition !== undefined && { condition: this.code.conditionNumber(condition) }),
    };
    const newest = frame.idleFlip(string);
    if (newest >= 0) {
      if (frame.active.length === this.#limits.maxActiveQubits) {
        throw new NoProgram({ kind: 'wide' });
      }
      this.#spend(frame.rowsUnits);
      const stabilizer = frame.outerOf(newest, 'Z');
      frame.makeZ(string, newest);
      const group = this.#groupWith({ group: 0, signs: 0, stabilizer, ...rotation });
      const signs = 1 << frame.begin(newest);
      this.#width = Math.max(this.#width, frame.active.length);
      group.numNew++;
      this.#addRotation(group, { signs, stabilizer, ...rotation });
      return;
    }
    let onActive = frame.onActive(string);
    // Another rotation is a phase.
    if (onActive.flips === 0 && onActive.signs === 0) return;
    let group = this.#groupWith({ group: 0, signs: 0, ...rotation });
    if (onActive.flips !== 0) {
      if (!group.takes(onActive.flips)) group = this.#newGroup();
      this.#spend(frame.rowsUnits);
      this.#updates += 2 ** group.numBefore;
      group.basis.push({ string: frame.diagonalize(onActive, group.numBefore), angle: QUARTER });
      string = frame.inner(factors);
      onActive = frame.onActive(string);
    }
    const signed = onActive.turns === 2 ? { ...rotation, angle: -angle } : rotation;
    this.#addRotation(group, { signs: onActive.signs, ...signed });
  }

  /** The group that is open, if it has room for a rotation. */
  #groupWith(rotation: ActiveRotation): OpenGroup {
    const open = this.#isOpen ? this.#groups.at(-1) : undefined;
    const hasRoom = open !== undefined && open.numBits + bitsOfRotation(rotation) <= MAX_GROUP_BITS;
    return hasRoom ? open : this.#newGroup();
  }

  #newGroup(): OpenGroup {
    const group = new OpenGroup(this.#frame.active.length, this.#rotations.length);
    this.#groups.push(group);
    this.#isOpen = true;
    return group;
  }

  #addRotation(group: OpenGroup, given: Omit<ActiveRotation, 'group'>): void {
    const rotation = { group: this.#groups.length - 1, ...given };
    group.numBits += bitsOfRotation(rotation);
    group.numRotations++;
    group.strings.push(rotation.signs);
    this.#updates += 2 ** this.#frame.active.length * UPDATES_PER_ROTATION;
    this.code.add(STABILIZER_OPS.rotate, this.#rotations.length);
    this.#rotations.push(rotation);
  }

  #spend(units: number): void {
    this.#units += units;
    if (this.#units > (this.#limits.maxUnits ?? Number.POSITIVE_INFINITY)) {
      throw new NoProgram({ kind: 'long' });
    }
  }
}

/** A group while it is written. */
class OpenGroup implements RotationGroup {
  readonly basis: CoreRotation[] = [];
  numNew = 0;
  readonly first: number;
  numRotations = 0;
  /** Active qubits before it. */
  readonly numBefore: number;
  /** As in `MAX_GROUP_BITS`. */
  numBits = 0;
  /** By rotation: the bits with a Z. */
  readonly strings: number[] = [];

  constructor(numBefore: number, first: number) {
    this.numBefore = numBefore;
    this.first = first;
  }

  /** Whether a string with flips commutes with all rotations, and flips no qubit that has become active in the group. */
  takes(flips: number): boolean {
    return (
      flips < 2 ** this.numBefore && this.strings.every((signs) => !hasOddParity(signs & flips))
    );
  }
}

const factor = (pauli: PauliFactor['pauli'], qubit: Qubit): PauliFactor => ({ pauli, qubit });

/** A gate as Paulis and rotations, whose angles a condition may take to 0. */
function conditionalParts({ op, a, b }: LocalGate): readonly (LocalGate | PauliRotation)[] {
  const turn = (angle: number, ...factors: PauliFactor[]) => ({ factors, angle });
  switch (op) {
    case x:
    case y:
    case z:
      return [{ op, a, b }];
    case h:
      return [{ op: z, a, b }, turn(QUARTER, factor('Y', a))];
    case s:
      return [turn(QUARTER, factor('Z', a))];
    case sdg:
      return [turn(-QUARTER, factor('Z', a))];
    case cx:
    case cz: {
      const [control, target] = [factor('Z', a), factor(op === cx ? 'X' : 'Z', b)];
      return [turn(QUARTER, control), turn(QUARTER, target), turn(-QUARTER, control, target)];
    }
    default:
      return (['X', 'Y', 'Z'] as const).map((pauli) =>
        turn(QUARTER, factor(pauli, a), factor(pauli, b)),
      );
  }
}

/** The Clifford rotation by one to three quarter turns about one factor, or about Z of several qubits. */
function quarterTurns(factors: readonly PauliFactor[], quarters: number): readonly LocalGate[] {
  const { pauli, qubit: a } = factors.at(-1)!;
  const on = (op: number): LocalGate => ({ op, a, b: 0 });
  if (pauli === 'Y') return [[z, h], [y], [h, z]][quarters - 1]!.map(on);
  const turn = on([s, z, sdg][quarters - 1]!);
  if (pauli === 'X') return [on(h), turn, on(h)];
  const ladder = factors.slice(0, -1).map(({ qubit }) => ({ op: cx, a: qubit, b: a }));
  return [...ladder, turn, ...ladder.toReversed()];
}
