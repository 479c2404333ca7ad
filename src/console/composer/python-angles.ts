/** Angles and inputs in Python programs, as people write them: `pi/2`, and inputs by their names. */
import type { GateAngle } from '../live-state/messages.ts';

/** Denominators of fractions of pi that are written as such. */
const DENOMINATORS = [1, 2, 3, 4, 6, 8, 16, 32, 64];
/** Doubles nearer than this are the same angle: a few of their last bits. */
const SAME = 4 * Number.EPSILON;

/** A number, as a fraction of pi if it is one in all of its digits. */
export function numberText(value: number): string {
  if (value === 0) return '0';
  for (const denominator of DENOMINATORS) {
    const turns = (value * denominator) / Math.PI;
    const whole = Math.round(turns);
    if (whole === 0 || Math.abs(whole) > 64 || Math.abs(turns - whole) > SAME * Math.abs(whole))
      continue;
    const size = Math.abs(whole) === 1 ? 'pi' : `${Math.abs(whole)}*pi`;
    return `${whole < 0 ? '-' : ''}${size}${denominator === 1 ? '' : `/${denominator}`}`;
  }
  return String(value);
}

/** Half turns of an angle, as exponents of gates: 0.5 for pi/2. */
export function halfTurnsText(angle: GateAngle): string {
  const text = angleText(angle);
  if (typeof angle !== 'number') return /^\w+$/.test(text) ? `${text}/pi` : `(${text})/pi`;
  const turns = angle / Math.PI;
  const near = Math.round(turns * 64) / 64;
  return Math.abs(turns - near) <= SAME * Math.abs(near) ? String(near) : `${text}/pi`;
}

/** An angle, which may depend on an input. */
export function angleText(angle: GateAngle): string {
  if (typeof angle === 'number') return numberText(angle);
  const { input, scale = 1, offset = 0 } = angle;
  const name = pythonName(input);
  const scaled = scale === 1 ? name : scale === -1 ? `-${name}` : `${numberText(scale)}*${name}`;
  if (offset === 0) return scaled;
  return `${scaled} ${offset < 0 ? '-' : '+'} ${numberText(Math.abs(offset))}`;
}

/** Words of Python and names of the programs, which no input can have. */
const TAKEN = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield True False None backend bound circuit cirq device math np pi q qc qml resolved result simulator sympy u values'.split(
    ' ',
  ),
);

/** Name of the variable of an input; classical bits of PennyLane are c0, c1 and so on. */
export function pythonName(input: string): string {
  return TAKEN.has(input) || /^c\d+$/.test(input) ? `${input}_` : input;
}

/** Names of the inputs that steps depend on, in order of appearance. */
export function inputsIn(
  steps: readonly { readonly angles: Readonly<Record<string, GateAngle | undefined>> }[],
): readonly string[] {
  const angles = steps.flatMap((step) => Object.values(step.angles));
  return [
    ...new Set(
      angles.flatMap((angle) =>
        angle === undefined || typeof angle === 'number' ? [] : angle.input,
      ),
    ),
  ];
}
