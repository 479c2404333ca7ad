/** How large a circuit the computation agent takes. */

/** A state of that many qubits is held by the smallest node; processors may hold fewer at a time. */
export const MAX_CIRCUIT_QUBITS = 24;
/** Widest state or classical register of which a result lists every entry. */
export const MAX_LISTED_QUBITS = 14;
