import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { describeEngine } from './engine-suite.ts';

const open = () => openReferenceEngine({ maxQubits: 15 });
describeEngine('reference', open, {
  tolerance: 1e-12,
  maxQubits: 15,
  hasGradients: true,
  hasTrajectories: true,
  hasDensityMatrices: true,
});
