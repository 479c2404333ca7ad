/** Encodes batch angles for the kernel: half angles as fractions of a turn, in fixed point. */
import { plainAngle } from '../../batch-request.ts';

/** Words per radian: an angle of 4π has a half angle of one turn, 2^32, which is 0 modulo 2^32. */
const WORDS_PER_RADIAN = 2 ** 32 / (4 * Math.PI);

/**
 * Writes the angles of some circuits in the order in which invocations read them: by workgroup, then
 * by angle, then by circuit of the workgroup.
 *
 * Fixed point resolves 3·10⁻⁹ everywhere, where single precision is a hundred times coarser at 2π,
 * and whole turns vanish by themselves.
 *
 * @param angles - Radians, circuit after circuit.
 * @param to - Room for whole workgroups; what belongs to no circuit stays as it is.
 */
export function writeAngleWords(
  angles: Float64Array,
  numAngles: number,
  circuitsPerGroup: number,
  to: Int32Array,
): void {
  const groupLength = numAngles * circuitsPerGroup;
  let from = 0;
  for (let group = 0; from < angles.length; group += groupLength) {
    for (let slot = 0; slot < circuitsPerGroup && from < angles.length; slot++) {
      const end = group + slot + groupLength;
      for (let at = group + slot; at < end; at += circuitsPerGroup) {
        // The conversion to a 32-bit integer reduces modulo 2^32.
        to[at] = plainAngle(angles[from++]!) * WORDS_PER_RADIAN;
      }
    }
  }
}
