/** Faults that the suites are measured by, spread over the layers. Many are faults that the service once had. */
import { CIRCUIT_FAULTS } from './faults/circuit.ts';
import { CLIENT_FAULTS } from './faults/clients.ts';
import { ENGINE_FAULTS } from './faults/engines.ts';
import { SERVICE_FAULTS } from './faults/service.ts';
import type { SeededFault } from './seeded-fault.ts';

/** All of them. */
export const FAULTS: readonly SeededFault[] = [
  ...CIRCUIT_FAULTS,
  ...ENGINE_FAULTS,
  ...SERVICE_FAULTS,
  ...CLIENT_FAULTS,
];
