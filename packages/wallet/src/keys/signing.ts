/**
 * What a payment asks of whoever signs it: signatures that are made together, in this thread or in another.
 */
import type { OwnAddress } from '../state/addresses.ts';

/** Whose key signs. */
export type KeyPath = Pick<OwnAddress, 'branch' | 'position'>;

/** A signature that can be taken once its signing is done. */
export type PendingSignature = () => Uint8Array;

/** Payments that are signed together. */
export interface Signing {
  /** Asks for the signature of an output's owner. */
  sign(path: KeyPath, message: Uint8Array): PendingSignature;
  /** Says that nothing more will be asked for, which has to be said. Resolves when everything that was asked for is signed. */
  done(): Promise<void>;
}
