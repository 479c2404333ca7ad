/**
 * Meanings of gate names: an entry of the gate table, the body of a definition, or one of these with
 * modifiers.
 *
 * Bodies are stored as calls and expanded where the gate is used (gate-expansion.ts). Definitions that double
 * each other reach 2^n operations in n lines, so each meaning carries the cost of its expansion, and a call
 * is rejected before it is expanded rather than when memory runs out.
 */
import { MAX_UNITARY_QUBITS } from '../circuit-limits.ts';
import type { GateDefinition } from '../gate-definition.ts';
import type { Expression } from './expressions.ts';

/** A gate of the gate table, possibly with further controls. */
export interface TableGate {
  readonly kind: 'table';
  readonly definition: GateDefinition;
  /** Number of controls, which come first among the qubits of a call. */
  readonly numControls: number;
  readonly numQubits: number;
  /** Number of angles; those past the gate table's have no effect (the duration of u0). */
  readonly numParameters: number;
  /** Set where the operands of a call decide the number of controls, at least one (mcx). */
  readonly takesMoreControls?: true;
}

/** A gate that a program or library defines by other gates. */
export interface DefinedGate {
  readonly kind: 'defined';
  readonly numQubits: number;
  readonly numParameters: number;
  readonly body: readonly BodyStatement[];
  /** Positions of the parameters that the body uses. */
  readonly usedParameters: ReadonlySet<number>;
  readonly cost: ExpansionCost;
}

/** A gate with controls, which come first among its qubits. */
interface ControlledGate {
  readonly kind: 'controlled';
  readonly gate: GateMeaning;
  /** For each control, the value at which the gate acts. */
  readonly activeValues: readonly (0 | 1)[];
  readonly numQubits: number;
  readonly numParameters: number;
  readonly cost: ExpansionCost;
}

/** A power of a gate; −1 is its inverse. */
export interface PowerGate {
  readonly kind: 'power';
  readonly gate: GateMeaning;
  readonly exponent: number;
  readonly numQubits: number;
  readonly numParameters: number;
  readonly cost: ExpansionCost;
}

/** A gate that is declared without a definition. A circuit that uses it cannot run. */
interface OpaqueGate {
  readonly kind: 'opaque';
  readonly numQubits: number;
  readonly numParameters: number;
}

/** Meaning of a gate's name. */
export type GateMeaning = TableGate | DefinedGate | ControlledGate | PowerGate | OpaqueGate;

/** A call in a gate's body; `qubits` are positions in the definition's list. */
interface BodyCall {
  readonly kind: 'call';
  readonly name: string;
  readonly gate: GateMeaning;
  readonly angles: readonly Expression[];
  readonly qubits: readonly number[];
}

/** A barrier in a gate's body. */
interface BodyBarrier {
  readonly kind: 'barrier';
  readonly qubits: readonly number[];
}

/** A reset in a gate's body, as in Qiskit's `initialize`. A gate that contains one is not unitary. */
interface BodyReset {
  readonly kind: 'reset';
  readonly qubits: readonly number[];
}

/** One statement of a gate's body. */
export type BodyStatement = BodyCall | BodyBarrier | BodyReset;

/** Cost of expanding a gate once; Infinity where it exceeds the largest number. */
export interface ExpansionCost {
  readonly gates: number;
  readonly barriers: number;
  /** Calls and expression instructions. */
  readonly steps: number;
  /** Nesting of definitions and modifiers. */
  readonly depth: number;
}

const TABLE_COST: ExpansionCost = { gates: 1, barriers: 0, steps: 1, depth: 0 };

/** Cost of expanding a gate once. */
export function costOf(gate: GateMeaning): ExpansionCost {
  return gate.kind === 'table' || gate.kind === 'opaque' ? TABLE_COST : gate.cost;
}

/** Meaning of an `opaque` declaration. Qiskit declares `delay` like this, which changes no state. */
export function opaqueGate(name: string, numParameters: number, numQubits: number): GateMeaning {
  if (name === 'delay' && numParameters === 1) return definedGate(numParameters, numQubits, []);
  return { kind: 'opaque', numParameters, numQubits };
}

/** Makes a gate with a body. */
export function definedGate(
  numParameters: number,
  numQubits: number,
  statements: readonly BodyStatement[],
): DefinedGate {
  // Empty calls are dropped; doubling them would take unlimited steps.
  const body = statements.filter(({ kind, ...call }) => !('gate' in call && isEmpty(call.gate)));
  const usedParameters = usedIn(body);
  return {
    kind: 'defined',
    numParameters,
    numQubits,
    body,
    usedParameters,
    cost: costOfBody(body),
  };
}

