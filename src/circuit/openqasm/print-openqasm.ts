/** Prints a circuit as OpenQASM, which parse-openqasm.ts reads back to the same circuit. */
import { OpenQasmUnprintableError } from '../errors.ts';
import { Definitions, type Dialect, type PrintableCircuit } from './print-format.ts';
import { OpenQasm2Dialect } from './print-openqasm2.ts';
import { OpenQasm3Dialect } from './print-openqasm3.ts';

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
