import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { describeStabilizer } from './stabilizer-suite.ts';

describeStabilizer('cpu', () => openCpuEngine({ precision: 'f32', numThreads: 1, maxQubits: 10 }));
