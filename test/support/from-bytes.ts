/** Circuits as they come from a process that read them. */
import type { DynamicCircuit } from '../../src/circuit/circuit.ts';
import { packCircuit, unpackCircuit } from '../../src/fleet/workers/sent-batch.ts';

/** The circuit, unpacked from bytes. */
export const fromBytes = (circuit: DynamicCircuit): DynamicCircuit =>
  unpackCircuit(packCircuit(circuit, true));
