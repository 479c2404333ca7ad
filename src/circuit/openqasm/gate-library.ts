/**
 * Gates that a program can use without defining them.
 *
 * Exporters disagree on which library has which gate, and often omit definitions. So an include of any
 * library brings in every gate that any library or exporter has a name for; a name means the same in all of
 * them. Programs without an include have the language's own gates and, in OpenQASM 3, Braket's.
 *
 * Names come from the gate table and its aliases. Only two kinds are listed here: names that add controls to
 * a gate of the table, and gates built from several.
 */

import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import type { Operation } from '../circuit.ts';
import { OpenQasmError } from '../errors.ts';
import type { GateDefinition } from '../gate-definition.ts';
import { GATES, gateNamed } from '../gates.ts';
import { matrixOfOperations } from '../operation-matrix.ts';
import type { Instruction } from './expressions.ts';
import { expandGate, fixAngles, NO_QUBITS, type OperationSink } from './gate-expansion.ts';
import type { DefinedGate, GateMeaning, TableGate } from './gate-meaning.ts';
import type { TokenStream } from './token-stream.ts';

/** Gates by the names that a program calls; names are case-sensitive. */
export type GateScope = ReadonlyMap<string, GateMeaning>;

/** Makes the meaning of a gate of the table. */
function tableGate(definition: GateDefinition, furtherControls = 0): TableGate {
  const numControls = definition.numControls + furtherControls;
  return {
    kind: 'table',
    definition,
    numControls,
    numQubits: numControls + definition.numTargets,
    numParameters: definition.parameters.length,
  };
}

/** Every gate of the table by its OpenQASM name and its aliases. */
const TABLE_NAMES: readonly (readonly [name: string, gate: GateMeaning])[] = GATES.flatMap(
  (definition) =>
    [definition.openqasm.name, ...definition.aliases].map(
      (name) => [name, tableGate(definition)] as const,
    ),
);

/** Other names of table gates, as [name, gate, controls that the name adds]. */
const OTHER_NAMES = [
  ['u', 'U', 0],
  ['CX', 'CX', 0],
  ['csdg', 'SDG', 1],
  ['csxdg', 'SXDG', 1],
  ['c3x', 'X', 3],
  ['c4x', 'X', 4],
  ['c3z', 'Z', 3],
  ['cccx', 'X', 3],
  ['cccz', 'Z', 3],
  ['c3sx', 'SX', 3],
  ['c3sqrtx', 'SX', 3],
  // hqslib1.inc capitalises these names.
  ['Rz', 'RZ', 0],
  ['U1q', 'PRX', 0],
  ['RZZ', 'RZZ', 0],
] as const;

const named = (
  names: readonly (readonly [name: string, gate: string, furtherControls: number])[],
): [string, GateMeaning][] =>
  names.map(([name, gate, furtherControls]) => [name, tableGate(gateNamed(gate), furtherControls)]);

/** Gates with any number of controls, given by the call, as [name, gate]. */
const MULTI_CONTROLLED = [
  ['mcx', 'X'],
  ['mcz', 'Z'],
  ['mcp', 'P'],
  ['mcphase', 'P'],
  ['mcu1', 'P'],
] as const;

/** Files that a program can include. */
export const LIBRARIES: ReadonlySet<string> = new Set([
  'qelib1.inc',
  'stdgates.inc',
  'hqslib1.inc',
  'hqslib1_dev.inc',
]);

/** Gates that any include brings into scope, except those of COMPOSITES_TEXT. */
export const TABLE_GATES: GateScope = new Map([
  ...TABLE_NAMES,
  ...named(OTHER_NAMES),
  ...MULTI_CONTROLLED.map(
    ([name, gate]) =>
      [name, { ...tableGate(gateNamed(gate), 1), takesMoreControls: true }] as const,
  ),
  // The parameter of u0 is a waiting time, which has no effect here.
  ['u0', { ...tableGate(gateNamed('ID')), numParameters: 1 }] as const,
]);

