/**
 * The instructions of Stim's circuit format, one row each: its parenthesized arguments, its targets, and its effect in
 * terms of the gate table, of measurements and of Pauli channels.
 *
 * Names and meanings are those of the gate reference of Stim 1.16. `T`, `T_DAG`, `R_X`, `R_Y`, `R_Z` and `U3` are those
 * by which Clifft extends the format; their angles are half turns. `LOSS_ERROR` and `HERALD_LOSS_EVENT` are of this
 * service.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", Quantum 5, 497 (2021).
 */

/** Basis of a measurement or a reset, and a factor of a Pauli product. */
export type Pauli = 'X' | 'Y' | 'Z';

/** A gate of the gate table on operands of an instruction, by their numbers. */
export type Step = readonly [gate: string, ...operands: number[]];

/** Effect of an instruction. */
export type StimAction =
  /** Gates for each target, or each pair. All but one of the steps change its basis. */
  | {
      readonly kind: 'gates';
      readonly steps: readonly Step[];
      /** The one that stands for the instruction. */
      readonly main: number;
    }
  /** As `gates`; in place of one operand a classical bit may stand, under which the other gets a Pauli gate. */
  | {
      readonly kind: 'controlled';
      readonly steps: readonly Step[];
      readonly main: number;
      readonly pauli: Pauli;
      /** Operands in whose place a bit may stand. */
      readonly controls: readonly number[];
    }
  /** A gate with its arguments as angles, in half turns. */
  | { readonly kind: 'rotation'; readonly gate: string }
  | {
      readonly kind: 'measure';
      readonly basis: Pauli;
      readonly measures: boolean;
      readonly resets: boolean;
    }
  /** Measures a product of the Paulis of each pair. */
  | { readonly kind: 'measure-pair'; readonly basis: Pauli }
  | { readonly kind: 'measure-product' }
  /** Multiplies the −1 eigenspace of each product by i, or by −i. */
  | { readonly kind: 'phase-product'; readonly gate: 'S' | 'SDG' }
  /** A Pauli channel on each target or pair, with the probabilities of `strings`. */
  | {
      readonly kind: 'channel';
      /** Pauli strings, the first letter on the first target. */
      readonly strings: readonly string[];
      /** Whether the one argument is shared out equally. */
      readonly isShared: boolean;
    }
  /** A Pauli channel on each target that writes into a classical bit whether it did something. */
  | {
      readonly kind: 'heralded';
      readonly strings: readonly string[];
      readonly isShared: boolean;
    }
  | { readonly kind: 'correlated'; readonly isElse: boolean }
  /** Loses each target with the probability of the argument. */
  | { readonly kind: 'loss' }
  /** Measures of each target whether it is lost. */
  | { readonly kind: 'measure-loss' }
  | { readonly kind: 'pad' }
  | { readonly kind: 'detector' }
  | { readonly kind: 'observable' }
  | { readonly kind: 'shift' }
  /** Has no meaning for a run. */
  | { readonly kind: 'note' };

/** Targets that an instruction takes. */
export type StimTargets =
  | 'qubits'
  | 'measured qubits'
  | 'pairs'
  | 'measured pairs'
  | 'products'
  | 'paulis'
  | 'records'
  | 'records or paulis'
  | 'constants'
  | 'none';

/** Meaning of the arguments: each a probability, probabilities that exclude each other, an index, or plain numbers. */
type ArgumentKind = 'probability' | 'disjoint' | 'index' | 'number';

/** One row. */
export interface StimGate {
  readonly name: string;
  /** Least and greatest number of arguments. */
  readonly numArguments: readonly [least: number, most: number];
  readonly argumentKind: ArgumentKind;
  readonly targets: StimTargets;
  readonly action: StimAction;
}

const gates = new Map<string, StimGate>();

