/**
 * Makes and signs the heartbeat of an epoch: the consensus key signs the operation, the fee key pays for it with
 * one signature for all its coins, and gets the change.
 */
import { keyAddress, outpointOf, type StateView } from 'svc-ledger';
import {
  assembleTransaction,
  encodeWitnessWithProfile,
  quoteTransactionWithInputProfiles,
  spendMessage,
  type TransactionQuote,
} from 'svc-wasm';
import { encodeAddress, fromHex } from 'svc-wasm/base';
import { encodeBody, type Manifest } from 'svc-wasm/protocol';
import type { SeatKey } from '../options.ts';
import type { FeeCoin } from '../ports/heartbeat.ts';
import type { ValidatorKey } from '../validator-key.ts';

export interface HeartbeatDraft {
  readonly validatorId: string;
  readonly epoch: number;
  readonly validFrom: number;
  readonly validUntil: number;
  readonly key: SeatKey;
  readonly feeKey: ValidatorKey;
  readonly feeRatePerMass: bigint;
  readonly maxFeeAtoms: bigint;
  /** What the fee key can spend, the largest coin first. */
  readonly coins: readonly FeeCoin[];
}

export type HeartbeatResult =
  | { readonly type: 'signed'; readonly wire: Uint8Array; readonly fee: bigint }
  | { readonly type: 'unfunded' }
  /** The holder of the consensus key did not sign. */
  | { readonly type: 'unsigned' }
  | { readonly type: 'too_dear'; readonly fee: bigint };

const INPUTS_MAX = 8;

export async function makeHeartbeat(
  draft: HeartbeatDraft,
  manifest: Manifest,
  view: StateView,
): Promise<HeartbeatResult> {
  const profiles = {
    fee: profileOf(view, draft.feeKey),
    operation: profileOf(view, draft.key),
  };
  const most = Math.min(INPUTS_MAX, draft.coins.length);
  for (let count = 1; count <= most; count++) {
    const coins = draft.coins.slice(0, count);
    const sum = coins.reduce((total, { amount }) => total + amount, 0n);
    const fee = feeOf(draft, coins, profiles, manifest);
    if (fee > draft.maxFeeAtoms) return { type: 'too_dear', fee };
    if (sum <= fee) continue;
    const body = bodyOf(draft, coins, { change: sum - fee, fee }, manifest);
    const wire = await signAll(draft, coins, body, profiles, manifest);
    return wire === undefined ? { type: 'unsigned' } : { type: 'signed', wire, fee };
  }
  return { type: 'unfunded' };
}

type Profile = 'inline' | 'referenced';

interface Profiles {
  readonly fee: Profile;
  readonly operation: Profile;
}

/** A key that is on the chain already is sent by reference. */
function profileOf(view: StateView, { keyHash }: Pick<SeatKey, 'keyHash'>): Profile {
  return view.get('keys', keyHash) === undefined ? 'inline' : 'referenced';
}

/** The size of a transaction depends neither on the amount of its change nor on its fee. */
function feeOf(
  draft: HeartbeatDraft,
  coins: readonly FeeCoin[],
  profiles: Profiles,
  manifest: Manifest,
): bigint {
  const body = bodyOf(draft, coins, { change: 1n, fee: 0n }, manifest);
  const inputs = coins.map((_, index) => (index === 0 ? profiles.fee : 'repeated'));
  const list = { inputs, operation: profiles.operation };
  const quote = JSON.parse(
    quoteTransactionWithInputProfiles(body, JSON.stringify(list), manifest.json),
  ) as TransactionQuote;
  return BigInt(quote.mass) * draft.feeRatePerMass;
}

function bodyOf(
  draft: HeartbeatDraft,
  coins: readonly FeeCoin[],
  { change, fee }: { readonly change: bigint; readonly fee: bigint },
  manifest: Manifest,
): Uint8Array {
  const request = {
    valid_from_height: String(draft.validFrom),
    valid_until_height: String(draft.validUntil),
    fee: String(fee),
    inputs: coins.map(({ outpoint }, index) => {
      const { transactionId, outputIndex } = outpointOf(outpoint);
      const input = { transaction_id: transactionId, output_index: String(outputIndex) };
      return index === 0 ? input : { ...input, repeated: true };
    }),
    outputs: [{ address: addressText(draft.feeKey, manifest), amount: String(change) }],
    payload_hex: '',
    operation: {
      type: 'heartbeat',
      data: { validator_id: draft.validatorId, epoch: String(draft.epoch) },
    },
  };
  return encodeBody(JSON.stringify(request), manifest);
}

async function signAll(
  { key, feeKey }: HeartbeatDraft,
  coins: readonly FeeCoin[],
  body: Uint8Array,
  profiles: Profiles,
  manifest: Manifest,
): Promise<Uint8Array | undefined> {
  const address = addressText(feeKey, manifest);
  const witnesses = coins.map(({ amount }, index) => {
    if (index > 0) return encodeWitnessWithProfile('repeated', null, null);
    const previous = JSON.stringify({ address, amount: String(amount) });
    const message = spendMessage(body, index, previous, manifest.json);
    return witnessOf(profiles.fee, feeKey, feeKey.signSpend(message));
  });
  const signature = await key.signHeartbeat(body, manifest.json);
  if (signature === undefined) return undefined;
  witnesses.push(witnessOf(profiles.operation, key, signature));
  return assembleTransaction(body, witnesses, manifest.json);
}

function witnessOf(
  profile: Profile,
  key: Pick<SeatKey, 'publicKey'>,
  signature: Uint8Array,
): Uint8Array {
  return encodeWitnessWithProfile(profile, profile === 'inline' ? key.publicKey : null, signature);
}

/** The text of the paying address. */
export function addressText(feeKey: ValidatorKey, { network }: Manifest): string {
  return encodeAddress(fromHex(keyAddress(feeKey.keyHash)), network);
}
