/**
 * The facts about the model that the service writes into the page at `/` at each request, so that
 * the page itself contains no figure of any model. Types only, used by both sides.
 */

/**
 * Facts of a model that the page can show: a circuit of few qubits whose outcomes count +1 or −1.
 */
export interface DemoFacts {
  readonly model: {
    readonly id: string;
    readonly name: string;
    /** One or two sentences. */
    readonly description: string;
  };
  /** Path that takes `{"input": […]}` by POST without a key. */
  readonly endpoint: string;
  /** In the order of `input`. */
  readonly features: readonly DemoFeature[];
  /** Names of the classes by index. */
  readonly labels: readonly [string, string];
  /** Index of the class that is predicted if the expectation is above the threshold. */
  readonly labelAbove: 0 | 1;
  readonly circuit: DemoCircuit;
  /** In [-1, 1]. */
  readonly threshold: number;
  /** Shots of one run. */
  readonly shots: number;
  readonly accuracy: DemoAccuracy;
  /** Runs a minute that one address may request. */
  readonly requestsPerMinute: number;
  /** Whether the service would take a run now, and if not, a plain reason. */
  readonly availability: { readonly available: boolean; readonly reason?: string };
  /**
   * Rows of the data set with a short name: "A typical versicolor". The page opens with the first.
   */
  readonly examples: readonly DemoExample[];
  /**
   * The service's own last run of the first example, in the form of a run's answer. The page opens
   * with it, so that opening uses up none of the visitor's runs. Absent before the first self-test.
   */
  readonly selfTest?: object;
}

/** An input feature of the model. */
export interface DemoFeature {
  /** Name without the unit: "petal length". */
  readonly name: string;
  readonly unit: string;
  /** Range of the training rows; the scaler maps it to [-1, 1] and clips to it. */
  readonly minimum: number;
  readonly maximum: number;
  /** Initial position of the slider if there are no examples. */
  readonly typical: number;
}

/** The circuit that the page draws. */
export interface DemoCircuit {
  readonly qubits: number;
  readonly layers: number;
  /** Number of trained parameters. */
  readonly parameters: number;
  readonly observable: {
    /** The observable as text: "⟨Z₀⟩". */
    readonly text: string;
    /**
     * Qubits of the observable, a product of Z: an outcome counts −1 if an odd number of them are
     * 1.
     */
    readonly qubits: readonly number[];
  };
  /** In order, without the final measurement of all qubits. */
  readonly operations: readonly DemoOperation[];
}

/** A gate. */
export interface DemoOperation {
  /** Name in the gate catalog: RY, RZ, CX. */
  readonly gate: string;
  /** All controls, also that of CX. */
  readonly controls: readonly number[];
  readonly targets: readonly number[];
  readonly angle?: DemoAngle;
}

/**
 * Angle in radians: `factor` × the scaled feature + `offset`, or `offset` alone without a feature.
 */
export interface DemoAngle {
  /** Index of the encoded feature. */
  readonly feature?: number;
  readonly factor: number;
  readonly offset: number;
}

/** The model's accuracy, as its card states it: fractions in [0, 1]. */
export interface DemoAccuracy {
  readonly mean: number;
  readonly spread: number;
  /** Measurement of the accuracies, in sentences without the last full stop. */
  readonly basis: string;
  /** A classical model measured on the same splits; it has no shots. */
  readonly baseline: { readonly name: string; readonly mean: number; readonly spread?: number };
}

/** A suggested input. */
export interface DemoExample {
  readonly name: string;
  readonly input: readonly number[];
}
