/**
 * Sizes that every part of the protocol shares, from the one file in which the kernel has them too;
 * `docs/protocol.md` 1 and 3.
 */
export {
  ADDRESS_BYTES,
  ID_BYTES,
  PUBLIC_KEY_BYTES,
  SIGNATURE_BYTES,
} from '../../assembly/transaction/layout.ts';
