/** Schema of a device that a caller describes. */
import { z } from 'zod';
import { noiseModelSchema } from '../../circuit/noise/noise-model-schema.ts';

/** Qubits and couplers of the largest device of a caller. */
const MAX_DEVICE_QUBITS = 256;
const MAX_COUPLERS = 1024;
const MAX_GATES = 64;

const place = z
  .int()
  .min(0)
  .max(MAX_DEVICE_QUBITS - 1);

/** A device of the caller, for the processor `emulator`. */
export const deviceSchema = z
  .strictObject({
    num_qubits: z
      .int()
      .min(1)
      .max(MAX_DEVICE_QUBITS)
      .optional()
      .describe('Number of qubits; by default one more than the highest of the coupling map'),
    coupling_map: z
      .array(z.tuple([place, place]))
      .min(1)
      .max(MAX_COUPLERS)
      .describe('Pairs of qubits that a two-qubit gate can act on, in this order of its operands'),
    symmetric_couplers: z
      .boolean()
      .optional()
      .describe('Whether gates can act on each pair in the other order, too; true unless given'),
    native_gates: z
      .array(z.string().max(64))
      .min(1)
      .max(MAX_GATES)
      .optional()
      .describe('Names or aliases of gates that can make any circuit; by default cz, rz, sx and x'),
    noise: noiseModelSchema
      .optional()
      .describe('Noise after native gates, on the qubits of the device; none unless given'),
  })
  .meta({
    id: 'CallerDevice',
    examples: [
      {
        num_qubits: 3,
        coupling_map: [
          [0, 1],
          [1, 2],
        ],
        native_gates: ['cz', 'rz', 'sx', 'x'],
        noise: {
          gates: [{ gates: ['CZ'], channel: { type: 'depolarizing', probability: 0.01 } }],
          readout: [{ p1_given_0: 0.01, p0_given_1: 0.03 }],
        },
      },
    ],
  });
export type DeviceObject = z.output<typeof deviceSchema>;

/** The field of circuits, batches and compiling. */
export const deviceField = {
  device: deviceSchema
    .optional()
    .describe('For the processor emulator, which requires it: the device to emulate'),
};
