/**
 * Writes the circuit of a text in Stim's format: gates, measurements into the next bits, and noise. One qubit beyond
 * those of the text is |0⟩ before and after each use: heralds and constants are measured on it, and errors of many
 * qubits made by it.
 */
import type { DynamicOperation, Qubit, StatementRole } from '../circuit.ts';
import { type CircuitLimits, MAX_CLASSICAL_BITS, tooManyQubits } from '../circuit-limits.ts';
import type { Bit } from '../classical-expression.ts';
import { gateNamed } from '../gates.ts';
import type { Channel, PauliChannel, PauliError } from '../noise/channel.ts';
import { loss, pauliChannel } from '../noise/named-channels.ts';
import { FROM_Z, LETTERS, masksOf, type PauliString, TO_Z } from './pauli-string.ts';
import type { Pauli, Step, StimAction } from './stim-gates.ts';

/** A qubit of an instruction, and whether its outcome is inverted. */
export interface TargetQubit {
  readonly qubit: Qubit;
  readonly isInverted: boolean;
}

/** A growing circuit. */
export class StimCircuit {
  /** Of the text, or of the body of a loop that is open. */
  operations: DynamicOperation[] = [];
  numBits = 0;
  /** Operations so far, those of loops once. */
  numWritten = 0;
  readonly #mostBits: number;
  readonly #limits: CircuitLimits;
  readonly #pastLimit: (problem: string) => Error;
  readonly #channels = new Map<string, Channel | undefined>();
  /** The qubit beyond those of the text. */
  readonly #spare: Qubit;
  #usesSpare = false;

  /**
   * @param numQubits - Of the text.
   * @param keepsLoops - Whether bits are counted by rounds, which whoever reads the text limits.
   * @param pastLimit - Makes the error of an instruction that exceeds a limit.
   */
  constructor(
    numQubits: number,
    keepsLoops: boolean,
    limits: CircuitLimits,
    pastLimit: (problem: string) => Error,
  ) {
    this.#spare = numQubits;
    this.#mostBits = keepsLoops ? Number.POSITIVE_INFINITY : MAX_CLASSICAL_BITS;
    this.#limits = limits;
    this.#pastLimit = pastLimit;
  }

  /** Qubits so far, with that beyond those of the text if it is used. */
  get numQubits(): number {
    return this.#usesSpare ? this.#spare + 1 : this.#spare;
  }

  /** Begins the body of a loop; returns the operations around it. */
  begin(): DynamicOperation[] {
    const outer = this.operations;
    this.operations = [];
    return outer;
  }

  /** Ends the body of a loop. */
  end(outer: DynamicOperation[], { count, numBits }: { count: number; numBits: number }): void {
    const body = this.operations;
    this.operations = outer;
    this.push({ kind: 'repeat', count, numBits, body });
    this.numBits += (count - 1) * numBits;
  }

  push(operation: DynamicOperation): void {
    const { maxGates } = this.#limits;
    if (this.operations.length >= maxGates) {
      const problem = `With its REPEAT blocks unrolled the circuit has more operations than the limit max_gates of ${maxGates}.`;
      throw this.#pastLimit(problem);
    }
    this.operations.push(operation);
    this.numWritten++;
  }

  addGate(
    name: string,
    operands: readonly Qubit[],
    role?: StatementRole,
    angles: readonly number[] = [],
    bit?: Bit,
  ): void {
    const { numControls } = gateNamed(name);
    this.push({
      kind: 'gate',
      gate: name,
      controls: operands.slice(0, numControls),
      targets: operands.slice(numControls),
      angles,
      ...(bit !== undefined && { condition: { bits: [bit], value: 1 } }),
      ...(role !== undefined && { role }),
    });
  }

  addSteps(steps: readonly Step[], main: number, qubits: readonly Qubit[]): void {
    for (const [i, [name, ...places]] of steps.entries()) {
      const role = i === main ? undefined : i < main ? 'opening' : 'closing';
      this.addGate(
        name,
        places.map((place) => qubits[place]!),
        role,
      );
    }
  }

