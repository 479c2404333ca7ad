/**
 * A circuit as the composer edits it: gates in order, each drawn as far left as earlier gates on its qubits allow.
 * Nothing here changes a circuit; functions return a new one.
 */
import type { ChannelObject, GateAngle, GateObject, MatrixRows } from '../live-state/messages.ts';
import { ANGLES, type AngleName, controlledName, uncontrolled } from './gate-table.ts';

/**
 * A circuit: its gates in the order in which they are applied, column after column, and displays of the state among
 * them, which are never sent.
 */
export interface EditedCircuit {
  readonly numQubits: number;
  readonly steps: readonly Step[];
}

/** Most qubits that the composer draws. */
export const MAX_QUBITS = 64;

export const EMPTY: EditedCircuit = { numQubits: 2, steps: [] };

/** Displays of a qubit's state, by the names of their steps. No gate of the API has small letters. */
export const DISPLAYS = ['probability', 'bloch'] as const;

/** A display in a link: its qubit, and the number of gate objects before it. */
export interface PlacedDisplay {
  readonly show: (typeof DISPLAYS)[number];
  readonly qubit: number;
  readonly after: number;
}

/** Whether a step shows the state at its place, and is no gate. */
export function isDisplay({ name }: Pick<Step, 'name'>): boolean {
  return DISPLAYS.some((each) => each === name);
}

/** The displays of a circuit. */
export function displaysOf({ steps }: EditedCircuit): readonly PlacedDisplay[] {
  return steps.flatMap(({ name, targets: [qubit = 0] }, index) => {
    const show = DISPLAYS.find((each) => each === name);
    if (show === undefined) return [];
    return [{ show, qubit, after: withoutOpenControls(steps.slice(0, index)).length }];
  });
}

/** Qubits whose wires a gate covers, the vertical line between its qubits too. */
export function spanOf({ controls, targets }: Pick<Step, 'controls' | 'targets'>): {
  readonly first: number;
  readonly last: number;
} {
  const on = [...controls, ...targets];
  return { first: Math.min(...on), last: Math.max(...on) };
}

/**
 * Column of each gate: the first one after all gates before it on the wires that it covers. What writes and reads a
 * classical bit keeps its order, too, and covers the wires down to the line of the bits.
 */
export function columnsOf({ numQubits, steps }: EditedCircuit): readonly number[] {
  const next: number[] = new Array(numQubits).fill(0);
  const written = new Map<number, number>();
  const read = new Map<number, number>();
  return steps.map((step) => {
    const reads = step.condition?.bits ?? [];
    const writes = step.bits ?? [];
    const { first, last: lowest } = spanOf(step);
    const last = reads.length + writes.length > 0 ? numQubits - 1 : lowest;
    const column = Math.max(
      0,
      ...next.slice(first, last + 1),
      ...[...reads, ...writes].map((bit) => written.get(bit) ?? 0),
      ...writes.map((bit) => read.get(bit) ?? 0),
    );
    next.fill(column + 1, first, last + 1);
    for (const bit of writes) written.set(bit, column + 1);
    for (const bit of reads) read.set(bit, Math.max(read.get(bit) ?? 0, column + 1));
    return column;
  });
}

/** Number of columns. */
export function numColumns(circuit: EditedCircuit): number {
  return Math.max(0, ...columnsOf(circuit).map((column) => column + 1));
}

/** The same circuit with its gates in the order of their columns, which keeps the order on each wire. */
function inColumns(circuit: EditedCircuit): EditedCircuit {
  const columns = columnsOf(circuit);
  const steps = circuit.steps
    .map((step, index) => ({ step, column: columns[index] ?? 0, index }))
    .sort((a, b) => a.column - b.column || a.index - b.index)
    .map(({ step }) => step);
  return { ...circuit, steps };
}

/** Number of gate objects of the columns before this one. */
export function objectsBefore(circuit: EditedCircuit, column: number): number {
  const columns = columnsOf(circuit);
  const before = circuit.steps.filter((_, index) => (columns[index] ?? 0) < column);
  return withoutOpenControls(before).length;
}