/** Gates built into OpenQASM 2. */
export const BUILTINS_2: readonly string[] = ['U', 'CX'];

/**
 * Gates built into OpenQASM 3, and those of Braket, whose programs include nothing.
 *
 * @see https://docs.aws.amazon.com/braket/latest/developerguide/braket-openqasm-supported-features.html
 */
export const BUILTINS_3: readonly string[] = [
  ...['U', 'gphase', 'CX'],
  ...['i', 'h', 'x', 'y', 'z', 's', 'si', 't', 'ti', 'v', 'vi', 'rx', 'ry', 'rz', 'phaseshift'],
  ...['prx', 'gpi', 'gpi2', 'cnot', 'cy', 'cz', 'cv', 'ecr', 'swap', 'iswap', 'pswap', 'xy'],
  ...['xx', 'yy', 'zz', 'ms', 'cphaseshift', 'cphaseshift00', 'cphaseshift01', 'cphaseshift10'],
  ...['ccnot', 'cswap'],
];

/**
 * Definitions of gates built from several, or from one with other angles. Angles are only doubled, halved or
 * negated, which is exact at any size.
 *
 * The relative-phase Toffoli gates permute the basis as CCX and C3X do, up to phases of single states. gpi,
 * gpi2 and ms are trapped-ion gates in Braket's convention, with angles in radians. ZZ, Rxxyyzz and sleep are
 * those of hqslib1.inc. hyz is Stim's H_YZ, which it exports without a definition in products of Paulis.
 *
 * @see Maslov, "Advantages of using relative-phase Toffoli gates", Phys. Rev. A 93, 022311 (2016), figures 3
 *   and 4.
 */
export const COMPOSITES_TEXT = `
gate rccx a, b, c {
  h c; t c; cx b, c; tdg c; cx a, c; t c; cx b, c; tdg c; h c;
}
gate rc3x a, b, c, d {
  h d; t d; cx c, d; tdg d; h d;
  cx a, d; t d; cx b, d; tdg d; cx a, d; t d; cx b, d; tdg d;
  h d; t d; cx c, d; tdg d; h d;
}
gate rcccx a, b, c, d { rc3x a, b, c, d; }
gate cphaseshift00(t) a, b { x a; x b; cp(t) a, b; x a; x b; }
gate cphaseshift01(t) a, b { x a; cp(t) a, b; x a; }
gate cphaseshift10(t) a, b { x b; cp(t) a, b; x b; }
gate xy(t) a, b { xx_plus_yy(-t, 0) a, b; }
gate pswap(t) a, b { swap a, b; rzz(t) a, b; gphase(t / 2); }
gate gpi(t) a { x a; rz(2 * t) a; }
gate gpi2(t) a { prx(pi / 2, t) a; }
gate ms(t1, t2, t3) a, b { rz(-t1) a; rz(-t2) b; rxx(t3) a, b; rz(t1) a; rz(t2) b; }
gate ZZ a, b { rzz(pi / 2) a, b; }
gate Rxxyyzz(t1, t2, t3) a, b { rxx(t1) a, b; ryy(t2) a, b; rzz(t3) a, b; }
gate sleep(t) a { }
gate hyz a { U(pi / 2, pi / 2, pi / 2) a; }
`;

// Recognition of gate definitions that repeat a gate of the table.
//
// Exporters define gates that the program's library lacks: `gate ryy(t) a, b { rx(pi/2) a; … }`. As a gate of
// the table, such a call is one operation instead of the seven of its definition, which the compiler would
// have to gather again.
//
// A definition counts as the table's gate if it has the same name and, for one set of angles, the same
// matrix, its phase included. Both matrices are analytic functions of the angles, because a definition with
// anything but sums, differences, products and quotients is left alone. Two such functions that differ
// anywhere are equal only on a set of measure zero, and the angles that are tried have no relation to
// anything that a program would write.

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
    role: undefined,
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
