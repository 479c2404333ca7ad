/**
 * Recognizes definitions of gates that the gate table has.
 *
 * Exporters define gates that the program's library lacks: `gate ryy(t) a, b { rx(pi/2) a; … }`. As a gate of
 * the table, such a call is one operation instead of the seven of its definition, which the compiler would
 * have to gather again.
 *
 * A definition counts as the table's gate if it has the same name and, for one set of angles, the same
 * matrix, its phase included. Both matrices are analytic functions of the angles, because a definition with
 * anything but sums, differences, products and quotients is left alone. Two such functions that differ
 * anywhere are equal only on a set of measure zero, and the angles that are tried have no relation to
 * anything that a program would write.
 */
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import type { Operation } from '../circuit.ts';
import { OpenQasmError } from '../errors.ts';
import { matrixOfOperations } from '../operation-matrix.ts';
import type { Instruction } from './expressions.ts';
import { expandGate, fixAngles, NO_QUBITS, type OperationSink } from './gate-expansion.ts';
import { TABLE_GATES } from './gate-library.ts';
import type { DefinedGate, GateMeaning, TableGate } from './gate-meaning.ts';
import type { TokenStream } from './token-stream.ts';

/** Wider gates of the table are never defined anew, and their matrices would take long. */
const MAX_QUBITS = 3;
/** Operations of the longest definition that is looked at. */
const MAX_GATES = 64;
/** Largest difference of entries: of the order of roundings, far less than that of a rounded π. */
const TOLERANCE = 1e-13;
/** Angles that are tried, for as many parameters as any gate of the table has. */
const TRIED = [0.739085133215, 1.902160577783, -2.236148072397, 0.915965594177] as const;

/** The gate of the table that a definition of this name equals; undefined if it equals none. */
export function equalTableGate(
  name: string,
  gate: GateMeaning,
  tokens: TokenStream,
): TableGate | undefined {
  const table = TABLE_GATES.get(name);
  if (table?.kind !== 'table' || gate.kind !== 'defined') return undefined;
  const isAlike =
    table.takesMoreControls !== true &&
    table.numQubits === gate.numQubits &&
    table.numParameters === gate.numParameters &&
    table.numParameters <= TRIED.length &&
    table.numQubits > 0 &&
    table.numQubits <= MAX_QUBITS &&
    gate.cost.gates <= MAX_GATES &&
    isAnalytic(gate);
  if (!isAlike) return undefined;
  const angles = TRIED.slice(0, gate.numParameters);
  const expected = matrixOf(table, angles, tokens);
  const found = matrixOf(gate, angles, tokens);
  const isEqual = expected?.every(
    (entry, i) => Math.abs(entry - (found?.[i] ?? Number.NaN)) <= TOLERANCE,
  );
  return isEqual ? table : undefined;
}

/** Whether a definition's matrix is an analytic function of its angles. */
function isAnalytic({ body }: DefinedGate): boolean {
  return body.every(
    (statement) =>
      statement.kind === 'call' &&
      (statement.gate.kind === 'table' ||
        (statement.gate.kind === 'defined' && isAnalytic(statement.gate))) &&
      statement.angles.every(({ instructions }) => instructions.every(isAnalyticPart)),
  );
}

function isAnalyticPart(part: Instruction): boolean {
  switch (part.kind) {
    case 'value':
    case 'parameter':
      return true;
    case 'unary':
      return part.operator === '-';
    case 'binary':
      return ['+', '-', '*', '/'].includes(part.operator);
    default:
      return false;
  }
}

/** The gate's matrix; undefined where an angle in its definition is not finite. */
function matrixOf(
  gate: GateMeaning,
  angles: readonly number[],
  tokens: TokenStream,
): ComplexMatrix | undefined {
  const operations: Extract<Operation, { kind: 'gate' | 'unitary' }>[] = [];
  const refuse = () => {
    throw new Error('unreachable: a gate that is not unitary');
  };
  const sink: OperationSink = {
    push: (operation, open) => {
      fixAngles(open);
      operations.push(operation);
    },
    pushReset: refuse,
    pushBarrier: refuse,
  };
  const qubits = Array.from({ length: gate.numQubits }, (_, qubit) => qubit);
  const unmodified = {
    controls: NO_QUBITS,
    isInverse: false,
    condition: undefined,
    piece: undefined,
    offset: 0,
  };
  try {
    expandGate(sink, tokens, { name: '', gate, angles, qubits, ...unmodified });
  } catch (error) {
    // A call reports it, with its place.
    if (error instanceof OpenQasmError) return undefined;
    throw error;
  }
  return matrixOfOperations(operations, gate.numQubits);
}