/** The gate that covers a place of the grid. */
export function stepAt(circuit: EditedCircuit, qubit: number, column: number): Step | undefined {
  const columns = columnsOf(circuit);
  return circuit.steps.find((step, index) => {
    const { first, last } = spanOf(step);
    return columns[index] === column && first <= qubit && qubit <= last;
  });
}

/**
 * Puts gates before those that are in the column, or after it, on the same wires. They are drawn farther left if there
 * is room. Qubits that the circuit does not have are added.
 */
export function insertSteps(
  circuit: EditedCircuit,
  column: number,
  steps: readonly Omit<Step, 'id'>[],
): EditedCircuit {
  const columns = columnsOf(circuit);
  const found = columns.findIndex((each) => each >= column);
  const at = found < 0 ? circuit.steps.length : found;
  let id = nextId(circuit);
  const added = steps.map((step): Step => ({ ...step, id: id++ }));
  const numQubits = Math.max(circuit.numQubits, ...added.map((step) => spanOf(step).last + 1));
  return inColumns({ numQubits, steps: circuit.steps.toSpliced(at, 0, ...added) });
}

/** Number of the next gate. */
function nextId({ steps }: EditedCircuit): number {
  return 1 + Math.max(0, ...steps.map(({ id }) => id));
}

/** Takes gates out. */
export function removeSteps(circuit: EditedCircuit, ids: readonly number[]): EditedCircuit {
  return inColumns({ ...circuit, steps: circuit.steps.filter(({ id }) => !ids.includes(id)) });
}

/** Puts a gate in the place of the one with its id. */
export function replaceStep(circuit: EditedCircuit, step: Step): EditedCircuit {
  const numQubits = Math.max(circuit.numQubits, spanOf(step).last + 1);
  const steps = circuit.steps.map((each) => (each.id === step.id ? step : each));
  return inColumns({ numQubits, steps });
}

/**
 * Moves a gate to a column, and all its qubits by as many wires. Wires are added below; a gate on all qubits stays on
 * them.
 *
 * @returns The unchanged circuit if the gate would leave the wires at the top, or more wires than are drawn.
 */
export function moveStep(
  circuit: EditedCircuit,
  id: number,
  column: number,
  wires: number,
): EditedCircuit {
  const step = circuit.steps.find((each) => each.id === id);
  if (step === undefined) return circuit;
  const by = step.targets.length === circuit.numQubits ? 0 : wires;
  const { first, last } = spanOf(step);
  if (first + by < 0 || last + by >= MAX_QUBITS) return circuit;
  const moved = onQubits(step, (qubit) => qubit + by);
  const without = { ...circuit, steps: circuit.steps.filter((each) => each.id !== id) };
  const columns = columnsOf(without);
  const found = columns.findIndex((each) => each >= column);
  const at = found < 0 ? without.steps.length : found;
  const numQubits = Math.max(circuit.numQubits, last + by + 1);
  return inColumns({ numQubits, steps: without.steps.toSpliced(at, 0, moved) });
}

/** The gate with one of its qubits moved; undefined if it has that qubit already. */
export function withQubit(step: Step, from: number, to: number): Step | undefined {
  if ([...step.controls, ...step.targets].includes(to)) return undefined;
  return onQubits(step, (qubit) => (qubit === from ? to : qubit));
}

/** The gate on other qubits. */
export function onQubits<S extends Omit<Step, 'id'>>(step: S, to: (qubit: number) => number): S {
  const { controls, targets, open } = step;
  const moved = {
    ...step,
    controls: controls.map(to),
    targets: targets.map(to),
    ...(step.evolution && { evolution: evolutionOn(step.evolution, to) }),
  };
  return open === undefined ? moved : { ...moved, open: open.map(to) };
}

/** Fields of an EVOLVE, which is drawn as a box on the qubits of its Hamiltonian. */
export type Evolution = Pick<
  GateObject,
  'hamiltonian' | 'time' | 'order' | 'steps' | 'max_error' | 'exact'
>;

