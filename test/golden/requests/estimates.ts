/** Estimates, which run nothing. */
import {
  BELL,
  type GoldenRequest,
  ghz,
  longCircuit,
  NOISE,
  OBSERVABLES,
} from './golden-request.ts';

const PATH = '/api/v1/quantum/estimate';
const RY = [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }];
const CODE = 'X_ERROR(0.1) 0\nM 0\nDETECTOR rec[-1]\nOBSERVABLE_INCLUDE(0) rec[-1]\n';

/** Fields that decide what is estimated. */
const BODIES: readonly (readonly [string, object])[] = [
  ['a circuit', { circuit: BELL, target_processor: 'qvm', shots: 20 }],
  ['a long circuit', { circuit: longCircuit(600), target_processor: 'statevector-sim', shots: 20 }],
  ['a wide circuit', { circuit: ghz(30), target_processor: 'qvm', shots: 20 }],
  ['a noisy circuit', { circuit: BELL, noise: NOISE, target_processor: 'qvm', shots: 20 }],
  ['an emulated device', { circuit: BELL, target_processor: 'emulator-iqm-garnet', shots: 20 }],
  ['hardware', { circuit: BELL, target_processor: 'superconducting-1', shots: 20 }],
  [
    'a batch',
    {
      target_processor: 'qvm',
      programs: [
        // As wide as the other, because the reason is that of whichever takes longer.
        { circuit: ghz(3), shots: 20 },
        {
          circuit: [...RY, ...ghz(3)],
          inputs: { a: [0, 0.5, 1] },
          observables: OBSERVABLES,
          return: ['expectation', 'gradient'],
          shots: 10,
        },
      ],
    },
  ],
  ['an experiment', { tasks: [{ stim: CODE }, { stim: CODE, max_shots: 5 }], max_shots: 5000 }],
  ['a fault', { circuit: [{ gate: 'H', qubit: -1 }], target_processor: 'qvm', shots: 20 }],
  ['a fault of a batch', { target_processor: 'qvm', programs: [{ circuit: BELL, shots: 0 }] }],
  ['no processor', { circuit: BELL, target_processor: 'nowhere', shots: 20 }],
];

/** The requests. */
export const ESTIMATES: readonly GoldenRequest[] = BODIES.map(([name, body]) => ({
  name: `estimates: ${name}`,
  path: PATH,
  body,
}));
