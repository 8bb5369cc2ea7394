/**
 * What all whole nodes of a simulation share: a genesis with real consensus keys, real keys of those who act, and
 * transactions of one input and one output that these sign.
 */
import { type MessageKind, signatureContext } from 'svc-consensus/machine';
import { ValidatorKey } from 'svc-consensus/shell';
import {
  bytesOf,
  chainIdOf,
  keyAddress,
  LEDGER_PARAMETERS,
  type OutpointKey,
  outpointKey,
  outpointOf,
  PAYOUT_KINDS,
  payoutId,
} from 'svc-ledger';
import { withInterval } from 'svc-ledger/testing';
import {
  assembleTransaction,
  encodeWitness,
  operationMessage,
  possessionMessage,
  spendMessage,
} from 'svc-wasm';
import { CONTEXTS, type Context, contextBytes, encodeAddress, fromHex, toHex } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  createManifest,
  decodeTransaction,
  encodeBody,
  hashLabel,
  type Manifest,
} from 'svc-wasm/protocol';
import { createSetting } from '../ledger/setting.ts';

const NO_RANDOM = new Uint8Array(32);

/**
 * A key of the simulation. The keys that ship add random bytes to every signature; with those the bytes of blocks, and so
 * their order, would differ from run to run of one seed.
 */
function repeatableKey(seed: Uint8Array): ValidatorKey {
  const { secretKey } = mlDsa65.keygen(seed);
  const sign = (message: Uint8Array, context: Context): Uint8Array =>
    mlDsa65.sign(secretKey, message, { context: contextBytes(context), random: NO_RANDOM });
  return Object.create(ValidatorKey.fromSeed(seed), {
    sign: {
      value: (bytes: Uint8Array, kind: MessageKind) => sign(bytes, signatureContext(kind)),
    },
    signOperation: { value: (message: Uint8Array) => sign(message, CONTEXTS.operation) },
    signSpend: { value: (message: Uint8Array) => sign(message, CONTEXTS.spend) },
  }) as ValidatorKey;
}

export interface Coin {
  readonly outpoint: OutpointKey;
  readonly amount: bigint;
}

/** An account with a real key. */
interface SigningAccount {
  readonly key: ValidatorKey;
  readonly address: string;
}

interface TransactionDraft {
  readonly from: SigningAccount;
  readonly coin: Coin;
  readonly fee: bigint;
  readonly validFrom: number;
  readonly validUntil: number;
  /** Signed by the same account. */
  readonly operation?: { readonly type: string; readonly data: Readonly<Record<string, string>> };
  /** The seed of a key that the operation names. */
  readonly possessionSeed?: Uint8Array;
}

export interface SignedTransaction {
  readonly id: string;
  readonly wire: Uint8Array;
}

/**
 * Makes transactions of one input and one output with real signatures, for those who act in a network of whole nodes.
 */
export function signTransaction(draft: TransactionDraft, manifest: Manifest): SignedTransaction {
  const { from, coin, fee, operation, possessionSeed } = draft;
  const text = encodeAddress(fromHex(from.address), 'development');
  const { transactionId, outputIndex } = outpointOf(coin.outpoint);
  const request = {
    valid_from_height: String(draft.validFrom),
    valid_until_height: String(draft.validUntil),
    inputs: [{ transaction_id: transactionId, output_index: String(outputIndex) }],
    outputs: [{ address: text, amount: String(coin.amount - fee) }],
    payload_hex: '',
    ...(operation === undefined ? {} : { operation }),
  };
  const body = encodeBody(JSON.stringify(request), manifest);
  const previous = JSON.stringify({ address: text, amount: String(coin.amount) });
  const { key } = from;
  const spend = key.signSpend(spendMessage(body, 0, previous, manifest.json));
  const witnesses = [encodeWitness(key.publicKey, spend)];
  if (operation !== undefined) {
    const signature = key.signOperation(operationMessage(body, manifest.json));
    witnesses.push(encodeWitness(key.publicKey, signature));
  }
  const wire =
    possessionSeed === undefined
      ? assembleTransaction(body, witnesses, manifest.json)
      : assembleTransaction(
          body,
          witnesses,
          manifest.json,
          possessionOf(body, possessionSeed, manifest),
        );
  return { id: toHex(decodeTransaction(wire, manifest).id), wire };
}

