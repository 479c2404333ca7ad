/**
 * Prints a circuit as OpenQASM, which parse-openqasm.ts reads back to the same circuit: the part that both versions
 * share, and OpenQASM 2.0, which decomposes further controls and divides the classical bits into registers, because its
 * conditions test whole registers.
 */

import type { Condition, MeasureOperation, NoiseOperation, Qubit } from '../circuit.ts';
import type { Bit } from '../classical-expression.ts';
import { OpenQasmUnprintableError } from '../errors.ts';
import { eulerAngles } from '../gate-matrices.ts';
import { gateNamed } from '../gates.ts';
import { controlledGates, type ElementaryGate, twoLevelGates } from '../multi-control.ts';
import { targetMatrix } from '../operation-matrix.ts';
import {
  call,
  Definitions,
  type Dialect,
  defineGate,
  OpenQasm3Dialect,
  type PrintableCircuit,
  qubit,
  type UnitaryLike,
} from './print-openqasm3.ts';

/**
 * Prints a circuit as a program with one register `q` and, in version 3, one register `c`.
 *
 * Reading it back gives the same unitary and the same measurements; in version 2, which has no global phase,
 * up to that phase. Gates of no library, and explicit unitaries, are printed with their definitions. Version
 * 2 decomposes further controls.
 *
 * @param isPhysical - Version 3 only: names the qubits of a machine, `$5` instead of `q[5]`, which are not declared.
 * @throws {OpenQasmUnprintableError} in version 2, where conditions read overlapping or scattered bits, since it tests
 *   whole registers only, and for noise; in version 3 for noise on more than three qubits; for misread bits.
 */
export function printOpenQasm(
  circuit: PrintableCircuit,
  version: '2' | '3',
  isPhysical = false,
): string {
  const definitions = new Definitions();
  const dialect =
    version === '2'
      ? new OpenQasm2Dialect(circuit, definitions)
      : new OpenQasm3Dialect(circuit, definitions, isPhysical);
  const body = circuit.operations.flatMap((operation, i) => statements(dialect, operation, i));
  const header =
    version === '2'
      ? ['OPENQASM 2.0;', 'include "qelib1.inc";']
      : ['OPENQASM 3.0;', 'include "stdgates.inc";'];
  return `${[...header, ...definitions.lines, ...dialect.declarations(), ...body].join('\n')}\n`;
}

type Printable = PrintableCircuit['operations'][number];

function statements(dialect: Dialect, operation: Printable, index: number): readonly string[] {
  if (operation.kind === 'barrier') {
    const { qubits } = operation;
    // A barrier without operands would span all qubits.
    return qubits.length === 0
      ? []
      : [`barrier ${qubits.map((q) => dialect.qubit(q)).join(', ')};`];
  }
  const lines = unconditioned(dialect, operation, index);
  const { condition } = operation;
  if (condition === undefined || lines.length === 0) return lines;
  return dialect.underCondition(condition, lines, index);
}

function unconditioned(
  dialect: Dialect,
  operation: Exclude<Printable, { kind: 'barrier' }>,
  index: number,
): readonly string[] {
  switch (operation.kind) {
    case 'gate':
    case 'unitary':
      return dialect.gate(operation);
    case 'measure':
      return dialect.measure(operation, index);
    case 'reset':
      return operation.qubits.map((q) => `reset ${dialect.qubit(q)};`);
    case 'noise':
      return [dialect.noise(operation, index)];
    case 'misread':
      throw new OpenQasmUnprintableError(
        `Operation ${index} misreads bits`,
        'OpenQASM has no errors of readout; leave `readout` out of the noise model.',
      );
  }
}

interface Register {
  readonly name: string;
  readonly start: Bit;
  readonly size: number;
}

/** Prints OpenQASM 2.0. */
export class OpenQasm2Dialect implements Dialect {
  readonly #circuit: PrintableCircuit;
  readonly #definitions: Definitions;
  readonly #registers: readonly Register[];

  /** @throws {OpenQasmUnprintableError} where no division makes every condition's bits a register. */
  constructor(circuit: PrintableCircuit, definitions: Definitions) {
    this.#circuit = circuit;
    this.#definitions = definitions;
    this.#registers = registersOf(circuit);
  }

  qubit(index: number): string {
    return qubit(index);
  }

  declarations(): readonly string[] {
    const bits = this.#registers.map(({ name, size }) => `creg ${name}[${size}];`);
    return [`qreg q[${this.#circuit.numQubits}];`, ...bits];
  }

