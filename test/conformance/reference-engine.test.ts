import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { describeEngine } from './engine-suite.ts';

// It has no tiles, so that nothing begins at more qubits.
const open = () => openReferenceEngine({ maxQubits: 12 });
describeEngine('reference', open, {
  tolerance: 1e-12,
  maxQubits: 12,
  hasGradients: true,
  hasTrajectories: true,
  hasDensityMatrices: true,
});
