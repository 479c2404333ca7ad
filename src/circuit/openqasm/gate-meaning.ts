/**
 * What a gate's name means in a program: an entry of the gate table, or a definition's body.
 *
 * Bodies are kept as calls and expanded where the gate is used. Definitions that double each other
 * reach 2^n operations in n lines, so each one carries what its expansion costs, and a call is
 * refused before it is expanded, not when memory has run out.
 */
import type { Condition, Qubit } from '../circuit.ts';
import type { GateDefinition } from '../gate-definition.ts';
import type { CircuitBuilder } from './circuit-builder.ts';
import { type Expression, evaluate } from './expressions.ts';

/** A gate of the gate table, perhaps under further controls. */
export interface TableGate {
  readonly kind: 'table';
  readonly definition: GateDefinition;
  /** Of the qubits in a call, how many come first and are controls. */
  readonly numControls: number;
  readonly numQubits: number;
  /** Angles past those of the gate table's record have no effect (u0's duration). */
  readonly numParameters: number;
}

/** A gate that a program, or a library, defines by other gates. */
export interface DefinedGate {
  readonly kind: 'defined';
  readonly numQubits: number;
  readonly numParameters: number;
  readonly body: readonly BodyStatement[];
  readonly cost: ExpansionCost;
}

/** What a gate's name means. */
export type GateMeaning = TableGate | DefinedGate;

/** A call in a gate's body; `qubits` are positions in the definition's own list. */
export interface BodyCall {
  readonly kind: 'call';
  readonly name: string;
  readonly gate: GateMeaning;
  readonly angles: readonly Expression[];
  readonly qubits: readonly number[];
}

/** A barrier in a gate's body. */
export interface BodyBarrier {
  readonly kind: 'barrier';
  readonly qubits: readonly number[];
}

/** One statement of a gate's body. */
export type BodyStatement = BodyCall | BodyBarrier;

/** What one expansion of a gate adds up to; Infinity where doubling has gone past all numbers. */
export interface ExpansionCost {
  readonly gates: number;
  readonly barriers: number;
  /** Calls made and expression instructions evaluated. */
  readonly steps: number;
  /** Definitions inside one another. */
  readonly depth: number;
}

const TABLE_COST: ExpansionCost = { gates: 1, barriers: 0, steps: 1, depth: 0 };

/** What expanding a gate once costs. */
export function costOf(gate: GateMeaning): ExpansionCost {
  return gate.kind === 'table' ? TABLE_COST : gate.cost;
}

/** What expanding a body once costs. */
export function costOfBody(body: readonly BodyStatement[]): ExpansionCost {
  let [gates, barriers, steps, depth] = [0, 0, 1, 0];
  for (const statement of body) {
    steps++;
    if (statement.kind === 'barrier') {
      barriers++;
      continue;
    }
    const cost = costOf(statement.gate);
    gates += cost.gates;
    barriers += cost.barriers;
    steps += cost.steps;
    for (const angle of statement.angles) steps += angle.length;
    depth = Math.max(depth, cost.depth);
  }
  return { gates, barriers, steps, depth: depth + 1 };
}

/** One use of a gate, ready to be expanded. */
export interface GateUse {
  readonly name: string;
  readonly gate: GateMeaning;
  readonly angles: readonly number[];
  /** Distinct. */
  readonly qubits: readonly Qubit[];
  readonly condition: Condition | undefined;
  /** Where the program uses it, for errors. */
  readonly offset: number;
}

/** Adds the operations a use stands for; the caller has reserved its cost with the builder. */
export function expandGate(builder: CircuitBuilder, use: GateUse): void {
  const { gate, angles, qubits, condition, offset } = use;
  for (const angle of angles) {
    if (!Number.isFinite(angle)) throw builder.infiniteAngle(use.name, angle, offset);
  }
  if (gate.kind === 'table') {
    builder.addGate(gate, angles, qubits, condition);
    return;
  }
  for (const statement of gate.body) {
    const acting = statement.qubits.map((position) => qubits[position]!);
    if (statement.kind === 'barrier') {
      builder.addBarrier(acting, offset);
      continue;
    }
    expandGate(builder, {
      name: statement.name,
      gate: statement.gate,
      angles: statement.angles.map((angle) => evaluate(angle, angles)),
      qubits: acting,
      condition,
      offset,
    });
  }
}