const evolutionOn = (evolution: Evolution, to: (qubit: number) => number): Evolution => ({
  ...evolution,
  hamiltonian: (evolution.hamiltonian ?? []).map((term) => ({
    ...term,
    pauli: term.pauli.replace(/\d+/g, (digits) => `${to(Number(digits))}`),
  })),
});

function evolutionOf({ hamiltonian, time, order, steps, max_error, exact }: GateObject): Evolution {
  return {
    ...(hamiltonian !== undefined && { hamiltonian }),
    ...(time !== undefined && { time }),
    ...(order !== undefined && { order }),
    ...(steps !== undefined && { steps }),
    ...(max_error !== undefined && { max_error }),
    ...(exact !== undefined && { exact }),
  };
}

/** Qubits of a Hamiltonian, ascending. */
function qubitsOf({ hamiltonian = [] }: Evolution): readonly number[] {
  const named = hamiltonian.flatMap(({ pauli }) => pauli.match(/\d+/g) ?? []);
  return [...new Set(named.map(Number))].sort((a, b) => a - b);
}

/** The gate with other controls. */
export function withControls(step: Step, controls: readonly number[]): Step {
  const { open = [], ...rest } = step;
  const kept = open.filter((qubit) => controls.includes(qubit));
  return { ...rest, controls, ...(kept.length > 0 && { open: kept }) };
}

/** The gate with a control that acts while its qubit has a value. */
export function withControlOn(step: Step, qubit: number, value: 0 | 1): Step {
  const others = (step.open ?? []).filter((each) => each !== qubit);
  return withControls({ ...step, open: value === 0 ? [...others, qubit] : others }, step.controls);
}

/** Whether a gate may have controls. */
export function takesControls({ name }: Pick<Step, 'name'>): boolean {
  return !['M', 'RESET', 'BARRIER', 'NOISE', 'SAVE', ...DISPLAYS].includes(name);
}

/** Adds a qubit below the others. */
export function addQubit(circuit: EditedCircuit): EditedCircuit {
  return { ...circuit, numQubits: Math.min(MAX_QUBITS, circuit.numQubits + 1) };
}

/**
 * Takes a qubit out, with the gates on it and those whose condition reads a bit that is then written by nothing. Bits
 * that had the numbers of their qubits keep them. One qubit stays.
 */
export function removeQubit(circuit: EditedCircuit, removed: number): EditedCircuit {
  const { numQubits, steps } = circuit;
  if (numQubits === 1) return circuit;
  const renumber = (qubit: number) => (qubit > removed ? qubit - 1 : qubit);
  const hasOwnBits = steps.every(
    ({ bits, targets }) => bits === undefined || bits.every((bit, i) => bit === targets[i]),
  );
  const bitOf = hasOwnBits ? renumber : (bit: number) => bit;
  const written = new Set<number>();
  const kept = steps.flatMap((step): readonly Step[] => {
    const { name, controls, targets, bits, condition } = step;
    const isOnAll =
      name === 'BARRIER' ||
      (step.save !== undefined && step.save.qubits === undefined) ||
      (name === 'GPHASE' && controls.length === 0);
    const on = isOnAll ? targets.filter((qubit) => qubit !== removed) : targets;
    if (on.length === 0 && controls.length === 0) return [];
    if ([...controls, ...on].includes(removed)) return [];
    if (condition?.bits.some((bit) => !written.has(bit)) === true) return [];
    for (const bit of bits ?? []) written.add(bit);
    return [
      {
        ...onQubits({ ...step, targets: on }, renumber),
        ...(bits !== undefined && { bits: bits.map(bitOf) }),
        ...(condition && { condition: { ...condition, bits: condition.bits.map(bitOf) } }),
      },
    ];
  });
  return inColumns({ numQubits: numQubits - 1, steps: kept });
}

/** Names of the inputs that angles depend on, in order. */
export function inputNames({ steps }: EditedCircuit): readonly string[] {
  const names = steps.flatMap(({ angles, evolution = {} }) =>
    [
      ...Object.values(angles),
      evolution.time,
      ...(evolution.hamiltonian ?? []).map(({ coefficient }) => coefficient),
    ].flatMap((angle) => (typeof angle === 'object' ? [angle.input] : [])),
  );
  return [...new Set(names)].sort();
}

