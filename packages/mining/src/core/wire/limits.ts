/**
 * Every limit of the mining protocol that both ends of a connection rely on.
 */

/** Longest line of `svc-mining-v1` without its line feed, and longest frame of `svc-mining-v2`. */
export const MESSAGE_BYTES_MAX = 4_096;

export const HEADER_BYTES = 312;
export const NONCE_BYTES = 24;
/** The nonce ends the header. */
export const NONCE_OFFSET: number = HEADER_BYTES - NONCE_BYTES;
export const TARGET_BYTES = 32;
export const SEED_BYTES = 32;
export const CHAIN_ID_BYTES = 48;
/** The token that gives a dropped miner its session back. */
export const SESSION_BYTES = 16;

/**
 * The server's part, the last bytes of the nonce: four billion connections of one server. With at most eight a
 * search changes one aligned word of the nonce alone.
 */
export const NONCE_PREFIX_BYTES = 4;
/** The miner's part, the first bytes of the nonce. */
export const NONCE_FREE_BYTES: number = NONCE_BYTES - NONCE_PREFIX_BYTES;

export const AGENT_CHARACTERS_MAX = 64;
export const WORKER_CHARACTERS_MAX = 32;
/** An address has at most 90 characters; a dot and the worker follow. */
export const USERNAME_CHARACTERS_MAX: number = 90 + 1 + WORKER_CHARACTERS_MAX;
export const PASSWORD_CHARACTERS_MAX = 64;
export const ADDRESS_CHARACTERS_MAX = 90;
export const SHOWN_CHARACTERS_MAX = 256;
export const REASON_CHARACTERS_MAX = 256;
