/**
 * Detecting regions of a text in Stim's format: for each detector and observable the Pauli string that it is at a TICK.
 * Errors there that anticommute with the string flip it. Signs are left out.
 *
 * It is found by a walk from the end of the text to its beginning over instructions, which have TICKs; error models are
 * (`error-walk.ts`) by one over a program. Both change the same tables by the same rules.
 *
 * @see McEwen, Bacon & Gidney, "Relaxing hardware requirements for surface code circuits using time-dynamics", 2023.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { LETTERS, masksOf, PauliString } from '../../circuit/stim/pauli-string.ts';
import { productsOf } from '../../circuit/stim/read-stim.ts';
import { numBitsOf, type StimExtent, stimExtent } from '../../circuit/stim/stim-extent.ts';
import type { Pauli, Step } from '../../circuit/stim/stim-gates.ts';
import {
  parseStim,
  type StimInstruction,
  type StimStatement,
  type StimTarget,
  stimFault,
} from '../../circuit/stim/stim-text.ts';
import { FlipTables } from './flip-tables.ts';
import { CliffordRecognition } from './pauli-images.ts';
import { NONE, type Symptoms, sum } from './symptoms.ts';

/** The string of a detector or an observable. */
export interface DetectingRegion {
  /** `D4` or `L0`. */
  readonly name: string;
  /** Ascending by qubit. */
  readonly paulis: readonly (readonly [qubit: Qubit, pauli: Pauli])[];
}

/** Instructions and targets that are walked through: some seconds. */
const MAX_STEPS = 20_000_000;

/**
 * The regions at TICKs, of which the first is number 0. Those that are the identity are left out.
 *
 * Where a random measurement or reset makes a detector random, its string is what Stim's `detecting_regions` gives with
 * `ignore_anticommutation_errors`.
 *
 * @param ticks - The TICKs that are wanted; all by default.
 * @returns By TICK, descending; detectors come before observables.
 * @throws {StimTextError} for a fault of the text, gates that are not Clifford, and texts that are too long.
 */
export function detectingRegions(
  text: string,
  ticks?: ReadonlySet<number>,
): ReadonlyMap<number, readonly DetectingRegion[]> {
  const statements = parseStim(text);
  const extent = stimExtent(statements);
  if (extent.numSteps > MAX_STEPS) {
    const most = MAX_STEPS.toLocaleString('en');
    const problem = `With its REPEAT blocks unrolled the text has more instructions and targets than the limit of ${most} for detecting regions.`;
    throw stimFault(text, 0, problem, LIMIT_EXCEEDED);
  }
  const walk = new RegionWalk(text, extent, ticks);
  walk.undoAll(statements);
  return walk.found;
}

/** A walk with the numbers of the detectors, then of the observables, that errors flip at the present point. */
class RegionWalk {
  readonly found = new Map<number, readonly DetectingRegion[]>();
  readonly #text: string;
  readonly #ticks: ReadonlySet<number> | undefined;
  readonly #firstTick: number;
  readonly #tables = new FlipTables();
  readonly #recognition = new CliffordRecognition();
  readonly #numDetectors: number;
  /** Numbers before the present point. */
  #numBits: number;
  #numTicks: number;
  #numDetectorsLeft: number;

  constructor(text: string, extent: StimExtent, ticks: ReadonlySet<number> | undefined) {
    this.#text = text;
    this.#ticks = ticks;
    this.#firstTick = ticks === undefined ? 0 : Math.min(...ticks);
    this.#numBits = extent.numBits;
    this.#numTicks = extent.numTicks;
    this.#numDetectors = extent.numDetectors;
    this.#numDetectorsLeft = extent.numDetectors;
  }

