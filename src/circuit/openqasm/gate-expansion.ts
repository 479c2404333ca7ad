/** Expands a use of a gate into operations. */

import { multipleOfAngle } from '../../math/angles.ts';
import type { ComplexMatrix } from '../../math/complex-matrix.ts';
import { codeOf, NEGATE } from '../angle-operations.ts';
import type {
  Condition,
  GateOperation,
  Operation,
  Qubit,
  StatementRole,
  UnitaryOperation,
} from '../circuit.ts';
import { MAX_UNITARY_QUBITS } from '../circuit-limits.ts';
import type { GateDefinition } from '../gate-definition.ts';
import { gateNamed } from '../gates.ts';
import { matrixOfOperations } from '../operation-matrix.ts';
import { principalPower } from '../unitary-power.ts';
import { evaluateAngle } from './expressions.ts';
import {
  type DefinedGate,
  type GateMeaning,
  type PowerGate,
  scalesWithAngles,
  type TableGate,
} from './gate-meaning.ts';
import type { OpenAngles, OpenNumber } from './open-inputs.ts';
import type { TokenStream } from './token-stream.ts';

/** Receiver of operations: a circuit, or the list that a matrix is computed from. */
export interface OperationSink {
  /** @param open - Angles of a gate that follow from inputs; absent if there are none. */
  push(operation: Extract<Operation, { kind: 'gate' | 'unitary' }>, open?: OpenAngles): void;
  pushReset(qubits: readonly Qubit[], use: GateUse): void;
  pushBarrier(qubits: readonly Qubit[], offset: number): void;
}

/** One use of a gate. */
export interface GateUse {
  readonly name: string;
  readonly gate: GateMeaning;
  readonly angles: readonly number[];
  /** Angles that follow from inputs; absent if there are none. */
  readonly open?: OpenAngles | undefined;
  /** Distinct. */
  readonly qubits: readonly Qubit[];
  /** Controls added by modifiers, distinct from `qubits`. */
  readonly controls: readonly Qubit[];
  readonly isInverse: boolean;
  readonly condition: Condition | undefined;
  /** Role of the operations in their statement. */
  readonly role: StatementRole | undefined;
  /** Offset in the text, for errors. */
  readonly offset: number;
}

/** Adds the operations of a use, whose cost the caller has reserved. */
export function expandGate(sink: OperationSink, tokens: TokenStream, use: GateUse): void {
  for (const angle of use.angles) {
    if (!Number.isFinite(angle)) {
      const problem = `An angle of ${use.name} is ${angle}; it must be finite.`;
      throw tokens.invalid(use.offset, problem);
    }
  }
  for (const angle of use.open ?? []) angle?.inputs.mustBeFinite(angle);
  const { gate } = use;
  switch (gate.kind) {
    case 'table':
      sink.push(tableOperation(gate, use), openTableAngles(gate, use));
      return;
    case 'defined':
      expandBody(sink, tokens, gate, use);
      return;
    case 'power':
      expandPower(sink, tokens, gate, use);
      return;
    case 'opaque': {
      const construct = `Running ${use.name}, which is declared "opaque", without a definition,`;
      throw tokens.unsupported(use.offset, construct);
    }
    case 'controlled': {
      const added = use.qubits.slice(0, gate.activeValues.length);
      const flips = added.filter((_, i) => gate.activeValues[i] === 0);
      for (const qubit of flips) sink.push(flip(qubit, use, 'opening'));
      expandGate(sink, tokens, {
        ...use,
        gate: gate.gate,
        qubits: use.qubits.slice(added.length),
        controls: [...use.controls, ...added],
      });
      for (const qubit of flips) sink.push(flip(qubit, use, 'closing'));
    }
  }
}

/** Condition and role that an operation takes over from the use of its gate. */
const ofUse = ({ condition, role }: Pick<GateUse, 'condition' | 'role'>) => ({
  ...(condition && { condition }),
  ...(role && { role }),
});

/** X around a control that has to be 0. Around an opening or closing operation it has the same role. */
function flip(qubit: Qubit, { condition, role: outer }: GateUse, role: StatementRole) {
  const x = { kind: 'gate', gate: 'X', controls: [], targets: [qubit], angles: [] } as const;
  const isAround = outer === undefined || outer === 'choice';
  return { ...x, ...ofUse({ condition, role: isAround ? role : outer }) };
}

/** The controls of all operations without any. */
export const NO_QUBITS: readonly Qubit[] = [];

function tableOperation(gate: TableGate, use: GateUse): GateOperation {
  const { definition } = gate;
  const { qubits } = use;
  const numControls = qubits.length - definition.numTargets;
  const own = numControls === 0 ? NO_QUBITS : qubits.slice(0, numControls);
  const targets = numControls === 0 ? qubits : qubits.slice(numControls);
  const numAngles = definition.parameters.length;
  const angles = use.angles.length === numAngles ? use.angles : use.angles.slice(0, numAngles);
  const controls = use.controls.length === 0 ? own : [...use.controls, ...own];
  const operation: GateOperation = use.isInverse
    ? inverseOperation(definition, controls, targets, angles)
    : { kind: 'gate', gate: definition.name, controls, targets, angles };
  return use.condition === undefined && use.role === undefined
    ? operation
    : { ...operation, ...ofUse(use) };
}

function inverseOperation(
  definition: GateDefinition,
  controls: readonly Qubit[],
  targets: readonly Qubit[],
  given: readonly number[],
): GateOperation {
  const { gate, angles, targetOrder: order } = definition.inverse(given);
  const ordered = order === undefined ? targets : order.map((position) => targets[position]!);
  return { kind: 'gate', gate, controls, targets: ordered, angles };
}

