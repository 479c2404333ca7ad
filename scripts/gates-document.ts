/** Generates docs/gates.md from the gate catalog. */
import {
  MAX_CLASSICAL_BITS,
  MAX_CONDITION_BITS,
  MAX_UNITARY_QUBITS,
  UNITARITY_TOLERANCE,
} from '../src/circuit/circuit-limits.ts';
import {
  type CatalogEntry,
  type CatalogOperand,
  gateCatalog,
} from '../src/circuit/gate-catalog.ts';
import { allGates } from '../src/circuit/openqasm/gate-definitions.ts';
import { BUILTINS_3, LIBRARIES } from '../src/circuit/openqasm/gate-library.ts';

const HEAD = `# Gates and operations

<!-- Generated from src/circuit/gates.ts by \`npm run gen\`; edit the gate table, not this file. -->

A circuit in JSON is a list of gate objects, applied in order to qubits that start in |0…0⟩.

\`\`\`json
[
  { "gate": "H", "qubit": 0 },
  { "gate": "CX", "control": 0, "target": 1 },
  { "gate": "M", "qubits": [0, 1] }
]
\`\`\`

## How a gate object is read

- **Names** are those of the table below, or their aliases, in upper or lower case.
- **Angles** are in radians; the table names them. All angles of a gate are required.
- **Targets** are given in one of \`qubit\`, \`target\`, \`qubits\`, \`targets\`; **controls** in
  \`control\`, \`controls\`, or both. If one list has both controls and targets, the controls come
  first: \`{"gate": "CX", "qubits": [0, 1]}\` has control 0.
- **Further controls.** Every unitary operation may have additional \`controls\`:
  \`{"gate": "H", "qubit": 2, "controls": [0, 1]}\`. A global phase then matters, and is exact.
- **One object, one gate.** A one-qubit gate cannot be applied to a list of qubits.
- **Matrices** index basis states with qubit 0, and the first operand, as the least significant bit.
- **\`UNITARY\`** takes 1 to ${MAX_UNITARY_QUBITS} \`qubits\` and a \`matrix\` of rows of \`[re, im]\`. No entry of U†U − 1
  may exceed ${UNITARITY_TOLERANCE}.
- **\`M\`** may be anywhere in the circuit. \`bits\` names the classical bit of each qubit; by default these are the bits
  after the highest one written so far. A circuit has at most ${MAX_CLASSICAL_BITS} classical bits. A circuit
  without \`M\` measures all its qubits at the end.
- **\`RESET\`** and **\`BARRIER\`** take any number of qubits; a \`BARRIER\` without qubits acts on all.
- **\`NOISE\`** takes a \`channel\` ([noise-models.md](noise-models.md#channels)); one on one qubit acts on each of its \`qubits\`.
- **\`EVOLVE\`** takes a \`hamiltonian\` and a \`time\`; its qubits are those of the Pauli strings
  ([circuits.md](circuits.md#time-evolution)).
- **\`SAVE\`** saves an output of the state at its place for the answer ([circuits.md](circuits.md#snapshots)).
- **\`condition\`** \`{"bits": [0, 1], "value": 2}\` runs a gate, \`UNITARY\`, \`EVOLVE\`, \`M\`, \`RESET\` or \`NOISE\` only if
  these bits have this value; the first bit is the least significant. Earlier operations must write the bits (at most ${MAX_CONDITION_BITS}).
`;

/** The whole document. */
export function gatesDocument(): string {
  const catalog = gateCatalog();
  return [
    HEAD,
    openQasmNames(catalog),
    overview(catalog),
    '## Each operation\n',
    ...catalog.map(section),
  ].join('\n');
}

const code = (text: string): string => `\`${text}\``;
const listed = (texts: readonly string[]): string => texts.map(code).join(', ');

/** Names of gates in OpenQASM programs. */
function openQasmNames(catalog: readonly CatalogEntry[]): string {
  const fromTable = new Set(
    catalog.flatMap(({ aliases, openqasm }) => [openqasm?.name, ...aliases]),
  );
  const others = [...allGates().keys()].filter((name) => !fromTable.has(name));
  return `## Names in OpenQASM

Any \`include\` of ${listed([...LIBRARIES])}
defines every gate below, by its OpenQASM name and its aliases (upper and lower case differ), and also
${listed(others)}.

Without an include, OpenQASM 3 has the gates of Amazon Braket:
${listed(BUILTINS_3)}.

A gate that a program defines replaces the known one of that name.
`;
}

function overview(catalog: readonly CatalogEntry[]): string {
  const rows = catalog.map(
    ({ gate, aliases, operands, parameters, openqasm }) =>
      `| [${gate}](#${anchor(gate)}) | ${listed(aliases)} | ${operands.map(operand).join(', ')} | ${listed(
        parameters.map(({ name }) => name),
      )} | ${openqasm === null ? '' : code(openqasm.name)} |`,
  );
  return [
    '## Overview\n',
    '| gate | aliases | operands | angles | OpenQASM |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Anchor of a heading as Markdown renderers make it: lower case, without punctuation. */
function anchor(gate: string): string {
  return gate.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '');
}

/** `qubit`, or `qubits` (2), (1–6), (2 or more); further controls as an option. */
function operand({ field, min, max }: CatalogOperand): string {
  if (field === 'controls' && min === 0) return `[${code(field)}]`;
  if (min === 1 && max === 1) return code(field);
  if (max === null) return min === 0 ? `[${code(field)}]` : `${code(field)} (${min} or more)`;
  return min === max ? `${code(field)} (${min})` : `${code(field)} (${min}–${max})`;
}

function section(entry: CatalogEntry): string {
  const { gate, summary, kind, formula, openqasm, traits, example } = entry;
  const facts = [
    ...(formula === null ? [] : [`- On the targets: ${formula}`]),
    ...(traits.length === 0 ? [] : [`- ${traits.join(', ')}`]),
    ...(openqasm === null
      ? []
      : [`- OpenQASM: ${code(openqasm.name)} (${origin(openqasm.library)})`]),
    ...(kind === 'unitary' ? [] : [`- Not a gate: ${kind}`]),
  ];
  const json = ['```json', JSON.stringify(example), '```'];
  return [`### ${gate}\n`, `${summary}.\n`, ...facts, '', ...json, ''].join('\n');
}

function origin(library: NonNullable<CatalogEntry['openqasm']>['library']): string {
  switch (library) {
    case 'qelib1+stdgates':
      return 'qelib1.inc and stdgates.inc';
    case 'qelib1':
      return 'qelib1.inc';
    case 'stdgates':
      return 'stdgates.inc';
    case 'builtin':
      return 'part of the language';
    case 'none':
      return 'in no standard library; known once any is included';
  }
}