/** Reads gate objects of the API, and displays among them. */
export function editedCircuit(
  objects: readonly GateObject[],
  qubits?: number,
  displays: readonly PlacedDisplay[] = [],
): EditedCircuit {
  const read = objects.map((object, index) => stepOf(object, index + 1));
  // A display between a gate and an X keeps them apart: they are no open control.
  for (const [i, { show, qubit, after }] of displays.entries()) {
    const id = objects.length + 1 + i;
    const found = read.findIndex((step) => step.id > after && step.id <= objects.length);
    const display = { id, name: show, controls: [], targets: [qubit], angles: {} };
    read.splice(found < 0 ? read.length : found, 0, display);
  }
  const used = read.flatMap(({ controls, targets }) => [...controls, ...targets]);
  const numQubits = Math.max(1, qubits ?? 1, ...used.map((qubit) => qubit + 1));
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  let numBits = 0;
  const steps = withOpenControls(read).map((step) => {
    // Without `bits` a measurement writes those after the highest one written so far.
    const bits =
      step.name === 'M' ? (step.bits ?? step.targets.map((_, i) => numBits + i)) : step.bits;
    numBits = Math.max(numBits, ...(bits ?? []).map((bit) => bit + 1));
    // A barrier without qubits is on all, and a global phase is drawn on all.
    const targets = step.controls.length + step.targets.length === 0 ? all : step.targets;
    return { ...step, targets, ...(bits !== undefined && { bits }) };
  });
  return inColumns({ numQubits, steps });
}

function stepOf(object: GateObject, id: number): Step {
  const { name, own } = uncontrolled(object.gate.toUpperCase());
  const further = [
    ...(object.control === undefined ? [] : [object.control]),
    ...(object.controls ?? []),
  ];
  const listed = object.qubits ?? object.targets ?? [];
  const single = object.qubit ?? object.target;
  const given = single === undefined ? listed : [single];
  // One list may have own controls before the targets; further controls may be in a list of their own.
  const numTargets = name === 'SWAP' ? 2 : 1;
  const missing = own === 0 ? 0 : Math.max(0, given.length - numTargets);
  const controls = [...given.slice(0, missing), ...further];
  const angles = Object.fromEntries(
    ANGLES.flatMap((angle) => (object[angle] === undefined ? [] : [[angle, object[angle]]])),
  );
  const { bits, condition, matrix, channel, label, what, observables, basis_states } = object;
  const qubits = given.length > 0 ? given : undefined;
  const evolution = name === 'EVOLVE' ? evolutionOf(object) : undefined;
  return {
    id,
    name,
    controls,
    targets: evolution === undefined ? given.slice(missing) : qubitsOf(evolution),
    angles,
    ...(evolution !== undefined && { evolution }),
    ...(bits !== undefined && { bits }),
    ...(condition !== undefined && { condition }),
    ...(matrix !== undefined && { matrix }),
    ...(channel !== undefined && { channel }),
    ...(name === 'SAVE' && { save: { label, what, observables, basis_states, qubits } }),
  };
}

/** Writes gate objects of the API. */
export function gateObjects({ numQubits, steps }: EditedCircuit): readonly GateObject[] {
  return withoutOpenControls(steps).map((step) => objectOf(step, numQubits));
}

