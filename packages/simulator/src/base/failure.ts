/**
 * How a simulation ends early: a rule that was broken, or a process that dies at this place.
 */
export interface Failure {
  readonly checker: string;
  readonly detail: string;
  readonly atMs: number;
}

/** A disk without room refuses a write; the process that wrote has to end. */
export class DiskFullError extends Error {}

/** Thrown at a place where the process is to die. It happens often and by intent, so no stack is recorded. */
export class SimulatedCrash extends Error {
  constructor() {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super('the process is to die here');
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Says all that there is to say, so one is enough. */
export const SIMULATED_CRASH: SimulatedCrash = new SimulatedCrash();
