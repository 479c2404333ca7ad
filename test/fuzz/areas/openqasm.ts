/**
 * Values of OpenQASM: programs of whole numbers, angles, bits and arrays, once with known values and once with the same
 * values measured; and the same text with other blanks, comments, ends of lines and trailing commas.
 */
import type { Area, Wrong } from '../area.ts';
import type { Expr, Statement, Type, Variable } from '../programs.ts';
import { Random } from '../random.ts';
import { checkProgram, type ProgramCase, ProgramMaker, type Rewrite } from './generate-program.ts';

interface ValuesCase extends ProgramCase {
  /** Seed of the changes to the text; 0 for none. */
  readonly rewrite: number;
}

const ENDS = ['\r', '\n', '\r\n'];
const COMMENTS = ['// x q[0];', '/* a = 1; */', '//', '/**/', ''];

/** Other blanks, comments and commas. */
function rewritten(seed: number): Rewrite {
  if (seed === 0) return (text) => text;
  const random = new Random(`rewrite ${seed}`);
  const end = random.pick(ENDS);
  return (text) =>
    text
      .split('\n')
      .map((line) => {
        const blanks =
          line.startsWith('#') || line.includes('"')
            ? line
            : line.replaceAll(' ', () => random.pick([' ', '  ', '\t', ' /* b */ ']));
        const commas = random.chance(0.3)
          ? blanks.replace(/^((?:cx|cz|ch|swap)\b[^;]*);/, '$1,;')
          : blanks;
        return `${commas} ${random.chance(0.4) ? random.pick(COMMENTS) : ''}${random.chance(0.2) ? end : ''}`;
      })
      .join(end);
}

/** The area. */
export const openqasmArea: Area<ValuesCase> = {
  name: 'openqasm',
  generate(random) {
    const maker = new ProgramMaker(random, 1, false);
    const width = () => random.pick([3, 4, 5, 8]);
    const variable = (name: string, type: Type): Variable => {
      const span = 2 ** type.width;
      const value = random.below(span) - (type.base === 'int' ? span / 2 : 0);
      return { name, type, isOutput: random.chance(0.7), value };
    };
    maker.variables = [
      variable('u', { base: 'uint', width: width() }),
      variable('v', { base: 'uint', width: width() }),
      variable('n', { base: 'int', width: width() }),
      variable('r', { base: 'bit', width: random.pick([3, 4]) }),
      ...(random.chance(0.3)
        ? [
            {
              name: 'a',
              type: { base: random.pick(['uint', 'int']), width: width() },
              length: 3,
              isOutput: false,
            } as Variable,
          ]
        : []),
      { name: 'z', type: { base: 'uint', width: 8 }, isOutput: true, value: 0 },
    ];
    const angles: Statement[] = [];
    if (random.chance(0.3)) {
      const type: Type = { base: 'angle', width: 4 };
      maker.variables.push(
        { ...variable('x', type), isOutput: false },
        { ...variable('y', type), isOutput: false },
      );
      const of = (name: string): Expr => ({ e: 'variable', name });
      const sum: Expr = {
        e: 'binary',
        operator: random.pick(['+', '-']),
        left: of('x'),
        right: of('y'),
      };
      maker.variables.push({ name: 's', type: { base: 'bit', width: 4 }, isOutput: true });
      angles.push({
        s: 'assign',
        name: 's',
        operator: '=',
        value: { e: 'cast', type: { base: 'bit', width: 4 }, of: sum },
      });
    }
    maker.scope = maker.variables.filter(({ type, name }) => type.base !== 'angle' && name !== 's');
    const body = [...maker.block(random.between(1, 8), 2), ...angles];
    return {
      program: {
        qubits: 1,
        variables: maker.variables,
        subroutines: [],
        body,
        isMeasured: random.chance(0.5),
      },
      processor: random.pick(['statevector-sim', 'gpu-fleet', 'qvm']),
      shots: 10,
      seed: random.below(1e9),
      rewrite: random.chance(0.4) ? random.between(1, 1e6) : 0,
    };
  },
  check(fuzzCase, service): Promise<Wrong | undefined> {
    return checkProgram(fuzzCase, service, rewritten(fuzzCase.rewrite));
  },
};
