/** Kernels of matrix product states, in double precision. */
export {
  applyToPair,
  applyToSite,
  conjugate,
  multiplyMatrices,
  pickRows,
  rowMasses,
  transpose,
} from './mps-products';
export { orthogonalizeRows, rotateRows } from './mps-rows';
