/**
 * A backend of IBM as a device: the used fields of its configuration, properties and status.
 *
 * Couplers and qubits that the vendor marks as faulty are left out, and so are fractional gates (rx, rzz), which take
 * some angles only.
 */
import { z } from 'zod';
import { findGate } from '../circuit/gates.ts';
import type { Coupler } from '../compiler/routing/coupling-map.ts';
import type { Calibration } from '../fleet/processor.ts';
import { errorsOf, faultOfGates, isMapOf, MAX_DEVICE_QUBITS } from './device-facts.ts';
import type { DeviceDescription } from './provider.ts';

const FRACTIONAL = ['RX', 'RZZ'];

const qubit = z.int().min(0);
/** Answer of `GET /backends/NAME/configuration`. */
export const configuration = z
  .object({
    n_qubits: z.int().min(1).max(MAX_DEVICE_QUBITS),
    basis_gates: z.array(z.string()),
    coupling_map: z.array(z.tuple([qubit, qubit])).nullish(),
    max_shots: z.int().min(1).optional(),
    supported_instructions: z.array(z.string()).optional(),
    processor_type: z
      .object({ family: z.string(), revision: z.union([z.string(), z.number()]).optional() })
      .optional(),
  })
  .refine(({ n_qubits: numQubits, coupling_map: map }) => isMapOf(numQubits, map ?? []), {
    path: ['coupling_map'],
  });
/** Answer of `GET /backends/NAME/status`. */
export const status = z.object({
  state: z.boolean(),
  status: z.string().optional(),
  message: z.string().optional(),
  length_queue: z.int().optional(),
});
const figure = z.object({
  name: z.string(),
  unit: z.string().optional(),
  value: z.number(),
});
/** Answer of `GET /backends/NAME/properties`. */
export const properties = z.object({
  last_update_date: z.string().optional(),
  qubits: z.array(z.array(figure)),
  gates: z.array(
    z.object({ gate: z.string(), qubits: z.array(qubit), parameters: z.array(figure) }),
  ),
});

/**
 * Describes a backend.
 *
 * @param shown - Makes a text of the vendor fit to be shown.
 * @param fetchedAt - Milliseconds since 1970 UTC.
 */
export function describedDevice(
  backend: string,
  found: z.output<typeof configuration>,
  reported: z.output<typeof properties>,
  now: z.output<typeof status>,
  fetchedAt: number,
  shown: (text: string) => string,
): DeviceDescription {
  const { n_qubits: numQubits, supported_instructions: instructions = [] } = found;
  const nativeGates = found.basis_gates.flatMap((name) => nativeGate(name) ?? []);
  const { couplers, isSymmetric } = workingCouplers(found.coupling_map ?? [], reported);
  const calibration = calibrationOf(reported, fetchedAt);
  const reason = now.state ? faultOfGates(nativeGates) : statusText(now, shown);
  const { family, revision = '' } = found.processor_type ?? { family: 'unknown processor' };
  return {
    name: backend,
    device: {
      numQubits,
      couplers,
      isSymmetric,
      nativeGates,
      abilities: {
        midCircuitMeasurement: true,
        reset: instructions.includes('reset'),
        condition: instructions.includes('if_else'),
      },
      errors: errorsOf(
        { ...calibration, couplers: calibration.couplers.filter(({ gate }) => nativeGate(gate)) },
        numQubits,
        couplers,
      ),
    },
    basis: 'measured',
    source: `IBM Quantum, backend ${backend} (${shown(`${family} ${revision}`)}).`,
    maxShots: found.max_shots ?? 100_000,
    ...(reason !== undefined && { reason }),
    ...(now.length_queue !== undefined && { queueDepth: Math.max(0, now.length_queue) }),
    calibration,
  };
}

function statusText(
  { status: word, message }: z.output<typeof status>,
  shown: (text: string) => string,
): string {
  const said = shown(message || word || '');
  return said === '' ? 'The vendor says that it takes no jobs.' : `The vendor says: ${said}`;
}

/** Canonical name of a gate that circuits are written in. */
function nativeGate(name: string): string | undefined {
  const found = findGate(name)?.name;
  return found === undefined || FRACTIONAL.includes(found) ? undefined : found;
}

/** Couplers without those that the vendor marks as faulty; each once where gates may act both ways. */
function workingCouplers(
  map: readonly Coupler[],
  { qubits, gates }: z.output<typeof properties>,
): { readonly couplers: readonly Coupler[]; readonly isSymmetric: boolean } {
  const isBad = (figures: readonly z.output<typeof figure>[], error: string) =>
    figures.some(
      ({ name, value }) =>
        (name === error && value >= 1) || (name === 'operational' && value === 0),
    );
  const badQubits = new Set(
    qubits.flatMap((figures, i) => (isBad(figures, 'readout_error') ? [i] : [])),
  );
  const badPairs = new Set(
    gates
      .filter(
        ({ gate, qubits: on, parameters }) =>
          on.length === 2 && nativeGate(gate) !== undefined && isBad(parameters, 'gate_error'),
      )
      .flatMap(({ qubits: [a, b] }) => [`${a} ${b}`, `${b} ${a}`]),
  );
  const working = map.filter(
    ([a, b]) => !(badQubits.has(a) || badQubits.has(b) || badPairs.has(`${a} ${b}`)),
  );
  const names = new Set(working.map(([a, b]) => `${a} ${b}`));
  const isSymmetric = working.every(([a, b]) => names.has(`${b} ${a}`));
  return { couplers: isSymmetric ? working.filter(([a, b]) => a < b) : working, isSymmetric };
}

function calibrationOf(
  { last_update_date: updated, qubits, gates }: z.output<typeof properties>,
  fetchedAt: number,
): Calibration {
  const calibratedAt = Date.parse(updated ?? '');
  const gateErrors = new Map<number, number>();
  const couplers: Calibration['couplers'][number][] = [];
  for (const { gate, qubits: on, parameters } of gates) {
    const gateError = parameters.find(({ name }) => name === 'gate_error')?.value;
    const [a, b] = on;
    if (a !== undefined && b === undefined && gateError !== undefined) {
      gateErrors.set(a, Math.max(gateError, gateErrors.get(a) ?? 0));
    }
    if (a === undefined || b === undefined) continue;
    couplers.push({ qubits: [a, b], gate, ...(gateError !== undefined && { gateError }) });
  }
  return {
    fetchedAt,
    ...(Number.isFinite(calibratedAt) && { calibratedAt }),
    qubits: qubits.map((figures, index) => {
      const figureOf = (name: string) => figures.find((each) => each.name === name);
      const t1Us = microseconds(figureOf('T1'));
      const t2Us = microseconds(figureOf('T2'));
      const readoutError = figureOf('readout_error')?.value;
      const gateError = gateErrors.get(index);
      return {
        qubit: index,
        ...(t1Us !== undefined && { t1Us }),
        ...(t2Us !== undefined && { t2Us }),
        ...(readoutError !== undefined && { readoutError }),
        ...(gateError !== undefined && { gateError }),
      };
    }),
    couplers,
  };
}

const MICROSECONDS: Readonly<Record<string, number>> = { ns: 1e-3, us: 1, µs: 1, ms: 1e3, s: 1e6 };

function microseconds(found: z.output<typeof figure> | undefined): number | undefined {
  const unit = MICROSECONDS[found?.unit ?? ''];
  return found === undefined || unit === undefined ? undefined : found.value * unit;
}