function possessionOf(body: Uint8Array, seed: Uint8Array, { json }: Manifest): Uint8Array {
  const { secretKey } = mlDsa65.keygen(seed);
  const context = contextBytes(CONTEXTS.possession);
  const random = new Uint8Array(32);
  return mlDsa65.sign(secretKey, possessionMessage(body, json), { context, random });
}

export type FullSetting = Readonly<ReturnType<typeof createFullSetting>>;

/** An account with one output of the genesis. */
interface FundedAccount extends SigningAccount {
  readonly coin: Coin;
}

/** What a rotation and heartbeats need: epochs are short then. */
export interface RotationKeys {
  /** Owns all validators. */
  readonly owner: FundedAccount;
  readonly nextSeed: Uint8Array;
  readonly next: ValidatorKey;
  /** In the order of the committee. */
  readonly feeKeys: readonly ValidatorKey[];
}

const PAYER_SEED = 199;
const OWNER_SEED = 198;
const NEXT_SEED = 197;
const FEE_SEED = 128;

const seedOf = (byte: number) => new Uint8Array(32).fill(byte);

/** The epochs of a network that decides several of them in a simulation. */
export interface ShortEpochs {
  readonly cuts: number;
  readonly paceMs: number;
}

/** With short epochs owners and fee keys are real, so that keys can be rotated and heartbeats be paid for. */
export function createFullSetting(
  stakes: readonly bigint[],
  epochs: ShortEpochs | undefined,
  timeMillis = 0,
) {
  const { document, parameters, validatorIds, places, accounts } = createSetting({
    stakes: [stakes],
  });
  const byPlace = stakes.map((_, place) => repeatableKey(seedOf(place + 1)));
  const funded = [accountOf(PAYER_SEED)];
  if (epochs !== undefined) {
    funded.push(accountOf(OWNER_SEED));
    for (const place of stakes.keys()) funded.push(accountOf(FEE_SEED + place));
  }
  const [payer, owner, ...feeAccounts] = funded as [SigningAccount, ...SigningAccount[]];
  const validators = document.validators.map((validator, place) => ({
    ...validator,
    ...(owner === undefined ? {} : { ownerAddress: owner.address }),
    consensusPublicKey: (byPlace[place] as ValidatorKey).publicKey,
  }));
  const outputs = document.outputs.map((output, index) => {
    const address = funded[index]?.address;
    return address === undefined ? output : { ...output, address };
  });
  const paceMillis = epochs?.paceMs ?? document.paceMillis;
  const genesis = { ...document, timeMillis, paceMillis, validators, outputs };
  const chainId = chainIdOf(hashLabel, genesis);
  const withCoin = (account: SigningAccount, index: number): FundedAccount => {
    const transactionId = payoutId({ chainId, hash: hashLabel }, 0, PAYOUT_KINDS.genesis, index);
    const outpoint = outpointKey({ transactionId, outputIndex: 0 });
    return { ...account, coin: { outpoint, amount: outputs[index]?.amount ?? 0n } };
  };
  const rotation: RotationKeys | undefined = owner && {
    owner: withCoin(owner, 1),
    nextSeed: seedOf(NEXT_SEED),
    next: repeatableKey(seedOf(NEXT_SEED)),
    feeKeys: places.map((place) => (feeAccounts[place] as SigningAccount).key),
  };
  return {
    genesis,
    parameters:
      epochs === undefined ? parameters : withInterval(LEDGER_PARAMETERS.development, epochs.cuts),
    manifest: createManifest(document.network, bytesOf(chainId)),
    payer: withCoin(payer, 0),
    /** Undefined in networks whose epochs are longer than a simulation. */
    rotation,
    /** In the order of the committee, as are keys. */
    validatorIds,
    keys: places.map((place) => byPlace[place] as ValidatorKey),
    /** Where miners are paid. */
    payout: accounts[0]?.address ?? '',
  };
}

function accountOf(seed: number): SigningAccount {
  const key = repeatableKey(seedOf(seed));
  return { key, address: keyAddress(key.keyHash) };
}
