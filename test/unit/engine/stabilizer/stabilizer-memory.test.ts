/** What stabilizer runs allocate beside what is declared for them before they run. */
import { afterAll, afterEach, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../../src/circuit/circuit.ts';
import { pauliChannel } from '../../../../src/circuit/noise/named-channels.ts';
import { compileStabilizer } from '../../../../src/compiler/clifford/compile-stabilizer.ts';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { kernelBytes, stabilizerBytes } from '../../../../src/engine/stabilizer/run-stabilizer.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { gate } from '../../../support/random-circuits.ts';

const PAGE_BYTES = 65_536;

const engines: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

const Memory = WebAssembly.Memory;
afterEach(() => {
  WebAssembly.Memory = Memory;
});

/** Records the bytes of each memory that is made from now on. */
function recordMemories(): readonly number[] {
  const bytes: number[] = [];
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      bytes.push(PAGE_BYTES * descriptor.initial);
    }
  };
  return bytes;
}

interface Size {
  readonly numQubits: number;
  readonly numBits: number;
  readonly shots: number;
  /** Whether it has a gate under a condition that shots do not differ in by Pauli strings. */
  readonly isDynamic?: boolean;
}

function circuitOf({ numQubits, numBits, isDynamic = false }: Size): DynamicCircuit {
  const channel = pauliChannel(1, [{ flips: 1, signs: 0, probability: 0.01 }]);
  if (channel === undefined) throw new Error('unreachable: a channel with an error');
  const qubits = Array.from({ length: numQubits }, (_, q) => q);
  const operations = qubits.flatMap((q): readonly DynamicOperation[] => [
    gate('H', [q]),
    gate('X', [(q + 1) % numQubits], [q]),
    { kind: 'noise', channel, qubits: [q] },
  ]);
  const bits = Array.from({ length: numBits }, (_, bit) => bit);
  const condition = { bits: [0], value: 1 };
  return {
    numQubits,
    numBits,
    operations: [
      ...operations,
      ...bits.map(
        (bit): DynamicOperation => ({
          kind: 'measure',
          qubits: [bit % numQubits],
          bits: [bit],
        }),
      ),
      ...(isDynamic ? [{ ...gate('H', [0]), condition }, gate('H', [0])] : []),
    ],
  };
}

test.each<Size>([
  { numQubits: 3000, numBits: 3000, shots: 200 },
  { numQubits: 3000, numBits: 40, shots: 5000 },
  { numQubits: 2, numBits: 20_000, shots: 3000 },
  { numQubits: 300, numBits: 300, shots: 3, isDynamic: true },
  { numQubits: 64, numBits: 64, shots: 1 },
])('a run takes no more of the memory of kernels than is declared: %o', async (size) => {
  const program = compileStabilizer(circuitOf(size));
  if ('kind' in program) throw new Error(program.operation);
  // One that has kept no memory of other runs.
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 2 });
  engines.push(engine);
  await using executable = await engine.prepare.stabilizer!(program);
  const memories = recordMemories();
  const { counts } = await executable.run({ shots: size.shots, seed: 1 }, NEVER);
  const declared = kernelBytes(program, size.shots);
  expect(memories.length).toBeGreaterThan(0);
  const taken = memories.reduce((sum, bytes) => sum + bytes, 0);
  expect(taken).toBeLessThan(declared + PAGE_BYTES * memories.length);
  const result = counts.outcomes.byteLength + counts.occurrences.byteLength;
  expect(stabilizerBytes(program, size.shots)).toBeGreaterThan(declared + 2 * result);
});
