/** Checks that a circuit can run on a device unchanged; shares no code with routing and translation. */
import type { Circuit } from '../../../../circuit/circuit.ts';
import type { Coupler } from '../../../../compiler/routing/coupling-map.ts';

/** Operations that use a gate or coupler that the device lacks; empty if the circuit fits. */
export function misfits(
  circuit: Circuit,
  couplers: readonly Coupler[],
  gates: ReadonlySet<string>,
): readonly string[] {
  const coupled = new Set(couplers.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));
  const found: string[] = [];
  for (const [i, operation] of circuit.operations.entries()) {
    if (operation.kind === 'unitary') found.push(`Operation ${i} is an explicit matrix.`);
    if (operation.kind !== 'gate') continue;
    const qubits = [...operation.controls, ...operation.targets];
    if (!gates.has(operation.gate)) found.push(`Operation ${i} is no native gate.`);
    if (qubits.length > 2) found.push(`Operation ${i} has ${qubits.length} qubits.`);
    if (qubits.length === 2 && !coupled.has(qubits.join(' '))) {
      found.push(`Operation ${i} is on ${qubits.join(' and ')}, which nothing couples.`);
    }
  }
  return found;
}
