/**
 * Whether the engine is right on this adapter, for tiles and chunks of several sizes: run first by
 * gpu-session.ts on a host that has no test runner. Ends with 1 at the first wrong answer.
 */
import { shaderFile } from '../src/engine/webgpu/node-gpu.ts';
import { openWebGpuEngine, type WebGpuEngineOptions } from '../src/engine/webgpu/webgpu-engine.ts';
import { store } from './harness.ts';
import { type AdapterFacts, adapterFacts, openBenchDevice, sizesFor } from './webgpu-adapter.ts';
import { commonCircuit, FAMILIES } from './webgpu-circuits.ts';
import { verifyAgainstReference, verifyWide } from './webgpu-facts.ts';

const MAX_QUBITS = 12;
const WIDER_QUBITS = 15;
type Variant = Omit<WebGpuEngineOptions, 'device' | 'shaders'>;
const VARIANTS: readonly Variant[] = [
  {},
  { tileQubits: 8 },
  { tileQubits: 9, chunkQubits: 11 },
  { tileQubits: 8, chunkQubits: 8 },
];

const checked: object[] = [];
let adapter: AdapterFacts | undefined;
for (const variant of VARIANTS) {
  const device = await openBenchDevice();
  adapter ??= adapterFacts(device);
  const engine = await openWebGpuEngine({
    device,
    shaders: shaderFile,
    ...sizesFor(WIDER_QUBITS),
    ...variant,
  });
  try {
    const started = performance.now();
    const numCircuits = await verifyAgainstReference(engine, MAX_QUBITS);
    for (const family of FAMILIES) {
      await verifyWide(engine, family, commonCircuit(family, WIDER_QUBITS));
    }
    const tookMs = performance.now() - started;
    checked.push({ variant, numCircuits, numWide: FAMILIES.length, tookMs });
    process.stdout.write(
      `  right: ${JSON.stringify(variant)}, ${numCircuits} circuits against the reference engine, the common ones at ${WIDER_QUBITS} qubits by what is known of them\n`,
    );
  } finally {
    await engine.close();
  }
}
store('webgpu-check', checked, { adapter });
