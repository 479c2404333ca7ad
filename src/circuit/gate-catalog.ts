/**
 * The catalog of operations for callers: the fields of each one, derived from the gate table.
 *
 * Field names are those of the JSON API, because the catalog is published unchanged.
 */
import { type ComplexMatrix, dimension } from '../math/complex-matrix.ts';
import { MAX_UNITARY_QUBITS } from './circuit-limits.ts';
import type { GateDefinition, GateTrait, OpenQasmName, ParameterName } from './gate-definition.ts';
import { type GateObject, SPECIAL_OPERATIONS, type SpecialOperation } from './gate-object.ts';
import { GATES } from './gates.ts';
import { type MatrixRows, rowsFromMatrix } from './matrix-rows.ts';

/** A JSON field that names qubits, and how many it takes; `max` is null where there is no limit. */
export interface CatalogOperand {
  readonly field: 'qubit' | 'qubits' | 'control' | 'controls' | 'target' | 'targets';
  readonly min: number;
  readonly max: number | null;
}

/** An angle that an operation takes. */
interface CatalogParameter {
  readonly name: ParameterName;
  readonly unit: 'radians';
}

/** One operation that a circuit may contain. */
export interface CatalogEntry {
  readonly gate: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly kind: 'unitary' | 'measurement' | 'reset' | 'directive' | 'noise';
  /** Own controls and targets together; null for an operation of any width. */
  readonly num_qubits: number | null;
  readonly operands: readonly CatalogOperand[];
  readonly parameters: readonly CatalogParameter[];
  /**
   * Matrix that acts on the targets where the controls are |1⟩, as a formula; null where nothing unitary
   * does.
   */
  readonly formula: string | null;
  /**
   * Full matrix at the example's angles, own controls included. Operands are in OpenQASM's order, controls
   * first; the first one is the least significant bit of an index.
   */
  readonly matrix: MatrixRows | null;
  readonly openqasm: OpenQasmName | null;
  readonly traits: readonly GateTrait[];
  /** A gate object that is a valid circuit by itself. */
  readonly example: GateObject;
}

const EXAMPLE_ANGLES: Readonly<Record<ParameterName, number>> = {
  theta: Math.PI / 2,
  phi: Math.PI / 4,
  lambda: Math.PI / 8,
  gamma: Math.PI / 3,
  beta: Math.PI / 6,
};

const FURTHER_CONTROLS: CatalogOperand = { field: 'controls', min: 0, max: null };

/** Catalog entries of every operation: gates in the order of the gate table, then the others. */
export function gateCatalog(): readonly CatalogEntry[] {
  return [...GATES.map(gateEntry), ...SPECIAL_OPERATIONS.map(specialEntry)];
}

function gateEntry(definition: GateDefinition): CatalogEntry {
  const { name, numControls, numTargets, parameters } = definition;
  const angles = parameters.map((parameter) => EXAMPLE_ANGLES[parameter]);
  return {
    gate: name,
    aliases: definition.aliases,
    summary: definition.summary,
    kind: 'unitary',
    num_qubits: numControls + numTargets,
    operands: operandsOf(definition),
    parameters: parameters.map((parameter) => ({ name: parameter, unit: 'radians' })),
    formula: definition.formula,
    matrix: rowsFromMatrix(underControls(definition.matrix(angles), numControls)),
    openqasm: definition.openqasm,
    traits: definition.traits,
    example: {
      gate: name,
      ...exampleOperands(definition),
      ...Object.fromEntries(parameters.map((parameter, i) => [parameter, angles[i]])),
    },
  };
}

function operandsOf({ numControls, numTargets }: GateDefinition): readonly CatalogOperand[] {
  const exactly = (field: CatalogOperand['field'], count: number): CatalogOperand => ({
    field,
    min: count,
    max: count,
  });
  if (numControls === 0) {
    if (numTargets === 0) return [FURTHER_CONTROLS];
    return [exactly(numTargets === 1 ? 'qubit' : 'qubits', numTargets), FURTHER_CONTROLS];
  }
  const targets = exactly(numTargets === 1 ? 'target' : 'targets', numTargets);
  return numControls === 1
    ? [exactly('control', 1), targets, FURTHER_CONTROLS]
    : [{ field: 'controls', min: numControls, max: null }, targets];
}