function add(
  names: string,
  targets: StimTargets,
  action: StimAction,
  numArguments: StimGate['numArguments'] = [0, 0],
  argumentKind: ArgumentKind = 'probability',
): void {
  const [name, ...aliases] = names.split(' ');
  const row = { name: name!, numArguments, argumentKind, targets, action };
  for (const each of [name!, ...aliases]) gates.set(each, row);
}

/** Steps from a text: `H0 CX01` is H on the first operand, then CX on both. The main one has a `!`, or is the last. */
function stepsOf(text: string): { readonly steps: readonly Step[]; readonly main: number } {
  const words = text === '' ? [] : text.split(' ');
  const steps = words.map((word): Step => {
    const [, gate = '', operands = ''] = /^!?([A-Z]+)(\d*)$/.exec(word) ?? [];
    return [gate, ...(operands === '' ? [0] : [...operands].map(Number))];
  });
  const marked = words.findIndex((word) => word.startsWith('!'));
  return { steps, main: marked >= 0 ? marked : steps.length - 1 };
}

const ON_ONE: Readonly<Record<string, string>> = {
  I: '',
  X: 'X',
  Y: 'Y',
  Z: 'Z',
  'H H_XZ': 'H',
  H_XY: 'X S',
  H_YZ: 'SX Z',
  H_NXY: 'X SDG',
  H_NXZ: 'H Y',
  H_NYZ: 'SXDG Z',
  C_XYZ: 'H SXDG',
  C_ZYX: 'H S',
  C_NXYZ: 'H SXDG Z',
  C_XNYZ: 'H SX',
  C_XYNZ: 'H SX Z',
  C_NZYX: 'H X SDG',
  C_ZNYX: 'H SDG',
  C_ZYNX: 'H X S',
  SQRT_X: 'SX',
  SQRT_X_DAG: 'SXDG',
  SQRT_Y: 'Z H',
  SQRT_Y_DAG: 'H Z',
  'S SQRT_Z': 'S',
  'S_DAG SQRT_Z_DAG': 'SDG',
  T: 'T',
  T_DAG: 'TDG',
};
for (const [names, text] of Object.entries(ON_ONE)) {
  add(names, 'qubits', { kind: 'gates', ...stepsOf(text) });
}

const ON_TWO: Readonly<Record<string, string>> = {
  II: '',
  XCX: 'H0 !CX01 H0',
  XCY: 'H0 !CY01 H0',
  YCX: 'SX0 !CX01 SXDG0',
  YCY: 'SX0 !CY01 SXDG0',
  SWAP: 'SWAP01',
  ISWAP: 'ISWAP01',
  ISWAP_DAG: '!ISWAP01 Z0 Z1',
  CXSWAP: 'CX01 !SWAP01',
  SWAPCX: 'SWAP01 !CX01',
  'CZSWAP SWAPCZ': 'CZ01 !SWAP01',
  SQRT_ZZ: 'S0 S1 !CZ01',
  SQRT_ZZ_DAG: 'SDG0 SDG1 !CZ01',
  SQRT_XX: 'H0 H1 S0 S1 !CZ01 H0 H1',
  SQRT_XX_DAG: 'H0 H1 SDG0 SDG1 !CZ01 H0 H1',
  SQRT_YY: 'SX0 SX1 S0 S1 !CZ01 SXDG0 SXDG1',
  SQRT_YY_DAG: 'SX0 SX1 SDG0 SDG1 !CZ01 SXDG0 SXDG1',
};
for (const [names, text] of Object.entries(ON_TWO)) {
  add(names, 'pairs', { kind: 'gates', ...stepsOf(text) });
}

const CONTROLLED: readonly (readonly [string, string, Pauli, readonly number[]])[] = [
  ['CX CNOT ZCX', 'CX01', 'X', [0]],
  ['CY ZCY', 'CY01', 'Y', [0]],
  ['CZ ZCZ', 'CZ01', 'Z', [0, 1]],
  ['XCZ', 'CX10', 'X', [1]],
  ['YCZ', 'CY10', 'Y', [1]],
];
for (const [names, text, pauli, controls] of CONTROLLED) {
  add(names, 'pairs', { kind: 'controlled', ...stepsOf(text), pauli, controls });
}

