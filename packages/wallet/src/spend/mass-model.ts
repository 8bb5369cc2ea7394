/**
 * The rules of a chain that matter to a payment, and the mass of one more input or output. Mass is linear in inputs of each kind
 * and in outputs, so that coin selection counts with a few quotes of the protocol module.
 */
import {
  addressFromPublicKey,
  encodeTransactionBody,
  type InputProfile,
  type InputProfiles,
  type Manifest,
  type Network,
  quoteTransactionWithInputProfiles,
  type TransactionQuote,
  type TransactionRequest,
  validateManifest,
} from 'svc-wasm';

export interface MassModel {
  /** How an input is authorised whose key is not registered: by a key of one owner, or by several. */
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

export interface ChainTerms {
  /** The canonical text that every transaction call takes. */
  readonly manifest: string;
  readonly network: Network;
  readonly chainId: string;
  readonly minFeePerMass: bigint;
  readonly inputsMax: number;
  readonly outputsMax: number;
  readonly validityCutsMax: number;
}

export function termsOf(manifestJson: string): ChainTerms {
  const manifest = validateManifest(manifestJson);
  const document = JSON.parse(manifest) as Manifest;
  return {
    manifest,
    network: document.network,
    chainId: document.chain_id,
    minFeePerMass: BigInt(document.min_fee_per_mass),
    inputsMax: Number(document.max_inputs),
    outputsMax: Number(document.max_outputs),
    validityCutsMax: Number(document.max_validity_cuts),
  };
}