function exampleOperands({ numControls, numTargets }: GateDefinition): Partial<GateObject> {
  const controls = Array.from({ length: numControls }, (_, i) => i);
  const targets = Array.from({ length: numTargets }, (_, i) => numControls + i);
  if (numControls === 0) {
    if (numTargets === 0) return {};
    return numTargets === 1 ? { qubit: 0 } : { qubits: targets };
  }
  return {
    ...(numControls === 1 ? { control: 0 } : { controls }),
    ...(numTargets === 1 ? { target: numControls } : { targets }),
  };
}

/** Extends a target matrix to its controls, which become the low bits of an index. */
function underControls(matrix: ComplexMatrix, numControls: number): ComplexMatrix {
  const numPatterns = 2 ** numControls;
  const d = dimension(matrix);
  const whole = new Float64Array(2 * (d * numPatterns) ** 2);
  const set = (row: number, column: number, re: number, im: number): void => {
    const i = 2 * (row * d * numPatterns + column);
    whole[i] = re;
    whole[i + 1] = im;
  };
  const allSet = numPatterns - 1;
  for (let row = 0; row < d; row++) {
    for (let pattern = 0; pattern < allSet; pattern++) {
      set(row * numPatterns + pattern, row * numPatterns + pattern, 1, 0);
    }
    for (let column = 0; column < d; column++) {
      const i = 2 * (row * d + column);
      const [re, im] = [matrix[i]!, matrix[i + 1]!];
      set(row * numPatterns + allSet, column * numPatterns + allSet, re, im);
    }
  }
  return whole;
}

/** Facts of an operation outside the gate table, beside its name, aliases and summary. */
type SpecialFacts = Pick<
  CatalogEntry,
  'kind' | 'operands' | 'formula' | 'matrix' | 'openqasm' | 'example'
>;

/** X as rows: the example of an explicit unitary. */
const FLIP: MatrixRows = [
  [
    [0, 0],
    [1, 0],
  ],
  [
    [1, 0],
    [0, 0],
  ],
];

const SPECIAL_FACTS: Readonly<Record<SpecialOperation['name'], SpecialFacts>> = {
  UNITARY: {
    kind: 'unitary',
    operands: [{ field: 'qubits', min: 1, max: MAX_UNITARY_QUBITS }, FURTHER_CONTROLS],
    formula: 'The `matrix` given, rows of [re, im]',
    matrix: FLIP,
    openqasm: null,
    example: { gate: 'UNITARY', qubits: [0], matrix: FLIP },
  },
  EVOLVE: {
    kind: 'unitary',
    operands: [FURTHER_CONTROLS],
    formula: 'exp(−i·t·H) for the terms of `hamiltonian` and the `time` t',
    matrix: null,
    openqasm: null,
    example: {
      gate: 'EVOLVE',
      hamiltonian: [{ pauli: 'Z0 Z1' }, { pauli: 'X0', coefficient: 0.5 }],
      time: 0.25,
    },
  },
  M: {
    kind: 'measurement',
    operands: [{ field: 'qubits', min: 1, max: null }],
    formula: null,
    matrix: null,
    openqasm: { name: 'measure', library: 'builtin' },
    example: { gate: 'M', qubits: [0, 1], bits: [0, 1] },
  },
  RESET: {
    kind: 'reset',
    operands: [{ field: 'qubits', min: 1, max: null }],
    formula: null,
    matrix: null,
    openqasm: { name: 'reset', library: 'builtin' },
    example: { gate: 'RESET', qubits: [0] },
  },
  BARRIER: {
    kind: 'directive',
    operands: [{ field: 'qubits', min: 0, max: null }],
    formula: null,
    matrix: null,
    openqasm: { name: 'barrier', library: 'builtin' },
    example: { gate: 'BARRIER', qubits: [0, 1] },
  },
  NOISE: {
    kind: 'noise',
    operands: [{ field: 'qubits', min: 1, max: null }],
    formula: null,
    matrix: null,
    openqasm: null,
    example: { gate: 'NOISE', qubits: [0], channel: { type: 'depolarizing', probability: 0.01 } },
  },
  SAVE: {
    kind: 'directive',
    operands: [{ field: 'qubits', min: 0, max: null }],
    formula: null,
    matrix: null,
    openqasm: null,
    example: { gate: 'SAVE', label: 'bell', what: 'probabilities', qubits: [0, 1] },
  },
};

function specialEntry({ name, aliases, summary }: SpecialOperation): CatalogEntry {
  return {
    gate: name,
    aliases,
    summary,
    num_qubits: null,
    parameters: [],
    traits: [],
    ...SPECIAL_FACTS[name],
  };
}
