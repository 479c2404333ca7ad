/**
 * What the page at `/` is told about the model: the service writes it into the page at each request,
 * so that the page itself holds no figure of any model. Types only; both sides take them from here.
 */

/** Of a model that the page can show: a circuit of few qubits whose outcomes count +1 or −1. */
export interface DemoFacts {
  readonly model: {
    readonly id: string;
    readonly name: string;
    /** One or two sentences. */
    readonly description: string;
  };
  /** Path that takes `{"input": […]}` by POST, without a key. */
  readonly endpoint: string;
  /** In the order of `input`. */
  readonly features: readonly DemoFeature[];
  /** Names of the classes by index. */
  readonly labels: readonly [string, string];
  /** Index of the class that is predicted where the expectation lies above the threshold. */
  readonly labelAbove: 0 | 1;
  readonly circuit: DemoCircuit;
  /** In [-1, 1]. */
  readonly threshold: number;
  /** Of one run. */
  readonly shots: number;
  readonly accuracy: DemoAccuracy;
  /** Runs a minute that one address may ask for. */
  readonly requestsPerMinute: number;
  /** Now: whether a run would be taken, and if not, why, in words for anybody. */
  readonly availability: { readonly available: boolean; readonly reason?: string };
  /** Rows of the data set, by a few words: "A typical versicolor". The page begins with the first. */
  readonly examples: readonly DemoExample[];
  /**
   * The service's own last run of the first example, in the form of the answer to a run: the page opens
   * with it and so uses up none of the visitor's runs. Absent before the first.
   */
  readonly selfTest?: object;
}

/** A number that the model takes. */
export interface DemoFeature {
  /** In words, without the unit: "petal length". */
  readonly name: string;
  readonly unit: string;
  /** Of the rows that it was trained on; the scaler maps the range to [-1, 1] and clips to it. */
  readonly minimum: number;
  readonly maximum: number;
  /** Where the slider stands first if there are no examples. */
  readonly typical: number;
}

/** What runs, as it is drawn. */
export interface DemoCircuit {
  readonly qubits: number;
  readonly layers: number;
  /** Trained numbers. */
  readonly parameters: number;
  readonly observable: {
    /** As it is written: "⟨Z₀⟩". */
    readonly text: string;
    /** A product of Z on these: an outcome counts −1 where an odd number of them read 1. */
    readonly qubits: readonly number[];
  };
  /** In order, without the measurement of all qubits at the end. */
  readonly operations: readonly DemoOperation[];
}

/** A gate. */
export interface DemoOperation {
  /** Its name in the catalog: RY, RZ, CX. */
  readonly gate: string;
  /** Also those that the name speaks of: that of CX. */
  readonly controls: readonly number[];
  readonly targets: readonly number[];
  readonly angle?: DemoAngle;
}

/** Radians: `factor` × the scaled feature + `offset`, or `offset` alone where none is named. */
export interface DemoAngle {
  /** Index of the feature that it encodes. */
  readonly feature?: number;
  readonly factor: number;
  readonly offset: number;
}

/** How often the model is right, as its card has it: fractions in [0, 1]. */
export interface DemoAccuracy {
  readonly mean: number;
  readonly spread: number;
  /** What was done to find it and the baseline's, in sentences without the last full stop. */
  readonly basis: string;
  /** A classical model, measured on the same splits; it has no shots. */
  readonly baseline: { readonly name: string; readonly mean: number; readonly spread?: number };
}

/** An input to begin with. */
export interface DemoExample {
  readonly name: string;
  readonly input: readonly number[];
}
