/**
 * Gates of QIR: names of the functions of the specification, of the Azure Quantum Development Kit, PyQIR and pytket, and
 * those of the gate table.
 */

/** A gate of the gate table, with its angles where the function has none of its own. */
export type GateStep = readonly [gate: string, ...angles: readonly number[]];

const names = (text: string): readonly [string, GateStep][] =>
  text.split(' ').map((pair) => {
    const [name = '', gate = ''] = pair.split(':');
    return [name, [gate]];
  });

/** Gates that are written, by the names of their functions. Doubles come first, then qubits, controls before targets. */
const WRITTEN = names(
  'h:H x:X y:Y z:Z s:S t:T rx:RX ry:RY rz:RZ cnot:CX cy:CY cz:CZ ccx:CCX swap:SWAP rxx:RXX ryy:RYY rzz:RZZ',
);

/** Gates by the middle of the name in `__quantum__qis__h__body`; `adj` in place of `body` is the inverse. */
export const GATES: ReadonlyMap<string, GateStep> = new Map<string, GateStep>([
  ...WRITTEN,
  ...names(
    'sx:SX r1:P cx:CX ch:CH ccnot:CCX toffoli:CCX ccz:CCZ cswap:CSWAP iswap:ISWAP phasedx:PRX u1q:PRX',
  ),
  ['zz', ['RZZ', Math.PI / 2]],
  ['zzmax', ['RZZ', Math.PI / 2]],
]);

/** Names of functions with which gates are written, such as `s__adj`, by gates of the gate table. */
export const FUNCTION_OF_GATE: ReadonlyMap<string, string> = new Map([
  ...WRITTEN.map(([name, [gate]]) => [gate, `${name}__body`] as const),
  ['SDG', 's__adj'],
  ['TDG', 't__adj'],
]);
