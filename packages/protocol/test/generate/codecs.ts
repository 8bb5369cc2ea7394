/**
 * Every encoded type of the protocol but those of the ledger and of validators, which have conformance digests of their own.
 */
import { BLOCK_CODECS } from './block-codecs.ts';
import type { Codec } from './codec.ts';
import { CUT_CODECS } from './cut-codecs.ts';
import { DOCUMENT_CODECS } from './document-codecs.ts';
import { HASHED_CODECS } from './hashed-codecs.ts';
import { PACKAGE_CODECS } from './package-codecs.ts';
import { PROOF_CODECS } from './proof-codecs.ts';
import { TRANSACTION_CODECS } from './transaction-codecs.ts';

/** Types of which every value has one encoding, so that what is decoded encodes to the same bytes. */
export const BYTE_CODECS: readonly Codec[] = [
  ...TRANSACTION_CODECS,
  ...BLOCK_CODECS,
  ...CUT_CODECS,
  ...PROOF_CODECS,
  ...PACKAGE_CODECS,
  ...HASHED_CODECS,
];

/** Documents may be read in other forms than the one that they are written in. */
export const CODECS: readonly Codec[] = [...BYTE_CODECS, ...DOCUMENT_CODECS];