  undoAll(statements: readonly StimStatement[]): void {
    for (const statement of statements.toReversed()) {
      if (this.#numTicks <= this.#firstTick) return;
      if (statement.gate !== undefined) this.#undo(statement);
      else for (let i = 0; i < statement.count; i++) this.undoAll(statement.body);
    }
  }

  #undo(instruction: StimInstruction): void {
    const { gate, targets, args } = instruction;
    const { action } = gate;
    switch (action.kind) {
      case 'gates':
      case 'controlled': {
        const arity = gate.targets === 'pairs' ? 2 : 1;
        const gates = action.steps
          .flatMap((step) => this.#gatesOf(step, [], instruction))
          .toReversed();
        for (let i = targets.length - arity; i >= 0; i -= arity) {
          const operands = targets.slice(i, i + arity);
          if (operands.every((operand) => operand.kind === 'qubit')) {
            const qubits = operands.map(({ qubit }) => qubit);
            this.#undoGates(gates, qubits);
          } else if (action.kind === 'controlled') this.#undoFeedback(action.pauli, operands);
        }
        return;
      }
      case 'rotation': {
        const angles = args.map((angle) => angle * Math.PI);
        const gates = this.#gatesOf([action.gate, 0], angles, instruction).toReversed();
        for (const target of targets) {
          if (target.kind === 'qubit') this.#undoGates(gates, [target.qubit]);
        }
        return;
      }
      case 'measure':
        for (const target of targets.toReversed()) {
          // Checked: its targets are qubits.
          if (target.kind !== 'qubit') continue;
          const { qubit } = target;
          if (action.resets) {
            this.#tables.ofX[qubit] = NONE;
            this.#tables.ofZ[qubit] = NONE;
          }
          if (action.measures) this.#undoMeasurement(masksByQubit([qubit], action.basis));
        }
        return;
      case 'measure-pair':
        for (let i = targets.length - 2; i >= 0; i -= 2) {
          const pair = targets
            .slice(i, i + 2)
            .flatMap((each) => ('qubit' in each ? each.qubit : []));
          this.#undoMeasurement(masksByQubit(pair, action.basis));
        }
        return;
      case 'measure-product':
        for (const parts of partsOf(targets)) this.#undoMeasurement(parts);
        return;
      case 'phase-product':
        for (const parts of partsOf(targets)) this.#multiply(parts, this.#flippedBy(parts));
        return;
      case 'detector':
        this.#numDetectorsLeft--;
        for (const target of targets) this.#flipRecord(target, [this.#numDetectorsLeft]);
        return;
      case 'observable': {
        const symptoms = [this.#numDetectors + args[0]!];
        for (const target of targets) {
          if (target.kind === 'pauli') {
            this.#multiply(masksByQubit([target.qubit], target.pauli), symptoms);
          } else this.#flipRecord(target, symptoms);
        }
        return;
      }
      default:
        // Bits of heralds and constants depend on no string.
        for (let i = numBitsOf(instruction); i > 0; i--) this.#takeBit();
        if (gate.name === 'TICK') this.#undoTick();
    }
  }

  #undoTick(): void {
    this.#numTicks--;
    if (this.#ticks?.has(this.#numTicks) !== false) this.found.set(this.#numTicks, this.#regions());
  }

  #regions(): readonly DetectingRegion[] {
    const masks = new Map<number, Map<Qubit, number>>();
    const add = (table: readonly Symptoms[], mask: number) => {
      // Not by index: a text may name few qubits of high numbers.
      for (const [key, symptoms] of Object.entries(table)) {
        const qubit = Number(key);
        for (const each of symptoms) {
          const own = masks.get(each) ?? new Map<Qubit, number>();
          own.set(qubit, (own.get(qubit) ?? 0) | mask);
          masks.set(each, own);
        }
      }
    };
    // An X error flips what has a Z.
    add(this.#tables.ofX, 2);
    add(this.#tables.ofZ, 1);
    return [...masks]
      .toSorted(([a], [b]) => a - b)
      .map(([number, own]) => ({
        name: number < this.#numDetectors ? `D${number}` : `L${number - this.#numDetectors}`,
        paulis: [...own]
          .toSorted(([a], [b]) => a - b)
          // Checked: each mask has a bit.
          .map(([qubit, mask]) => [qubit, LETTERS[mask] as Pauli] as const),
      }));
  }

  /** The Clifford gates that a step is, on the operands of its instruction. */
  #gatesOf([name, ...places]: Step, angles: readonly number[], { gate, offset }: StimInstruction) {
    const { numControls } = gateNamed(name);
    const [controls, targets] = [places.slice(0, numControls), places.slice(numControls)];
    const operation = { kind: 'gate', gate: name, controls, targets, angles } as const;
    const gates = this.#recognition.gatesOf(operation);
    if (gates !== undefined)
      return gates.map(({ op, a, b }) => [op, places[a]!, places[b] ?? 0] as const);
    const problem = `${gate.name} is not Clifford. Detecting regions are those of Clifford gates.`;
    throw stimFault(this.#text, offset, problem);
  }

  #undoGates(
    gates: readonly (readonly [op: number, a: number, b: number])[],
    qubits: readonly Qubit[],
  ): void {
    for (const [op, a, b] of gates) this.#tables.undoGate(op, qubits[a]!, qubits[b]!);
  }

  /** An error of the bit flips what the Pauli gate under it flips. */
  #undoFeedback(pauli: Pauli, operands: readonly StimTarget[]): void {
    const target = operands.find((operand) => operand.kind === 'qubit');
    if (target === undefined) return;
    const flipped = this.#flippedBy(masksByQubit([target.qubit], pauli));
    for (const operand of operands) this.#flipRecord(operand, flipped);
  }

  #undoMeasurement(parts: ReadonlyMap<Qubit, number>): void {
    this.#multiply(parts, this.#takeBit());
  }

  #takeBit(): Symptoms {
    this.#numBits--;
    return this.#tables.takeBit(this.#numBits);
  }

  #flipRecord(target: StimTarget, symptoms: Symptoms): void {
    if (target.kind !== 'record') return;
    const bit = this.#numBits - target.back;
    if (bit < 0) {
      throw stimFault(
        this.#text,
        target.offset,
        `rec[-${target.back}] is before the first measurement.`,
      );
    }
    this.#tables.flipBit(bit, symptoms);
  }

  /** What a Pauli string flips. */
  #flippedBy(parts: ReadonlyMap<Qubit, number>): Symptoms {
    let symptoms = NONE;
    for (const [qubit, mask] of parts) {
      symptoms = sum(symptoms, this.#tables.flippedBy(qubit, mask));
    }
    return symptoms;
  }

  /** Multiplies the strings of some detectors and observables by a string. */
  #multiply(parts: ReadonlyMap<Qubit, number>, symptoms: Symptoms): void {
    for (const [qubit, mask] of parts) this.#tables.multiply(qubit, mask, symptoms);
  }
}

/** The string of one Pauli on some qubits: bit 0 for X, bit 1 for Z. */
function masksByQubit(qubits: readonly Qubit[], pauli: Pauli): ReadonlyMap<Qubit, number> {
  const { flips, signs } = masksOf(pauli);
  return new Map(qubits.map((qubit) => [qubit, flips | (signs << 1)]));
}

/** The strings of an instruction's products, from the last to the first. */
function partsOf(targets: readonly StimTarget[]): readonly ReadonlyMap<Qubit, number>[] {
  return productsOf(targets)
    .toReversed()
    .map((factors) => {
      const string = new PauliString();
      for (const factor of factors) string.multiply(factor);
      return string.parts;
    });
}
