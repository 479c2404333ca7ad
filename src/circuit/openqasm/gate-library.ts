/**
 * The gates that a program knows without defining them: the language's own, and those that
 * `include "qelib1.inc"` and `include "stdgates.inc"` bring in.
 *
 * Names come from the gate table; only what qelib1.inc calls by another name, or builds out of
 * several gates, is listed here.
 */
import type { GateDefinition } from '../gate-definition.ts';
import { GATES, gateNamed } from '../gates.ts';
import type { GateMeaning, TableGate } from './gate-meaning.ts';

/** Gates by the names a program calls them; names are case-sensitive. */
export type GateScope = ReadonlyMap<string, GateMeaning>;

/** A gate of the table as a program calls it. */
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

/** The gates that the table places in a library. */
function gatesOf(library: 'qelib1' | 'stdgates' | 'none'): [string, GateMeaning][] {
  return GATES.filter(({ openqasm }) => openqasm.library.split('+').includes(library)).map(
    (definition) => [definition.openqasm.name, tableGate(definition)],
  );
}

/** Other names of table gates, as [name, gate, controls that the name adds]. */
const QELIB1_NAMES = [
  ['u', 'U', 0],
  ['u3', 'U', 0],
  ['u1', 'P', 0],
  ['cu1', 'CP', 0],
  ['c3x', 'X', 3],
  ['c4x', 'X', 4],
  ['c3sqrtx', 'SX', 3],
] as const;

const STDGATES_NAMES = [
  ['CX', 'CX', 0],
  ['phase', 'P', 0],
  ['cphase', 'CP', 0],
  ['u1', 'P', 0],
  ['u3', 'U', 0],
] as const;

const named = (
  names: readonly (readonly [name: string, gate: string, furtherControls: number])[],
): [string, GateMeaning][] =>
  names.map(([name, gate, furtherControls]) => [name, tableGate(gateNamed(gate), furtherControls)]);

/** The libraries a program can include. What qelib1.inc defines by several gates is in QELIB1_TEXT. */
export const LIBRARIES: ReadonlyMap<string, GateScope> = new Map([
  [
    'qelib1.inc',
    new Map([
      ...gatesOf('qelib1'),
      ...named(QELIB1_NAMES),
      // Its parameter is how long to wait, which a simulator has no use for.
      ['u0', { ...tableGate(gateNamed('ID')), numParameters: 1 }] as const,
    ]),
  ],
  ['stdgates.inc', new Map([...gatesOf('stdgates'), ...named(STDGATES_NAMES)])],
]);

/** The language's own gates, by version. */
export const BUILTINS: { readonly 2: GateScope; readonly 3: GateScope } = {
  2: new Map(
    named([
      ['U', 'U', 0],
      ['CX', 'CX', 0],
    ]),
  ),
  3: new Map(
    named([
      ['U', 'U', 0],
      ['gphase', 'GPHASE', 0],
    ]),
  ),
};

/**
 * Gates of the table that no library has, under the names Qiskit exports. They are there once a
 * library is included, because older exporters left their definitions out.
 */
export const EXTENSIONS: GateScope = new Map(gatesOf('none'));

/**
 * Relative-phase Toffolis: they act on the basis as CCX and C3X do, up to phases of single states.
 *
 * @see Maslov, "Advantages of using relative-phase Toffoli gates", Phys. Rev. A 93, 022311 (2016),
 *   figures 3 and 4.
 */
export const QELIB1_TEXT = `
gate rccx a, b, c {
  h c; t c; cx b, c; tdg c; cx a, c; t c; cx b, c; tdg c; h c;
}
gate rc3x a, b, c, d {
  h d; t d; cx c, d; tdg d; h d;
  cx a, d; t d; cx b, d; tdg d; cx a, d; t d; cx b, d; tdg d;
  h d; t d; cx c, d; tdg d; h d;
}
`;