  /** Numbers of new bits. */
  #newBits(count: number): readonly Bit[] {
    const first = this.numBits;
    this.numBits += count;
    if (this.numBits > this.#mostBits) {
      const problem = `With its REPEAT blocks unrolled the circuit has more measurements than the limit of ${MAX_CLASSICAL_BITS.toLocaleString('en')}.`;
      throw this.#pastLimit(problem);
    }
    return Array.from({ length: count }, (_, i) => first + i);
  }

  measure(
    { basis, measures, resets }: Extract<StimAction, { kind: 'measure' }>,
    targets: readonly TargetQubit[],
    flipped: number,
  ): void {
    for (const group of distinctRuns(targets)) {
      const qubits = group.map(({ qubit }) => qubit);
      const inverted = group.filter(({ isInverted }) => isInverted);
      const toZ = TO_Z[basis];
      if (toZ !== undefined && measures)
        for (const qubit of qubits) this.addGate(toZ, [qubit], 'opening');
      if (measures) {
        for (const { qubit } of inverted) this.addGate('X', [qubit], 'opening');
        this.#measureInZ(qubits, flipped);
        if (!resets) for (const { qubit } of inverted) this.addGate('X', [qubit], 'closing');
      }
      if (resets) this.push({ kind: 'reset', qubits });
      const fromZ = FROM_Z[basis];
      if (fromZ !== undefined) for (const qubit of qubits) this.addGate(fromZ, [qubit], 'closing');
    }
  }

  #measureInZ(qubits: readonly Qubit[], flipped: number): void {
    const bits = this.#newBits(qubits.length);
    this.push({ kind: 'measure', qubits, bits });
    if (flipped > 0) this.push({ kind: 'misread', bits, p1Given0: flipped, p0Given1: flipped });
  }

  /** Brings a product to Z on one qubit by gates, which `undo` takes back. */
  #gathered({ parts }: PauliString): { readonly qubit: Qubit; undo(): void } {
    const qubits = [...parts.keys()];
    const qubit = qubits.at(-1)!;
    const others = qubits.slice(0, -1);
    for (const [each, mask] of parts) this.#turn(TO_Z, each, mask, 'opening');
    for (const other of others) this.addGate('CX', [other, qubit], 'opening');
    return {
      qubit,
      undo: () => {
        for (const other of others.toReversed()) this.addGate('CX', [other, qubit], 'closing');
        for (const [each, mask] of parts) this.#turn(FROM_Z, each, mask, 'closing');
      },
    };
  }

  #turn(table: typeof TO_Z | typeof FROM_Z, qubit: Qubit, mask: number, role: StatementRole) {
    // Checked: parts that are 0 are left out.
    const gate = table[LETTERS[mask] as Pauli];
    if (gate !== undefined) this.addGate(gate, [qubit], role);
  }

  measureProduct(string: PauliString, flipped: number): void {
    const isNegative = string.phase === 2;
    if (string.parts.size === 0) {
      this.measureConstant(isNegative, flipped);
      return;
    }
    const { qubit, undo } = this.#gathered(string);
    if (isNegative) this.addGate('X', [qubit], 'opening');
    this.#measureInZ([qubit], flipped);
    if (isNegative) this.addGate('X', [qubit], 'closing');
    undo();
  }

  addPhase(string: PauliString, gate: 'S' | 'SDG'): void {
    if (string.parts.size === 0) return;
    const { qubit, undo } = this.#gathered(string);
    const inverse = gate === 'S' ? 'SDG' : 'S';
    this.addGate(string.phase === 2 ? inverse : gate, [qubit]);
    undo();
  }

  measureConstant(value: boolean, flipped: number): void {
    this.#useSpare();
    if (value) this.addGate('X', [this.#spare], 'opening');
    this.#measureInZ([this.#spare], flipped);
    if (value) this.addGate('X', [this.#spare], 'closing');
  }

  #useSpare(): void {
    const { maxQubits } = this.#limits;
    if (!this.#usesSpare && this.#spare >= maxQubits) {
      const problem = tooManyQubits(
        'With one for this instruction the circuit has more qubits',
        this.#spare + 1,
        this.#limits,
      );
      throw this.#pastLimit(problem);
    }
    this.#usesSpare = true;
  }

  addLoss(targets: readonly TargetQubit[], probability: number): void {
    const channel = loss(probability);
    if (channel === undefined) return;
    for (const { qubit } of targets) this.push({ kind: 'noise', qubits: [qubit], channel });
  }

  measureLoss(targets: readonly TargetQubit[]): void {
    const bits = this.#newBits(targets.length);
    const qubits = targets.map(({ qubit }) => qubit);
    this.push({ kind: 'measure', qubits, bits, readsLoss: true });
  }

  /** One object for channels that are alike. */
  channelOf(
    name: string,
    numQubits: number,
    errors: () => readonly PauliError[],
    approximation?: PauliChannel['approximation'],
  ): Channel | undefined {
    if (!this.#channels.has(name)) {
      const channel = pauliChannel(numQubits, errors());
      const isMarked = approximation !== undefined && channel?.kind === 'pauli';
      this.#channels.set(name, isMarked ? { ...channel, approximation } : channel);
    }
    return this.#channels.get(name);
  }

  /** A herald is an X error of the spare qubit that comes with each of the others. */
  addHeralded(
    name: string,
    { strings, isShared }: Extract<StimAction, { kind: 'heralded' }>,
    targets: readonly TargetQubit[],
    args: readonly number[],
  ): void {
    this.#useSpare();
    const errors = () =>
      strings.map((string, i) => {
        const { flips, signs } = masksOf(string);
        const probability = isShared ? args[0]! / strings.length : args[i]!;
        return { flips: flips | 2, signs, probability };
      });
    const channel = this.channelOf(`${name} ${args.join()}`, 2, errors, 'added');
    for (const { qubit } of targets) {
      if (channel !== undefined) {
        this.push({ kind: 'noise', qubits: [qubit, this.#spare], channel });
      }
      this.#measureInZ([this.#spare], 0);
      this.push({ kind: 'reset', qubits: [this.#spare] });
    }
  }

  /** An error of many qubits: one of the spare qubit, which controls their Paulis and is reset. */
  addWideError({ parts }: PauliString, probability: number): void {
    const channel = this.channelOf(`X_ERROR ${probability}`, 1, () => [
      { flips: 1, signs: 0, probability },
    ]);
    if (channel === undefined) return;
    this.#useSpare();
    this.push({ kind: 'noise', qubits: [this.#spare], channel });
    for (const [qubit, mask] of parts) {
      this.addGate(`C${LETTERS[mask]}`, [this.#spare, qubit], 'opening');
    }
    this.push({ kind: 'reset', qubits: [this.#spare], role: 'opening' });
  }
}

/** Cuts targets where a qubit comes again. */
function distinctRuns(targets: readonly TargetQubit[]): readonly (readonly TargetQubit[])[] {
  const runs: TargetQubit[][] = [];
  let seen = new Set<Qubit>();
  for (const target of targets) {
    if (runs.length === 0 || seen.has(target.qubit)) {
      runs.push([]);
      seen = new Set();
    }
    seen.add(target.qubit);
    runs.at(-1)!.push(target);
  }
  return runs;
}
