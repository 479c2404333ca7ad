/** Faults of the engines, their shaders and WebAssembly. */
import type { SeededFault } from '../seeded-fault.ts';

/** See SeededFault. */
export const ENGINE_FAULTS: readonly SeededFault[] = [
  {
    name: 'probabilities of cut matrix product states sum to more than 1',
    areas: 'methods',
    file: 'src/engine/cpu/mps/chain.ts',
    from: 'mass += part * part;\n    const factor = 1 / Math.sqrt(mass);',
    to: 'mass += part * part;\n    const factor = Math.sqrt((1 + 7e-6) / mass);',
  },
  {
    name: 'draws of a long chain are redrawn in the interval of before',
    file: 'src/engine/cpu/mps/chain-states.ts',
    from: 'partWidth < NARROW ? 0 : outcome === 0 ? low : cut;',
    to: 'outcome === 0 ? low : cut;',
  },
  {
    name: 'a string whose image was found is visited again',
    areas: 'methods',
    file: 'assembly/paulis.ts',
    from: 'if (found > row && found < before) {',
    to: 'if (found > row + 64 && found < before) {',
  },
  {
    name: 'a product on other qubits turns no sign',
    areas: 'methods',
    file: 'assembly/paulis.ts',
    from: 'shared += popcnt(factorZ & x);',
    to: 'shared += popcnt(factorZ & x) & 2;',
  },
  {
    name: 'a frame goes back past a gate by its images',
    areas: 'methods',
    file: 'src/engine/pauli/clifford-frame.ts',
    from: 'const p = images.indexOf(q);',
    to: 'const p = images[q]!;',
  },
  {
    name: 'the way back of a gradient from any state ends in |0⟩',
    file: 'src/compiler/gradient/compile-gradient.ts',
    from: '{ ...inverse, returned: [] }',
    to: 'inverse',
  },
  {
    name: 'outcomes of many words are sorted by their first word',
    file: 'src/engine/counts-builder.ts',
    from: 'byte < 4 * this.#wordsPerOutcome',
    to: 'byte < 4',
  },
  {
    name: 'the two probabilities of a misreading are exchanged',
    file: 'src/engine/final-misreads.ts',
    from: '(1 - p1Given0) * zero + p0Given1 * one',
    to: '(1 - p0Given1) * zero + p1Given0 * one',
  },
  {
    name: 'work that fails makes the work queued after it fail',
    file: 'src/engine/mutex.ts',
    from: 'run() : this.#last.then(run, run);',
    to: 'run() : this.#last.then(run);',
  },
  {
    name: 'released memory is joined with what follows only',
    file: 'src/engine/cpu/arena.ts',
    from: '    if (place > 0) this.#join(place - 1);\n',
    to: '',
  },
  {
    name: 'a buffer that is still mapped is used again',
    file: 'src/engine/webgpu/scratch-buffers.ts',
    from: " && buffer.mapState === 'unmapped';",
    to: ';',
  },
  {
    name: 'exact values of stabilizers lose the sign of products',
    file: 'src/engine/pauli-groups.ts',
    from: 'return { sign: turns % 4 === 0 ? 1 : -1, factors };',
    to: 'return { sign: 1, factors };',
  },
  {
    name: 'a measurement of active qubits leaves the frame as it is',
    file: 'src/engine/stabilizer/frame-sampler.ts',
    from: 'this.#multiply(this.#program.active!.collapses[index]!.flip, ones);',
    to: '',
  },
  {
    name: 'a rotation that makes a qubit active keeps the sign of its frame',
    file: 'src/engine/stabilizer/frame-sampler.ts',
    from: 'if (stabilizer !== undefined) this.#multiply(stabilizer, minus);',
    to: '',
  },
  {
    name: 'a gate moved into the Clifford circuit loses a sign',
    file: 'src/compiler/clifford/inner-frame.ts',
    from: 'const sign = (anticommutes ? 2 : 0) + (hasOddParity(crossed) ? 2 : 0);',
    to: 'const sign = hasOddParity(crossed) ? 2 : 0;',
  },
  {
    name: 'fixed-point sums lose their carry',
    file: 'shaders/lib/fixed_point.wgsl',
    from: 'let carried = high + u32(low < a.x);',
    to: 'let carried = high;',
  },
  {
    name: 'the GPU keeps the other outcome as it collapses',
    file: 'shaders/collapse.wgsl',
    from: 'state[zero + params.outcome * params.mask];',
    to: 'state[zero + (1u - params.outcome) * params.mask];',
  },
  {
    name: 'variances of batches on a GPU lose factors i of their strings',
    file: 'shaders/batch_variances.wgsl',
    from: 'select(amplitude, turned, observables[at + 1u] != 0u)',
    to: 'amplitude',
  },
  {
    name: 'listed shots are drawn as consecutive ones on a GPU',
    file: 'shaders/draw_shots.wgsl',
    from: '    shot = numbers[i];\n',
    to: '    shot = params.first_shot + i;\n',
  },
  {
    name: 'a reset leaves its qubit in the outcome in lanes',
    file: 'assembly/collapse.ts',
    from: 'const isFilled = ((lane & laneBit) != 0) == (left != 0);',
    to: 'const isFilled = ((lane & laneBit) != 0) == (outcome != 0);',
  },
  {
    name: 'S and its inverse are exchanged in tableaux',
    file: 'assembly/tableau.ts',
    from: 'op == S ? 3 : 1;',
    to: 'op == S ? 1 : 3;',
  },
];
