/**
 * What the exit code of a command says.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  unknown: 4,
  refused: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'failed',
  2: 'the command or its options cannot be understood',
  3: 'the node or the daemon cannot be reached, or is not ready: try again later',
  4: 'the outcome is unknown: repeat with the same request id, and with no other',
  5: 'refused',
};
