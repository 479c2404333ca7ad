/** Every channel that can be written, against the Kraus matrices of the oracle. */
import { expect, test } from 'vitest';
import { FaultList } from '../../../../src/circuit/errors.ts';
import { channelSchema } from '../../../../src/circuit/noise/noise-model-schema.ts';
import { readChannel } from '../../../../src/circuit/noise/read-channel.ts';
import { krausOf } from '../../../support/noise-oracle.ts';
import { CHANNELS } from '../../../support/noisy-circuits.ts';
import {
  amplitudeDamping,
  choiMatrix,
  generalizedAmplitudeDamping,
  phaseDamping,
  thermalRelaxation,
} from '../../../support/textbook-channels.ts';

test.each([
  ...CHANNELS,
  // At the ends of what parameters may be.
  amplitudeDamping(1e-12),
  phaseDamping(1),
  phaseDamping(1e-14),
  generalizedAmplitudeDamping(0.3, 1),
  generalizedAmplitudeDamping(1, 0.5),
  thermalRelaxation(100, 150, 1e-3, 0.2),
  thermalRelaxation(1e9, 1e-3, 50, 0),
  thermalRelaxation(1e-3, 2e-3, 1e6, 0.4),
])('$name is read as the textbook has it', ({ written, numQubits, kraus }) => {
  const faults = new FaultList();
  const read = readChannel(channelSchema.parse(written), numQubits, 'channel', faults);
  expect(faults.kept).toEqual([]);
  const found = choiMatrix(krausOf(read!.channel!));
  for (const [i, part] of choiMatrix(kraus).entries()) expect(found[i]).toBeCloseTo(part, 14);
});
