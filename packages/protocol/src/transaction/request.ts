/**
 * The JSON documents about transactions, as types. Integers are decimal strings, bytes are
 * lower-case hexadecimal.
 */
import type { Network } from '../base/networks.ts';
import type { OperationRequest } from './operations.ts';

export interface InputRequest {
  readonly transaction_id: string;
  readonly output_index: string;
  /**
   * The input spends from the same address as the one before it, whose witness authorizes both. Only a body that
   * declares its fee can say so.
   */
  readonly repeated?: boolean;
}

export interface OutputRequest {
  readonly address: string;
  readonly amount: string;
}

/** An output that an input spends, as the signing and verifying functions take it. */
export interface PreviousOutput {
  readonly address: string;
  readonly amount: string;
}

/** What `encodeTransactionBody` takes. */
export interface TransactionRequest {
  readonly valid_from_height: string;
  readonly valid_until_height: string;
  /**
   * The fee in atoms that the body declares. Where it is given, inputs less outputs less what an operation
   * bonds must be exactly this, and every signature covers it.
   */
  readonly fee?: string;
  readonly inputs: readonly InputRequest[];
  readonly outputs: readonly OutputRequest[];
  readonly payload_hex: string;
  readonly operation?: OperationRequest;
}

/** What `inspectTransactionBody` returns. */
export interface BodyInspection extends TransactionRequest {
  readonly network: Network;
  readonly transaction_id: string;
}

/** What the quoting functions return. */
export interface TransactionQuote {
  readonly wire_bytes: string;
  readonly mass: string;
  readonly minimum_fee: string;
  readonly signatures: string;
}

export interface SignerInspection {
  readonly member: string;
  readonly public_key_hex?: string;
  readonly signature_hex: string;
}

export type WitnessInspection =
  | {
      readonly profile: 'inline';
      readonly public_key_hex: string;
      readonly signature_hex: string;
    }
  | { readonly profile: 'referenced'; readonly signature_hex: string }
  | { readonly profile: 'repeated' }
  | {
      readonly profile: 'multisig_inline' | 'multisig_referenced';
      readonly threshold: string;
      readonly member_key_hashes: readonly string[];
      readonly signers: readonly SignerInspection[];
    };

/** What `inspectTransaction` returns. */
export interface TransactionInspection extends BodyInspection, TransactionQuote {
  /** One for each input, then one for the operation. */
  readonly witnesses: readonly WitnessInspection[];
  readonly possession_signature_hex?: string;
}

/** What the verifying functions return. */
export interface TransactionVerification extends TransactionQuote {
  readonly network: Network;
  readonly transaction_id: string;
  readonly fee: string;
  readonly valid_from_height: string;
  readonly valid_until_height: string;
}