  gate(operation: UnitaryLike): readonly string[] {
    const { controls, targets } = operation;
    if (operation.kind === 'gate') {
      const { openqasm, numControls, numTargets } = gateNamed(operation.gate);
      if (controls.length === numControls && numTargets > 0) {
        defineGate(this.#definitions, openqasm.name, 2);
        return [call(openqasm.name, operation.angles, [...controls, ...targets].map(qubit))];
      }
    }
    return this.#controlled(operation);
  }

  underCondition({ bits, value }: Condition, statements: readonly string[]): readonly string[] {
    const start = Math.min(...bits);
    const register = this.#registers.find((candidate) => candidate.start === start)!;
    const reads = bits.reduce(
      (sum, bit, i) => sum + 2 ** (bit - start) * (Math.floor(value / 2 ** i) % 2),
      0,
    );
    return statements.map((statement) => `if (${register.name} == ${reads}) ${statement}`);
  }

  measure({ qubits, bits, condition }: MeasureOperation, index: number): readonly string[] {
    if (bits.length > 1 && condition?.bits.some((bit) => bits.includes(bit))) {
      throw new OpenQasmUnprintableError(
        `Operation ${index} measures several qubits into bits of its own condition`,
        WHOLE_REGISTERS,
      );
    }
    return qubits.map((q, i) => `measure ${qubit(q)} -> ${this.#bit(bits[i]!)};`);
  }

  noise(_: NoiseOperation, index: number): string {
    throw new OpenQasmUnprintableError(
      `Operation ${index} is a noise channel`,
      'OpenQASM 2 has no noise. OpenQASM 3 can express it.',
    );
  }

  #bit(bit: Bit): string {
    const { name, start } = this.#registers.findLast((register) => register.start <= bit)!;
    return `${name}[${bit - start}]`;
  }

  /** Prints any matrix with any controls by gates of qelib1.inc. */
  #controlled(operation: UnitaryLike): readonly string[] {
    const matrix = targetMatrix(operation);
    const { controls, targets } = operation;
    if (targets.length === 0) {
      // A phase where all controls are 1 is a phase gate on one of them; without controls it has no effect.
      const [last, ...others] = controls;
      if (last === undefined) return [];
      const phase = Float64Array.from([1, 0, 0, 0, 0, 0, ...matrix]);
      return this.#oneQubit(phase, others, last);
    }
    return twoLevelGates(matrix).flatMap((gate) => {
      const own = gate.controls.map(({ position }) => targets[position]!);
      const flips = gate.controls
        .filter(({ value }) => value === 0)
        .map(({ position }) => `x ${qubit(targets[position]!)};`);
      const all = [...controls, ...own];
      const target = targets[gate.target]!;
      return [...flips, ...this.#oneQubit(gate.matrix, all, target), ...flips];
    });
  }

  #oneQubit(matrix: Float64Array, controls: readonly Qubit[], target: Qubit): readonly string[] {
    const used = new Set([...controls, target]);
    const all = Array.from({ length: this.#circuit.numQubits }, (_, q) => q);
    const spare = all.filter((q) => !used.has(q));
    return controlledGates(matrix, controls, target, spare).map(elementary);
  }
}

function elementary(gate: ElementaryGate): string {
  const operands = [...gate.controls, gate.target].map(qubit);
  if (gate.kind === 'x') return call(gate.controls.length === 1 ? 'cx' : 'ccx', [], operands);
  const { theta, phi, lambda, gamma } = eulerAngles(gate.matrix);
  if (gate.controls.length === 0) return call('U', [theta, phi, lambda], operands);
  return call('cu', [theta, phi, lambda, gamma], operands);
}

/** Why a condition cannot be printed. */
const WHOLE_REGISTERS = 'OpenQASM 2 tests whole registers only. OpenQASM 3 can express it.';

/** Divides the bits into registers so that each condition reads one whole register; bits keep their order. */
function registersOf({ numBits, operations }: PrintableCircuit): readonly Register[] {
  if (numBits === 0) return [];
  const ends = new Map<Bit, number>();
  const refused = (index: number, bits: readonly Bit[], why: string) =>
    new OpenQasmUnprintableError(
      `Operation ${index} has a condition on the bits ${bits.join(', ')}, ${why}`,
      WHOLE_REGISTERS,
    );
  const owner = new Map<Bit, Bit>();
  for (const [index, operation] of operations.entries()) {
    if (operation.kind === 'barrier' || operation.condition === undefined) continue;
    const { bits } = operation.condition;
    const start = Math.min(...bits);
    const end = start + bits.length;
    if (Math.max(...bits) + 1 !== end) {
      throw refused(index, bits, 'which are not next to each other');
    }
    const isNew = bits.every((bit) => !owner.has(bit));
    const isKnown = ends.get(start) === end && bits.every((bit) => owner.get(bit) === start);
    if (!isNew && !isKnown) throw refused(index, bits, 'some of which another condition reads');
    ends.set(start, end);
    for (const bit of bits) owner.set(bit, start);
  }
  const cuts = [...new Set([0, numBits, ...ends.keys(), ...ends.values()])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, i) => ({
    name: cuts.length === 2 ? 'c' : `c${i}`,
    start,
    size: cuts[i + 1]! - start,
  }));
}