/** Angles of the operation of a gate of the table that follow from inputs. */
function openTableAngles({ definition }: TableGate, use: GateUse): OpenAngles | undefined {
  const { open: given, isInverse } = use;
  if (given === undefined || !isInverse) return given;
  // Each angle of an inverse is a constant, or an angle of the gate or its negative.
  return definition.inverse(TRIED_ANGLES).angles.map((angle) => {
    const open = given[TRIED_ANGLES.indexOf(Math.abs(angle))];
    return open && angle < 0 ? openNegative(open) : open;
  });
}

/** Distinct test angles, which show the effect of an inverse on each angle. */
const TRIED_ANGLES: readonly number[] = [
  0.739085133215, 1.902160577783, 2.236148072397, 0.915965594177,
];

const openNegative = ({ inputs, node, held }: OpenNumber): OpenNumber =>
  inputs.apply(NEGATE, -held, node);

const openMultiple = ({ inputs, node }: OpenNumber, times: number, held: number): OpenNumber =>
  inputs.apply(codeOf('multiple')!, held, node, inputs.constant(times));

/** Makes the inputs of angles structural, because the angles end in a matrix. */
export function fixAngles(open: OpenAngles | undefined): void {
  for (const angle of open ?? []) angle?.inputs.fixNode(angle.node, 'decides on a matrix');
}

function expandBody(
  sink: OperationSink,
  tokens: TokenStream,
  { body }: DefinedGate,
  use: GateUse,
): void {
  for (const statement of use.isInverse ? body.toReversed() : body) {
    const acting: Qubit[] = [];
    for (const position of statement.qubits) acting.push(use.qubits[position]!);
    if (statement.kind === 'barrier') {
      sink.pushBarrier(acting, use.offset);
      continue;
    }
    if (statement.kind === 'reset') {
      if (use.isInverse || use.controls.length > 0) throw resetUnderModifier(tokens, use);
      sink.pushReset(acting, use);
      continue;
    }
    const { name, gate } = statement;
    const angles: number[] = [];
    let open: (OpenNumber | undefined)[] | undefined;
    for (const [i, expression] of statement.angles.entries()) {
      const angle = evaluateAngle(expression, use.angles, tokens, use.open);
      if (typeof angle === 'number') {
        angles.push(angle);
        continue;
      }
      angles.push(angle.held);
      open ??= new Array<OpenNumber | undefined>(statement.angles.length).fill(undefined);
      open[i] = angle;
    }
    const { controls, isInverse, condition, role, offset } = use;
    expandGate(sink, tokens, {
      name,
      gate,
      angles,
      open,
      qubits: acting,
      controls,
      isInverse,
      condition,
      role,
      offset,
    });
  }
}

function resetUnderModifier(tokens: TokenStream, { offset }: GateUse) {
  const construct = 'Inverting, controlling or taking a root of a gate whose body has a reset';
  return tokens.unsupported(offset, construct);
}

function expandPower(
  sink: OperationSink,
  tokens: TokenStream,
  { gate, exponent }: PowerGate,
  use: GateUse,
): void {
  if (!Number.isInteger(exponent)) {
    sink.push(fractionalPower(tokens, gate, use.isInverse ? -exponent : exponent, use));
    return;
  }
  const times = Math.abs(exponent);
  const inner = { ...use, gate, isInverse: use.isInverse !== exponent < 0 };
  if (gate.kind === 'table' && scalesWithAngles(gate)) {
    if (times === 0) return;
    const angles = use.angles.map((angle) => multipleOfAngle(angle, times));
    const open = use.open?.map((angle, i) => angle && openMultiple(angle, times, angles[i]!));
    expandGate(sink, tokens, { ...inner, angles, open });
    return;
  }
  for (let i = 0; i < times; i++) expandGate(sink, tokens, inner);
}

function fractionalPower(tokens: TokenStream, gate: GateMeaning, exponent: number, use: GateUse) {
  fixAngles(use.open);
  const shared = ofUse(use);
  if (gate.kind === 'table') {
    const {
      controls,
      targets,
      angles,
      gate: name,
    } = tableOperation(gate, { ...use, isInverse: false });
    return powerOperation(gateNamed(name).matrix(angles), exponent, {
      ...shared,
      controls,
      targets,
    });
  }
  if (gate.numQubits > MAX_UNITARY_QUBITS) {
    const problem = `A fractional power of ${use.name}, which acts on ${gate.numQubits} qubits,`;
    throw tokens.unsupported(use.offset, problem);
  }
  const operations: Extract<Operation, { kind: 'gate' | 'unitary' }>[] = [];
  const places = use.qubits.map((_, i) => i);
  const plain = {
    ...use,
    gate,
    qubits: places,
    controls: [],
    isInverse: false,
    condition: undefined,
    role: undefined,
  };
  const list: OperationSink = {
    push: (operation, open) => {
      fixAngles(open);
      operations.push(operation);
    },
    pushReset: () => {
      throw resetUnderModifier(tokens, use);
    },
    pushBarrier: () => undefined,
  };
  expandGate(list, tokens, plain);
  const placed = { ...shared, controls: use.controls, targets: use.qubits };
  return powerOperation(matrixOfOperations(operations, gate.numQubits), exponent, placed);
}

/** The operation of a power of a matrix. One of a global phase, which has no target, is a global phase. */
function powerOperation(
  unitary: ComplexMatrix,
  exponent: number,
  placed: Omit<UnitaryOperation, 'kind' | 'matrix'>,
): GateOperation | UnitaryOperation {
  const matrix = principalPower(unitary, exponent);
  if (placed.targets.length > 0) return { kind: 'unitary', ...placed, matrix };
  const angles = [Math.atan2(matrix[1]!, matrix[0]!)];
  return { kind: 'gate', gate: 'GPHASE', ...placed, angles };
}
