import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { describeEngine } from './engine-suite.ts';

const open = () => openReferenceEngine({ maxQubits: 20 });
describeEngine('reference', open, {
  tolerance: 1e-12,
  maxQubits: 20,
  hasGradients: true,
  hasTrajectories: true,
  hasDensityMatrices: true,
});
