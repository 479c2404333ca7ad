/**
 * Reads a circuit of its own some times while the service starts, so that V8 has compiled the readers of
 * OpenQASM and of gate objects when the first caller's circuit comes.
 */
import { setImmediate } from 'node:timers/promises';
import { RequestInvalidError } from '../http/errors.ts';
import { readCircuit } from './read-circuit.ts';
import type { Target } from './targets.ts';

const NUM_ROUNDS = 20;
const NUM_QUBITS = 12;

/** Statements of the kinds that exporters write, in OpenQASM 2. */
function program(): string {
  const lines = ['OPENQASM 2.0;', 'include "qelib1.inc";'];
  lines.push(
    'gate ryy(t) a,b { rx(pi/2) a; rx(pi/2) b; cx a,b; rz(t) b; cx a,b; rx(-pi/2) a; rx(-pi/2) b; }',
    `qreg q[${NUM_QUBITS}];`,
    `creg c[${NUM_QUBITS}];`,
    'h q;',
  );
  for (let q = 0; q + 1 < NUM_QUBITS; q++) {
    const angle = 0.123456789 * (q + 1);
    lines.push(`ry(${angle}) q[${q}];`, `rz(-${angle}) q[${q}];`, `cx q[${q}],q[${q + 1}];`);
    lines.push(`u3(${angle},pi/4,-2*pi/3) q[${q}];`, `rxx(${angle}) q[${q}],q[${q + 1}];`);
    lines.push(`ryy(${angle}) q[${q}],q[${q + 1}];`, `cp(pi/8) q[${q}],q[${q + 1}];`);
  }
  return [...lines, 'barrier q;', 'measure q -> c;'].join('\n');
}

/** The same kinds of gates as objects. */
function gateObjects(): readonly object[] {
  const pairs = Array.from({ length: NUM_QUBITS - 1 }, (_, q) => [
    { gate: 'RY', qubit: q, theta: 0.1 * q },
    { gate: 'CX', control: q, target: q + 1 },
    { gate: 'RZZ', qubits: [q, q + 1], theta: 0.2 * q },
  ]);
  return [...pairs.flat(), { gate: 'M', qubits: Array.from({ length: NUM_QUBITS }, (_, q) => q) }];
}

/**
 * Reads the circuits; the event loop runs between two of them. The warm-up ends without an error at the first
 * circuit that exceeds a limit of the processor, such as `QCS_MAX_GATES`.
 *
 * @returns Number of circuits that were read.
 */
export async function warmUpReading(targets: readonly Target[]): Promise<number> {
  const target = targets[0]?.spec;
  if (target === undefined) return 0;
  const shared = { target_processor: target.id, shots: 1 };
  const bodies = [
    { qasm: program(), ...shared },
    { circuit: gateObjects(), ...shared },
  ];
  let numRead = 0;
  try {
    for (let round = 0; round < NUM_ROUNDS; round++) {
      for (const body of bodies) {
        readCircuit(body, targets);
        numRead++;
        await setImmediate();
      }
    }
  } catch (error) {
    if (!(error instanceof RequestInvalidError)) throw error;
  }
  return numRead;
}
