/** Definitions, as OpenQASM text, of gates that a standard library lacks. */

/** A gate's definition in both versions; in version 2 up to a global phase. */
interface GateText {
  /** Gates whose definitions must come before. */
  readonly needs: readonly string[];
  readonly text: { readonly 2: string; readonly 3: string };
}

const both = (text: string, ...needs: readonly string[]): GateText => ({
  needs,
  text: { 2: text, 3: text },
});
const apart = (two: string, three: string): GateText => ({
  needs: [],
  text: { 2: two, 3: three },
});

/**
 * Definitions by the gate's OpenQASM name. Parameters are not called theta, phi or lambda, because Qiskit 2
 * confuses the angles of a definition that passes parameters of those names to U.
 */
export const GATE_TEXTS: ReadonlyMap<string, GateText> = new Map([
  // Gates of qelib1.inc, which version 2 need not define.
  ['sxdg', both('gate sxdg a { inv @ sx a; }')],
  ['csx', both('gate csx a, b { ctrl @ sx a, b; }')],
  ['cu3', both('gate cu3(t1, t2, t3) a, b { ctrl @ U(t1, t2, t3) a, b; }')],
  ['rxx', both('gate rxx(t1) a, b { h a; h b; cx a, b; rz(t1) b; cx a, b; h a; h b; }')],
  ['rzz', both('gate rzz(t1) a, b { cx a, b; rz(t1) b; cx a, b; }')],
  // Gates of no library.
  ['prx', both('gate prx(t1, t2) a { rz(-t2) a; rx(t1) a; rz(t2) a; }')],
  ['cs', apart('gate cs a, b { cu1(pi/2) a, b; }', 'gate cs a, b { ctrl @ s a, b; }')],
  ['ccz', both('gate ccz a, b, c { h c; ccx a, b, c; h c; }')],
  ['iswap', both('gate iswap a, b { s a; s b; h a; cx a, b; cx b, a; h b; }')],
  ['dcx', both('gate dcx a, b { cx a, b; cx b, a; }')],
  [
    'ryy',
    both(
      'gate ryy(t1) a, b { rx(pi/2) a; rx(pi/2) b; cx a, b; rz(t1) b; cx a, b; rx(-pi/2) a; rx(-pi/2) b; }',
    ),
  ],
  ['rzx', both('gate rzx(t1) a, b { h b; cx a, b; rz(t1) b; cx a, b; h b; }')],
  ['ecr', both('gate ecr a, b { rzx(pi/4) a, b; x a; rzx(-pi/4) a, b; }', 'rzx')],
  [
    'xx_plus_yy',
    both(
      'gate xx_plus_yy(t1, t2) a, b { p(-t2) b; rxx(t1/2) a, b; ryy(t1/2) a, b; p(t2) b; }',
      'rxx',
      'ryy',
    ),
  ],
  [
    'xx_minus_yy',
    both(
      'gate xx_minus_yy(t1, t2) a, b { p(-t2) b; rxx(t1/2) a, b; ryy(-t1/2) a, b; p(t2) b; }',
      'rxx',
      'ryy',
    ),
  ],
  ['sqrtiswap', both('gate sqrtiswap a, b { rxx(-pi/4) a, b; ryy(-pi/4) a, b; }', 'rxx', 'ryy')],
  [
    'fsim',
    both('gate fsim(t1, t2) a, b { rxx(t1) a, b; ryy(t1) a, b; cp(-t2) a, b; }', 'rxx', 'ryy'),
  ],
]);
