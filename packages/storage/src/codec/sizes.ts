/** Sizes of names in bytes; in the ledger they are twice as many hexadecimal characters. */
export const ID_BYTES = 48;
export const ADDRESS_BYTES = 49;
export const OUTPOINT_BYTES = 52;
export const NUMBER_BYTES = 7;
