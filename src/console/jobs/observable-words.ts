/** An observable of a request: "Z0 Z1", "0.5 X0 + Z1". */
export function observableInWords(observable: unknown): string {
  if (Array.isArray(observable)) return observable.map(observableInWords).join(' + ');
  const { pauli, coefficient = 1 } = Object(observable) as {
    readonly pauli?: unknown;
    readonly coefficient?: unknown;
  };
  return coefficient === 1 ? String(pauli) : `${coefficient} ${pauli}`;
}
