/**
 * Writes the common circuits of the GPU benchmarks as qsim's text, for bench/peers/qsim-cuda.cu; run
 * by hand, not in CI.
 *
 *     node bench/peers/qsim-circuits.ts FOLDER 12,27,30
 *
 * At 12 qubits the reference engine's amplitudes are beside each, as float64 re, im.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { commonCircuit, FAMILIES } from '../webgpu-circuits.ts';
import { runOn } from '../webgpu-facts.ts';
import { qsimText } from './qsim.ts';

const VERIFIED_QUBITS = 12;

const [folder = '.', widths = '12'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const reference = openReferenceEngine({ maxQubits: VERIFIED_QUBITS });
for (const numQubits of widths.split(',').map(Number)) {
  for (const family of FAMILIES) {
    const circuit = commonCircuit(family, numQubits);
    const path = join(folder, `${family}_n${numQubits}`);
    writeFileSync(`${path}.qsim`, qsimText(circuit));
    if (numQubits !== VERIFIED_QUBITS) continue;
    const { statevector } = await runOn(
      reference,
      circuit,
      { statevector: true },
      { optimize: false },
    );
    writeFileSync(`${path}.ref`, Float64Array.from(statevector ?? []));
  }
}
await reference.close();
