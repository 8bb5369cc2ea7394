/**
 * The mass of one more input or output on a chain. Mass is linear in inputs of each kind and in outputs, so a few
 * quotes of the protocol module are enough; coin selection then counts without quoting every choice.
 */
import {
  addressFromPublicKey,
  encodeTransactionBody,
  type InputProfile,
  type InputProfiles,
  quoteTransactionWithInputProfiles,
  type TransactionQuote,
  type TransactionRequest,
} from 'svc-wasm';
import type { ChainTerms } from './chain-terms.ts';

export interface MassModel {
  /** How an input is authorised whose key nobody has registered: by a key of one owner, or by several. */
  readonly profile: InputProfile;
  readonly inlineInput: bigint;
  readonly referencedInput: bigint;
  /** An input of the same address as the one before it. */
  readonly repeatedInput: bigint;
  readonly output: bigint;
  /** A payment to one recipient with change, of one inline input. */
  readonly payment: bigint;
}

const PUBLIC_KEY_BYTES = 1952;

export function quoteMass(
  request: TransactionRequest,
  profiles: InputProfiles,
  terms: ChainTerms,
): bigint {
  const body = encodeTransactionBody(JSON.stringify(request), terms.manifest);
  const quote = quoteTransactionWithInputProfiles(body, JSON.stringify(profiles), terms.manifest);
  return BigInt((JSON.parse(quote) as TransactionQuote).mass);
}

export function massModelOf(terms: ChainTerms, profile: InputProfile = 'inline'): MassModel {
  const address = addressFromPublicKey(new Uint8Array(PUBLIC_KEY_BYTES), terms.network);
  const massOf = (profiles: InputProfiles, outputs: number): bigint =>
    quoteMass(
      {
        valid_from_height: '0',
        valid_until_height: '0',
        fee: '0',
        inputs: profiles.inputs.map((profile, i) =>
          profile === 'repeated' ? { ...placeholderInput(i), repeated: true } : placeholderInput(i),
        ),
        outputs: Array.from({ length: outputs }, () => ({ address, amount: '1' })),
        payload_hex: '',
      },
      profiles,
      terms,
    );
  const one = massOf({ inputs: [profile] }, 1);
  const payment = massOf({ inputs: [profile] }, 2);
  return {
    profile,
    inlineInput: massOf({ inputs: [profile, profile] }, 1) - one,
    referencedInput: massOf({ inputs: [profile, 'referenced'] }, 1) - one,
    repeatedInput: massOf({ inputs: [profile, 'repeated'] }, 1) - one,
    output: payment - one,
    payment,
  };
}

/** An input that weighs what any other does. */
export function placeholderInput(at: number): { transaction_id: string; output_index: string } {
  return { transaction_id: '00'.repeat(48), output_index: String(at) };
}