function usedIn(body: readonly BodyStatement[]): ReadonlySet<number> {
  const used = new Set<number>();
  for (const statement of body) {
    if (statement.kind !== 'call') continue;
    for (const { instructions } of statement.angles) {
      for (const part of instructions) if (part.kind === 'parameter') used.add(part.index);
    }
  }
  return used;
}

function isEmpty(gate: GateMeaning): boolean {
  switch (gate.kind) {
    case 'table':
    case 'opaque':
      return false;
    case 'defined':
      return gate.body.length === 0;
    case 'power':
      return gate.exponent === 0 || isEmpty(gate.gate);
    case 'controlled':
      return isEmpty(gate.gate);
  }
}

function costOfBody(body: readonly BodyStatement[]): ExpansionCost {
  let [gates, barriers, steps, depth] = [0, 0, 1, 0];
  for (const statement of body) {
    steps++;
    if (statement.kind === 'barrier') {
      barriers++;
      continue;
    }
    if (statement.kind === 'reset') {
      gates++;
      continue;
    }
    const cost = costOf(statement.gate);
    gates += cost.gates;
    barriers += cost.barriers;
    steps += cost.steps;
    for (const angle of statement.angles) steps += angle.instructions.length;
    depth = Math.max(depth, cost.depth);
  }
  return { gates, barriers, steps, depth: depth + 1 };
}

/** Adds controls to a gate, given by the values at which it acts. */
export function controlled(gate: GateMeaning, activeValues: readonly (0 | 1)[]): GateMeaning {
  if (activeValues.length === 0) return gate;
  const { gates, barriers, steps, depth } = costOf(gate);
  const numFlips = 2 * activeValues.filter((value) => value === 0).length;
  const numQubits = gate.numQubits + activeValues.length;
  const cost = { gates: gates + numFlips, barriers, steps: steps + numFlips, depth: depth + 1 };
  return {
    kind: 'controlled',
    gate,
    activeValues,
    numQubits,
    numParameters: gate.numParameters,
    cost,
  };
}

/**
 * Raises a gate to a power; for a fraction, to the principal one: eigenvalues e^{iθ}, −π < θ ≤ π, become
 * e^{ikθ}.
 *
 * @see OpenQASM 3.1, "Gates", modifiers.
 */
export function power(gate: GateMeaning, exponent: number): GateMeaning {
  // A power does not change the controls of a gate.
  if (gate.kind === 'controlled') return controlled(power(gate.gate, exponent), gate.activeValues);
  // (U^a)^k is U^(ak) for whole k only; for others the principal powers differ.
  if (gate.kind === 'power' && Number.isInteger(exponent)) {
    return power(gate.gate, gate.exponent * exponent);
  }
  const { numQubits, numParameters } = gate;
  return {
    kind: 'power',
    gate,
    exponent,
    numQubits,
    numParameters,
    cost: costOfPower(gate, exponent),
  };
}

function costOfPower(gate: GateMeaning, exponent: number): ExpansionCost {
  const { gates, barriers, steps, depth } = costOf(gate);
  if (!Number.isInteger(exponent)) {
    // Computing the matrix and its eigenvalues takes about 8^numQubits steps.
    const isTaken = gate.numQubits <= MAX_UNITARY_QUBITS;
    const work = isTaken ? 16 * 8 ** gate.numQubits : 1;
    return { gates: 1, barriers: 0, steps: steps + work * (1 + gates), depth: depth + 1 };
  }
  if (gate.kind === 'table' && scalesWithAngles(gate)) return { ...TABLE_COST, depth: depth + 1 };
  const times = Math.abs(exponent);
  return {
    gates: gates * times,
    barriers: barriers * times,
    steps: steps * times + 1,
    depth: depth + 1,
  };
}

/** Whether the k-th power of a gate has k times its angles: true if its inverse negates them all. */
export function scalesWithAngles({ definition }: TableGate): boolean {
  const angles = definition.parameters.map((_, i) => i + 1);
  const inverse = definition.inverse(angles);
  return (
    angles.length > 0 &&
    inverse.gate === definition.name &&
    inverse.angles.every((angle, i) => angle === -angles[i]!)
  );
}

/** Whether a gate has one angle, and gates with angles a and b in sequence equal one with a + b. */
export function addsAngles(gate: GateMeaning): boolean {
  if (gate.numParameters !== 1) return false;
  switch (gate.kind) {
    case 'table':
      return scalesWithAngles(gate);
    case 'controlled':
      return addsAngles(gate.gate);
    case 'power':
      return Number.isInteger(gate.exponent) && addsAngles(gate.gate);
    default:
      return false;
  }
}
