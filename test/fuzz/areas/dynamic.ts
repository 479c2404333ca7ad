/** Programs with measurement in the middle, control flow on measured bits, subroutines with bits of their own, and outputs. */
import type { Area } from '../area.ts';
import type { Variable } from '../programs.ts';
import { checkProgram, type ProgramCase, ProgramMaker } from './generate-program.ts';

/** The area. */
export const dynamicArea: Area<ProgramCase> = {
  name: 'dynamic',
  generate(random) {
    const qubits = random.between(1, 3);
    const isQuiet = random.chance(0.1);
    const maker = new ProgramMaker(random, qubits, !isQuiet);
    const hasOutputs = !isQuiet && random.chance(0.6);
    const variable = (name: string, type: Variable['type'], more: object = {}): Variable => ({
      name,
      type,
      isOutput: hasOutputs && random.chance(0.5),
      ...more,
    });
    if (random.chance(0.5)) maker.subroutines = [maker.subroutine()];
    const whole = {
      base: random.chance(0.8) ? 'uint' : 'int',
      width: random.pick([4, 5, 8]),
    } as const;
    maker.variables = [
      ...(isQuiet
        ? []
        : [
            variable(
              'c',
              { base: 'bit', width: random.between(2, 3) },
              random.chance(0.2) ? { value: random.below(4) } : {},
            ),
          ]),
      variable(isQuiet ? 'b' : 'd', { base: isQuiet ? 'bool' : 'bit', width: 1 }, { value: 0 }),
      variable('v', whole, { value: random.below(4) }),
      variable('w', { base: 'uint', width: 4 }, { value: random.below(16) }),
      ...(random.chance(0.3)
        ? [{ name: 'a', type: { base: 'uint', width: 4 } as const, length: 3, isOutput: false }]
        : []),
    ];
    const { variables } = maker;
    maker.scope = variables.filter(({ name }) => name !== 'b');
    const body = maker.block(random.between(4, 12), 2);
    if (!isQuiet)
      body.unshift(
        { s: 'gate', gate: 'H', qubits: [0] },
        { s: 'measure', name: 'c', index: 0, qubit: 0 },
      );
    if (isQuiet) {
      const [first] = maker.subroutines;
      if (first)
        body.push({
          s: 'call',
          name: 'f',
          qubit: 0,
          argument: { e: 'literal', value: 1 },
          target: first.returns.base === 'bit' ? 'b' : 'w',
        });
      const test = { e: 'variable', name: 'b' } as const;
      body.push({ s: 'if', test, body: [{ s: 'gate', gate: 'X', qubits: [0] }], otherwise: [] });
    }
    return {
      program: {
        qubits,
        variables: maker.variables,
        subroutines: maker.subroutines,
        body,
        isMeasured: false,
      },
      processor: random.pick(['statevector-sim', 'gpu-fleet', 'qvm']),
      shots: 2000,
      seed: random.below(1e9),
    };
  },
  check: (fuzzCase, service) => checkProgram(fuzzCase, service),
};
