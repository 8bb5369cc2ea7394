/**
 * How a simulation ends early: a rule that was broken, or a process that dies at this place.
 */
export interface Failure {
  readonly checker: string;
  readonly detail: string;
  readonly atMs: number;
}

/** Thrown at a place where the process is to die. */
export class SimulatedCrash extends Error {}
