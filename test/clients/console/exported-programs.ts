/**
 * Prints circuits as the composer exports them to Python frameworks, with their states, as JSON: each gate of the service
 * with and without further controls, random circuits, and the examples of the composer.
 */
import type { Operation } from '../../../src/circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../../src/circuit/gate-objects-from-circuit.ts';
import { GATES } from '../../../src/circuit/gates.ts';
import { editedCircuit } from '../../../src/console/composer/edited-circuit.ts';
import { EXAMPLES } from '../../../src/console/composer/examples.ts';
import type { Framework } from '../../../src/console/composer/python-parts.ts';
import { pythonText } from '../../../src/console/composer/python-texts.ts';
import type { CircuitSource, GateObject } from '../../../src/console/live-state/messages.ts';
import { StateComputer } from '../../../src/console/live-state/state-computer.ts';
import { NODE_HOST } from '../../../src/engine/cpu/cpu-engine.ts';
import { randomGates } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const FRAMEWORKS: readonly Framework[] = ['Qiskit', 'Cirq', 'PennyLane'];
const ANGLES = { theta: 0.7, phi: 0.4, lambda: -0.9, gamma: 0.3, beta: 0.2 };
/** Inputs, of which one has a name that Python keeps for itself. */
const INPUTS = { a: 0.6, lambda: -Math.PI / 3 };
const INPUT_ANGLES = [{ input: 'a', scale: 2, offset: Math.PI / 4 }, { input: 'lambda' }];
const NUM_RANDOM = 40;

const computer = new StateComputer(NODE_HOST);

interface Case {
  readonly name: string;
  readonly circuit: readonly GateObject[];
  readonly qubits: number;
  readonly inputs?: Readonly<Record<string, number>>;
}

/** Each gate on qubits in an unequal state, from the highest to the lowest; those with angles with inputs, too. */
function gateCases(inputs: Readonly<Record<string, number>> | undefined): readonly Case[] {
  const qubits = 4;
  const before = Array.from({ length: qubits }, (_, qubit) => ({
    gate: 'U',
    qubit,
    theta: 0.5 + qubit,
    phi: 0.3 * qubit + 0.1,
    lambda: 0.2,
  }));
  const gates = GATES.filter(({ parameters }) => inputs === undefined || parameters.length > 0);
  return gates.flatMap(({ name, numControls, numTargets, parameters }) =>
    [0, 1, 2]
      .filter((further) => further + numControls + numTargets <= qubits)
      .map((further): Case => {
        const operands = Array.from({ length: numControls + numTargets }, (_, i) => qubits - 1 - i);
        const gate = {
          gate: name,
          ...(operands.length > 0 && { qubits: operands }),
          ...(further > 0 && { controls: Array.from({ length: further }, (_, i) => i) }),
          ...Object.fromEntries(
            parameters.map((parameter, i) => [
              parameter,
              inputs === undefined ? ANGLES[parameter] : INPUT_ANGLES[i % INPUT_ANGLES.length],
            ]),
          ),
        };
        const words = `${further} further controls${inputs === undefined ? '' : ', with inputs'}`;
        return {
          name: `${name}, ${words}`,
          circuit: [...before, gate],
          qubits,
          ...(inputs && { inputs: parameters.length > 1 ? inputs : { a: inputs['a'] ?? 0 } }),
        };
      }),
  );
}

function randomCases(): readonly Case[] {
  return Array.from({ length: NUM_RANDOM }, (_, seed) => {
    const stream = new RandomStream(900 + seed);
    const qubits = 2 + stream.below(4);
    const operations: readonly Operation[] = randomGates(stream, qubits, 12, 3);
    const circuit = gateObjectsFromCircuit({ operations });
    return { name: `random ${seed}`, circuit, qubits };
  });
}

/** Texts by framework and the state; circuits with measurements have none. */
async function exported({ name, circuit, qubits, inputs }: Case) {
  const source: CircuitSource = { circuit, qubits, ...(inputs && { inputs }) };
  const matrices = await computer.answer({ ask: 'matrices', source });
  const shown = await computer.answer({ ask: 'show', source, options: {} });
  if (matrices.kind !== 'matrices' || shown.kind !== 'state') {
    throw new Error(`${name}: ${JSON.stringify([matrices, shown])}`);
  }
  const edited = editedCircuit(circuit, qubits);
  const isMeasured = circuit.some(({ gate }) => gate === 'M' || gate === 'RESET');
  return {
    name,
    qubits,
    programs: Object.fromEntries(
      FRAMEWORKS.map((each) => [each, pythonText(each, edited, inputs ?? {}, matrices.matrices)]),
    ),
    // At the service that the test has started.
    atService: Object.fromEntries(
      FRAMEWORKS.map((each) => [
        each,
        pythonText(each, edited, inputs ?? {}, matrices.matrices, process.argv[2] ?? ''),
      ]),
    ),
    ...(!isMeasured && { state: [...shown.amplitudes] }),
  };
}

const cases = [...gateCases(undefined), ...gateCases(INPUTS), ...randomCases(), ...EXAMPLES];
const printed = [];
for (const each of cases) printed.push(await exported(each));
process.stdout.write(JSON.stringify(printed));
