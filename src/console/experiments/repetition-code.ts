/** Repetition codes in Stim's format, with which the page of experiments begins. */

/**
 * Text of a memory experiment on a repetition code, for as many rounds as the distance. Data qubits have even numbers,
 * the checks between them odd ones.
 *
 * @param p - Probability of a bit flip of each data qubit in each round, and of a misread check.
 */
export function repetitionCode(distance: number, p: number): string {
  const data = Array.from({ length: distance }, (_, i) => 2 * i);
  const checks = data.slice(1).map((qubit) => qubit - 1);
  const n = checks.length;
  const round = [
    `X_ERROR(${p}) ${data.join(' ')}`,
    `CX ${checks.map((check) => `${check - 1} ${check}`).join(' ')}`,
    `CX ${checks.map((check) => `${check + 1} ${check}`).join(' ')}`,
    `X_ERROR(${p}) ${checks.join(' ')}`,
    `MR ${checks.join(' ')}`,
  ];
  return [
    `R ${[...data, ...checks].join(' ')}`,
    ...round,
    ...checks.map((_, i) => `DETECTOR rec[${i - n}]`),
    `REPEAT ${distance - 1} {`,
    ...round.map(indented),
    ...checks.map((_, i) => indented(`DETECTOR rec[${i - n}] rec[${i - 2 * n}]`)),
    '}',
    `M ${data.join(' ')}`,
    ...checks.map(
      (_, i) => `DETECTOR rec[${i - distance}] rec[${i + 1 - distance}] rec[${i - distance - n}]`,
    ),
    'OBSERVABLE_INCLUDE(0) rec[-1]',
    '',
  ].join('\n');
}

function indented(line: string): string {
  return `  ${line}`;
}
