/**
 * Distillation of a T state from 15, by the Reed–Muller code [[15,1,3]], at the level of logical qubits: T gates are noisy.
 *
 * Qubit 0 and the logical qubit of the code on qubits 1 to 15 start as a Bell pair. Both together are the sum of all words
 * of the Reed–Muller code RM(1, 4): bit v is a + Σ vᵢ·xᵢ, with the bits vᵢ of v. T_DAG of the 15 qubits is T of the logical
 * qubit, because words without a have 0 or 8 ones, and those with a have 7 or 15. X of the 15 qubits is measured.
 * The four parities of its checks are detectors, each of which is to discard the shot in which it fires, and the
 * parity of all 15 says whether the output, qubit 0, is T|+⟩ or Z·T|+⟩.
 *
 * The end measures the output without noise; the observable is whether it was another one. With Z after each T gate with
 * probability p, it is so in 35p³ of the kept shots for small p, because 35 sets of three errors flip no detector.
 *
 * @see Bravyi & Kitaev, "Universal quantum computation with ideal Clifford gates and noisy ancillas", 2005.
 */
import type { Qubit } from '../../circuit.ts';
import { type GeneratedNoise, MemoryText } from './memory-text.ts';

const OUTPUT = 0;
const CODE: readonly Qubit[] = Array.from({ length: 15 }, (_, i) => i + 1);
/** Qubits that hold the four sums a + xᵢ of a word. */
const SOURCES: readonly Qubit[] = [1, 2, 4, 8];

/** Qubits that the other qubits of the code are the parities of. An even number of sums has no a. */
const PARTS = CODE.filter((qubit) => !SOURCES.includes(qubit)).map((qubit) => {
  const sums = SOURCES.filter((source) => (qubit & source) !== 0);
  return { qubit, parts: sums.length % 2 === 0 ? [OUTPUT, ...sums] : sums };
});

/** Writes the circuit. */
export function distillationText(
  _distance: number,
  _rounds: number,
  noise: GeneratedNoise,
): string {
  const text = new MemoryText(noise);
  for (const qubit of [OUTPUT, ...CODE]) text.place(qubit, [qubit]);
  text.reset('X', [OUTPUT, ...SOURCES]);
  text.reset(
    'Z',
    PARTS.map(({ qubit }) => qubit),
  );
  for (const layer of encodingLayers()) {
    text.tick();
    text.gate('CX', layer.flat(), 2);
  }
  text.beginRound(CODE);
  text.tGate('T_DAG', CODE);
  text.tick();
  text.measure('X', CODE);
  const backOf = (qubit: Qubit) => CODE.length + 1 - qubit;
  for (const [i, source] of SOURCES.entries()) {
    const check = CODE.filter((qubit) => (qubit & source) !== 0);
    text.detector([i], check.map(backOf));
  }
  text.add('T_DAG', [OUTPUT]);
  text.add('MX', [OUTPUT]);
  text.observable([1, ...CODE.map((qubit) => backOf(qubit) + 1)]);
  return text.text;
}

/** The CX gates that make the words, each as early as its qubits are free. */
function encodingLayers(): readonly (readonly (readonly [Qubit, Qubit])[])[] {
  const layers: [Qubit, Qubit][][] = [];
  for (const { qubit, parts } of PARTS) {
    for (const part of parts) {
      const isFree = (layer: readonly (readonly Qubit[])[]) =>
        !layer.flat().some((other) => other === qubit || other === part);
      const free = layers.find(isFree);
      if (free === undefined) layers.push([[part, qubit]]);
      else free.push([part, qubit]);
    }
  }
  return layers;
}