for (const axis of ['X', 'Y', 'Z'] as const) {
  const action = { kind: 'rotation', gate: `R${axis}` } as const;
  add(`R_${axis}`, 'qubits', action, [1, 1], 'number');
}
add('U3', 'qubits', { kind: 'rotation', gate: 'U' }, [3, 3], 'number');

for (const basis of ['Z', 'X', 'Y'] as const) {
  const named = (name: string) => (basis === 'Z' ? `${name} ${name}Z` : `${name}${basis}`);
  const action = (measures: boolean, resets: boolean) =>
    ({ kind: 'measure', basis, measures, resets }) as const;
  add(named('M'), 'measured qubits', action(true, false), [0, 1]);
  add(named('MR'), 'measured qubits', action(true, true), [0, 1]);
  add(named('R'), 'qubits', action(false, true));
  add(`M${basis}${basis}`, 'measured pairs', { kind: 'measure-pair', basis }, [0, 1]);
}
add('MPP', 'products', { kind: 'measure-product' }, [0, 1]);
add('SPP', 'products', { kind: 'phase-product', gate: 'S' });
add('SPP_DAG', 'products', { kind: 'phase-product', gate: 'SDG' });
add('MPAD', 'constants', { kind: 'pad' }, [0, 1]);

const PAULIS_OF_ONE = ['X', 'Y', 'Z'];
const PAULIS_OF_TWO = ['I', ...PAULIS_OF_ONE]
  .flatMap((first) => ['I', ...PAULIS_OF_ONE].map((second) => first + second))
  .slice(1);
const channel = (strings: readonly string[], isShared: boolean) =>
  ({ kind: 'channel', strings, isShared }) as const;
for (const pauli of PAULIS_OF_ONE) {
  add(`${pauli}_ERROR`, 'qubits', channel([pauli], false), [1, 1]);
}
add('DEPOLARIZE1', 'qubits', channel(PAULIS_OF_ONE, true), [1, 1]);
add('DEPOLARIZE2', 'pairs', channel(PAULIS_OF_TWO, true), [1, 1]);
add('PAULI_CHANNEL_1', 'qubits', channel(PAULIS_OF_ONE, false), [3, 3], 'disjoint');
add('PAULI_CHANNEL_2', 'pairs', channel(PAULIS_OF_TWO, false), [15, 15], 'disjoint');
add('I_ERROR', 'qubits', { kind: 'note' }, [0, 255], 'disjoint');
add('II_ERROR', 'pairs', { kind: 'note' }, [0, 255], 'disjoint');
const heralded = (isShared: boolean) =>
  ({ kind: 'heralded', strings: ['I', ...PAULIS_OF_ONE], isShared }) as const;
add('HERALDED_ERASE', 'qubits', heralded(true), [1, 1]);
add('HERALDED_PAULI_CHANNEL_1', 'qubits', heralded(false), [4, 4], 'disjoint');
add('CORRELATED_ERROR E', 'paulis', { kind: 'correlated', isElse: false }, [1, 1]);
add('ELSE_CORRELATED_ERROR', 'paulis', { kind: 'correlated', isElse: true }, [1, 1]);

add('LOSS_ERROR', 'qubits', { kind: 'loss' }, [1, 1]);
add('HERALD_LOSS_EVENT', 'qubits', { kind: 'measure-loss' });

add('TICK', 'none', { kind: 'note' });
add('QUBIT_COORDS', 'qubits', { kind: 'note' }, [0, 255], 'number');
add('SHIFT_COORDS', 'none', { kind: 'shift' }, [0, 255], 'number');
add('DETECTOR', 'records', { kind: 'detector' }, [0, 255], 'number');
add('OBSERVABLE_INCLUDE', 'records or paulis', { kind: 'observable' }, [1, 1], 'index');

/** The rows by name and alias, in capitals. */
export const STIM_GATES: ReadonlyMap<string, StimGate> = gates;
