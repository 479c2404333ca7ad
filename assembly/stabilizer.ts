/**
 * The module of stabilizer runs. It has a memory of its own, which one thread uses, and no precision.
 *
 * Functions are those of `StabilizerKernels` (src/engine/stabilizer/), which says what they do; the plain kernels there
 * give the same bits. The host passes addresses as indices of 32-bit words.
 */
export { collapseState, copyScaled, multiplyRepeated, rotate } from './active';
export {
  collapse,
  firstRandom,
  gates,
  isRandom,
  openTableau,
  pauli,
  readings,
  transpose,
  valueOf,
  walkPattern,
} from './tableau';
export { frames, outcomes } from './frames';