function objectOf(step: Step, numQubits: number): GateObject {
  const { name, controls, targets, angles, bits, condition, matrix, channel, evolution } = step;
  const rest = {
    ...angles,
    ...(matrix !== undefined && { matrix }),
    ...(bits !== undefined && { bits }),
    ...(channel !== undefined && { channel }),
    ...(condition !== undefined && { condition }),
  };
  if (step.save !== undefined) {
    const { qubits, ...save } = step.save;
    return { gate: name, ...save, ...(qubits !== undefined && { qubits: targets }) };
  }
  if (name === 'BARRIER') {
    return targets.length === numQubits ? { gate: name } : { gate: name, qubits: targets };
  }
  if (evolution !== undefined) {
    const own = controls.length === 0 ? {} : { controls };
    return { gate: name, ...evolution, ...own, ...rest };
  }
  if (name === 'GPHASE') {
    return { gate: name, ...(controls.length > 0 && { controls }), ...rest };
  }
  if (!takesControls(step) || name === 'UNITARY') {
    const own = controls.length === 0 ? {} : { controls };
    return { gate: name, qubits: targets, ...own, ...rest };
  }
  const operands = targets.length === 1 ? { target: targets[0] } : { targets };
  const controlled = controlledName(name, controls.length);
  const [control] = controls;
  if (controlled !== undefined || name === 'CU' || name === 'CU3') {
    const gate = controlled ?? name;
    if (controls.length === 1) return { gate, control, ...operands, ...rest };
    return { gate, controls, ...operands, ...rest };
  }
  const own = controls.length === 0 ? {} : { controls };
  const plain = targets.length === 1 ? { qubit: targets[0] } : { qubits: targets };
  return { gate: name, ...plain, ...own, ...rest };
}

/**
 * The gates as the API takes them: with controls on 1 alone, and without displays. The X gates have the number of the
 * gate that they are for.
 */
export function withoutOpenControls(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => {
    if (isDisplay(step)) return [];
    const { open = [], ...closed } = step;
    const flips = open.map(
      (qubit): Step => ({ id: step.id, name: 'X', controls: [], targets: [qubit], angles: {} }),
    );
    return [...flips, closed, ...flips];
  });
}

/** The same circuit with an open control for each control between two X gates next to the gate. */
function withOpenControls(steps: readonly Step[]): readonly Step[] {
  const read: Step[] = [];
  const taken = new Set<number>();
  for (const [index, step] of steps.entries()) {
    if (taken.has(index)) continue;
    const before = flipsFrom(read, read.length - 1, -1, step.controls);
    const after = flipsFrom(steps, index + 1, 1, step.controls);
    const open = step.controls.filter((qubit) => before.has(qubit) && after.has(qubit));
    const own = open.map((qubit) => before.get(qubit) ?? -1).sort((a, b) => b - a);
    for (const at of own) read.splice(at, 1);
    for (const qubit of open) taken.add(after.get(qubit) ?? -1);
    read.push(open.length === 0 ? step : { ...step, open });
  }
  return read;
}

/** Places by qubit of the X gates on some qubits that follow each other from a place on. */
function flipsFrom(
  steps: readonly Step[],
  from: number,
  by: 1 | -1,
  qubits: readonly number[],
): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let at = from; ; at += by) {
    const step = steps[at];
    if (step === undefined) return places;
    const { name, controls, targets, condition } = step;
    const [qubit = -1] = targets;
    const isFlip = name === 'X' && controls.length === 0 && condition === undefined;
    if (!isFlip || !qubits.includes(qubit) || places.has(qubit)) return places;
    places.set(qubit, at);
  }
}

/** A classical condition: the gate runs if the bits, the first one least significant, have the value. */
export interface BitCondition {
  readonly bits: readonly number[];
  readonly value: number;
}

/** A gate of a circuit. */
export interface Step {
  /** Number of its own within the circuit. */
  readonly id: number;
  /** Name in the API, without the C of its controls. */
  readonly name: string;
  readonly controls: readonly number[];
  /** Controls that act while their qubit is 0. */
  readonly open?: readonly number[] | undefined;
  /** All qubits of a barrier. */
  readonly targets: readonly number[];
  /** Radians, or an input. */
  readonly angles: Readonly<Partial<Record<AngleName, GateAngle>>>;
  /** Classical bits that a measurement writes. */
  readonly bits?: readonly number[] | undefined;
  readonly condition?: BitCondition | undefined;
  readonly matrix?: MatrixRows | undefined;
  readonly channel?: ChannelObject | undefined;
  /** Fields of SAVE as the API has them; `qubits` where it names some. */
  readonly save?:
    | Pick<GateObject, 'label' | 'what' | 'observables' | 'basis_states' | 'qubits'>
    | undefined;
  readonly evolution?: Evolution | undefined;
}
