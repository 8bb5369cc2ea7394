/**
 * What the exit code of a command says, the same for every program. Numbers are never reused: scripts rely on them.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** The command or its options cannot be understood. */
  usage: 2,
  /** What the command needs cannot be reached or is not ready; it may be repeated later. */
  unreachable: 3,
  /** The outcome is unknown; only the same request may be repeated. */
  unknown: 4,
  refused: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
