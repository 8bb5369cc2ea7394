/**
 * Every encoded type of the protocol.
 */
import { BLOCK_CODECS } from './block-codecs.ts';
import type { Codec } from './codec.ts';
import { CUT_CODECS } from './cut-codecs.ts';
import { PACKAGE_CODECS } from './package-codecs.ts';
import { PROOF_CODECS } from './proof-codecs.ts';
import { TRANSACTION_CODECS } from './transaction-codecs.ts';

export const CODECS: readonly Codec[] = [
  ...TRANSACTION_CODECS,
  ...BLOCK_CODECS,
  ...CUT_CODECS,
  ...PROOF_CODECS,
  ...PACKAGE_CODECS,
];
