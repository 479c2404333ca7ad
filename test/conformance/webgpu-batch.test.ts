// @needs facilities
/** Batches of the WebGPU engine on the software drivers that are tried. */
import { describeWith } from '../support/facilities/describe-with.ts';
import { triedDrivers } from '../support/software-gpu.ts';
import { openSoftwareBatches } from '../support/webgpu-batches.ts';
import { describeBatchRequests } from './batch-request-suite.ts';
import { describeBatches } from './batch-suite.ts';

for (const driver of triedDrivers()) {
  const claims = { tolerance: 1e-5, manyCircuits: 100_001, hasExactCounts: true };
  describeWith([driver], `batches on ${driver}`, () => {
    describeBatches(`webgpu on ${driver}`, () => openSoftwareBatches(driver), claims);
    describeBatchRequests(`webgpu on ${driver}`, () => openSoftwareBatches(driver));
  });
}
