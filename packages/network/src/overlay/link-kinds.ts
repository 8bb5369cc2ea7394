/**
 * Kinds of frames on a link between validators, beside those of the handshake.
 */
export const LINK = {
  message: 10,
  /** To be passed on to others, in the name of the sender. */
  forward: 11,
  /** Passed on from the validator named. */
  forwarded: 12,
  neighbours: 13,
  record: 14,
  ping: 15,
  pong: 16,
  slotRequest: 17,
  slotAnswer: 18,
} as const;
