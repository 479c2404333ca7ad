/** Index of a qubit, from 0. */
export type Qubit = number;
