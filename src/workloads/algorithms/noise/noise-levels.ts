/**
 * Noise of gates and readout: rates given by the caller, or the published medians of a device.
 *
 * A device's medians are average gate infidelities r. For a depolarising channel of that infidelity, a
 * Pauli other than the identity follows a gate on k qubits with probability (1 + 2^−k)·r.
 *
 * @see Nielsen, "A simple formula for the average gate fidelity of a quantum dynamical operation" (2002).
 */

/** Error rates of the kinds of operations. */
export interface NoiseLevel {
  /** Probability that X, Y or Z follows a gate on one qubit, each as likely. */
  readonly oneQubitError: number;
  /** Probability that one of the 15 pairs of Paulis but the identity follows a gate on two qubits. */
  readonly twoQubitError: number;
  /** Probability that a measured bit is flipped. */
  readonly readoutError: number;
}

/** Published medians of a device. */
export interface DeviceProfile {
  /** Average infidelities. */
  readonly oneQubitInfidelity: number;
  readonly twoQubitInfidelity: number;
  /** Error rate of reading 0 and of reading 1. */
  readonly readoutError: number;
  readonly source: string;
}

/** Names of the devices whose noise is emulated. */
export const DEVICE_NAMES = ['ibm-fez', 'ibm-brisbane', 'iqm-garnet', 'google-willow'] as const;
/** Name of an emulated device. */
export type DeviceName = (typeof DEVICE_NAMES)[number];

/** Devices by name. */
export const DEVICE_PROFILES: Readonly<Record<DeviceName, DeviceProfile>> = {
  'ibm-fez': {
    oneQubitInfidelity: 2.3e-4,
    twoQubitInfidelity: 3.8e-3,
    readoutError: 7.6e-3,
    source: 'medians of IBM Fez (Heron r2), February 2025',
  },
  'ibm-brisbane': {
    oneQubitInfidelity: 2.4e-4,
    twoQubitInfidelity: 7.7e-3,
    readoutError: 2e-2,
    source: 'medians of IBM Brisbane (Eagle)',
  },
  'iqm-garnet': {
    oneQubitInfidelity: 1e-3,
    twoQubitInfidelity: 5.8e-3,
    readoutError: 2.5e-2,
    source: 'simulation profile of IQM Garnet',
  },
  'google-willow': {
    oneQubitInfidelity: 4e-4,
    twoQubitInfidelity: 3.4e-3,
    // The mean of the two published readout errors, 3.7e-3 and 1.06e-2.
    readoutError: 7.15e-3,
    source: 'medians of Google Willow, August 2024',
  },
};

/** A device's noise, scaled by a factor; probabilities are capped at those of complete noise. */
export function deviceNoise(name: DeviceName, factor: number): NoiseLevel {
  const { oneQubitInfidelity, twoQubitInfidelity, readoutError } = DEVICE_PROFILES[name];
  return {
    oneQubitError: Math.min(0.75, factor * 1.5 * oneQubitInfidelity),
    twoQubitError: Math.min(15 / 16, factor * 1.25 * twoQubitInfidelity),
    readoutError: Math.min(0.5, factor * readoutError),
  };
}
