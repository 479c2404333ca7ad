import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { describeStabilizer } from './stabilizer-suite.ts';

describeStabilizer('reference', () => openReferenceEngine({ maxQubits: 1 }));
