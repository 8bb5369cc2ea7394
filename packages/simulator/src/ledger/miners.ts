/**
 * What blocks of the ledger level carry, in the bytes of the protocol: payments, delegations, and what operators send for
 * their validators. Signatures are accepted as checked elsewhere, except where a forged one is wanted; there is no proof of
 * work, and every node knows every block.
 */
import {
  type Address,
  ATOMS_PER_COIN,
  bytesOf,
  type ExecutableTransaction,
  epochOf,
  type Identifier,
  keyAddress,
  numberKey,
  type OutpointKey,
  type OutputRecord,
  oldestParentCut,
  outpointOf,
  type RegisteredBlock,
  targetBytes,
  type ValidatorRecord,
} from 'svc-ledger';
import type { MemoryState } from 'svc-ledger/testing';
import { assembleTransaction, encodeWitness } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import {
  decodeBlockBody,
  decodeWorkBlock,
  encodeBlockBody,
  encodeBlockHeader,
  encodeBody,
  encodeExtranonce,
} from 'svc-wasm/protocol';
import { Random } from '../base/random.ts';
import type { CommitteeChanges } from '../plan/plan.ts';
import type { MinedBlock, Replica } from './replica.ts';
import { type Account, BOND_UNIT, type LedgerSetting } from './setting.ts';

interface WalletTransaction {
  /** The one output that it spends. */
  readonly outpoint: OutpointKey;
  readonly wire: Uint8Array;
  readonly transaction: ExecutableTransaction;
}

export const FEE = 300_000n;
const DELEGATION = 1_000n * ATOMS_PER_COIN;
const VALIDITY_CUTS = 40;
const SIGNATURE = new Uint8Array(3_309);

/**
 * Makes payments and delegations from the outputs of a state, in the bytes of the protocol. Their
 * signatures are accepted as checked elsewhere, except where a forged one is wanted.
 */
class Wallet {
  readonly #setting: LedgerSetting;

  constructor(setting: LedgerSetting) {
    this.#setting = setting;
  }

  /** Something that is mostly fine; other blocks may spend the same output. */
  draw(random: Random, state: MemoryState, height: number): WalletTransaction | undefined {
    const [outpoint, output] = random.pick(state.records('outputs'));
    const owner = this.#setting.accounts.find(({ address }) => address === output.address);
    if (owner === undefined || output.amount < DELEGATION + 2n * FEE) return undefined;
    const delegated = random.chance(0.2) ? DELEGATION : 0n;
    const validFrom = random.chance(0.1) ? height + 4 : height;
    const validity = random.chance(0.1) ? 1 : VALIDITY_CUTS;
    const request = {
      valid_from_height: String(validFrom),
      valid_until_height: String(validFrom + validity),
      inputs: [inputOf(outpoint)],
      outputs: this.#outputs(random, owner, output.amount - FEE - delegated),
      payload_hex: '',
      ...(delegated === 0n ? {} : { operation: this.#bond(random, owner) }),
    };
    const isSigned = !random.chance(0.1);
    const operationSigner = delegated === 0n ? null : owner.address;
    const signer = isSigned ? operationSigner : undefined;
    return { outpoint, ...encodeRequest(this.#setting, request, owner, output, signer) };
  }

  #outputs(random: Random, owner: Account, amount: bigint) {
    const paid = (amount * BigInt(random.integer(1, 99))) / 100n;
    const payee = random.pick(this.#setting.accounts);
    return [
      { address: payee.text, amount: String(paid) },
      { address: owner.text, amount: String(amount - paid) },
    ];
  }

  #bond(random: Random, owner: Account) {
    return {
      type: 'bond',
      data: {
        validator_id: random.pick(this.#setting.validatorIds),
        owner_address: owner.text,
        reward_address: owner.text,
        amount: String(DELEGATION),
      },
    };
  }
}

/**
 * A transaction that spends one output of an account. Its signatures count as checked, for an operation also that of
 * `signer`; undefined makes them forged.
 */
function encodeRequest(
  { manifest, wires }: LedgerSetting,
  request: { readonly operation?: { readonly data: object } },
  owner: Account,
  { address, amount }: OutputRecord,
  signer: Address | null | undefined,
): Omit<WalletTransaction, 'outpoint'> {
  const body = encodeBody(JSON.stringify(request), manifest);
  const witness = encodeWitness(owner.publicKey, SIGNATURE);
  const { operation } = request;
  const witnesses = operation === undefined ? [witness] : [witness, witness];
  const namesKey = operation !== undefined && 'consensus_public_key_hex' in operation.data;
  const wire = namesKey
    ? assembleTransaction(body, witnesses, manifest.json, SIGNATURE)
    : assembleTransaction(body, witnesses, manifest.json);
  const transaction = wires.decode(wire);
  if (signer !== undefined) wires.accept(transaction, [{ address, amount }], signer);
  return { wire, transaction };
}

export function inputOf(outpoint: string) {
  const { transactionId, outputIndex } = outpointOf(outpoint);
  return { transaction_id: transactionId, output_index: String(outputIndex) };
}

/** A block has room for so many of them beside what others send. */
const PER_BLOCK_MAX = 2;
/** What was sent is given so many cuts to be executed. */
const PATIENCE_CUTS = 4;
const OPERATION_CUTS = 12;
const COMMISSION_BPS = 500;
const ENDPOINT = '01';

interface OperationRequest {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

interface Draft {
  /** What it does, to recognise it. */
  readonly name: string;
  readonly operation: OperationRequest;
  /** Who has to sign the operation. */
  readonly signer: Address;
  readonly bonded: bigint;
}

/**
 * What the operators of validators send: a heartbeat in every epoch for as long as the process runs, and once each the
 * registration, the exit and the new key that the plan has for them. What was not executed is sent again.
 */
export class Operators {
  readonly #setting: LedgerSetting;
  readonly #changes: CommitteeChanges;
  readonly #isUp: (validator: number) => boolean;
  /** When it was sent last. */
  readonly #sentAt = new Map<string, number>();
  /** Outputs that something sent lately spends. */
  readonly #spentAt = new Map<string, number>();

  constructor(
    setting: LedgerSetting,
    changes: CommitteeChanges,
    isUp: (validator: number) => boolean,
  ) {
    this.#setting = setting;
    this.#changes = changes;
    this.#isUp = isUp;
  }

  /** The next transactions for a block on the newest cut of a replica. */
  send(replica: Replica): WalletTransaction[] {
    const { height } = replica;
    const isFree = (sent: number | undefined) =>
      sent === undefined || height - sent >= PATIENCE_CUTS;
    const drafts = [...this.#steps(replica), ...this.#heartbeats(replica)].filter(({ name }) =>
      isFree(this.#sentAt.get(name)),
    );
    const coins = replica.state
      .records('outputs')
      .filter(([, { address }]) => address === this.#setting.operator.address)
      .filter(([outpoint]) => isFree(this.#spentAt.get(outpoint)));
    const made: WalletTransaction[] = [];
    for (const draft of drafts.slice(0, PER_BLOCK_MAX)) {
      const at = coins.findIndex(([, { amount }]) => amount > draft.bonded + FEE);
      const [coin] = at < 0 ? [] : coins.splice(at, 1);
      if (coin === undefined) continue;
      this.#sentAt.set(draft.name, height);
      this.#spentAt.set(coin[0], height);
      made.push(this.#encode(draft, coin, height));
    }
    return made;
  }

  #steps(replica: Replica): Draft[] {
    const { joins, exits, rotations } = this.#changes;
    const isDue = ({ fromHeight }: { readonly fromHeight: number }) => replica.height >= fromHeight;
    return [
      ...joins.filter(isDue).flatMap(({ validator, stake }) => {
        const isKnown = this.#setting.roll.idOf(validator) !== undefined;
        return isKnown ? [] : [this.#registration(validator, stake * BOND_UNIT)];
      }),
      ...exits.filter(isDue).flatMap(({ validator }) => {
        const [id, record] = replica.recordOf(validator);
        if (record?.status !== 'active') return [];
        return [
          ownerDraft(`exit ${validator}`, record, { type: 'exit', data: { validator_id: id } }),
        ];
      }),
      ...rotations.filter(isDue).flatMap(({ validator }) => {
        const [id, record] = replica.recordOf(validator);
        if (record?.status !== 'active' || record.pendingKey !== null) return [];
        if (this.#setting.holderOf(record.consensusKey.publicKey).generation > 0) return [];
        const data = { validator_id: id, ...this.#keyFields(validator, 1) };
        return [ownerDraft(`rotate ${validator}`, record, { type: 'rotate_key', data })];
      }),
    ];
  }

  #heartbeats(replica: Replica): Draft[] {
    const epoch = epochOf(replica.height + 2, this.#setting.parameters.interval);
    const drafts: Draft[] = [];
    for (const [validator, id] of this.#setting.roll.entries()) {
      const record = replica.state.get('validators', id);
      if (record?.status !== 'active' || record.heartbeatEpoch === epoch) continue;
      if (!this.#isUp(validator)) continue;
      drafts.push({
        name: `heartbeat ${validator} ${epoch}`,
        operation: { type: 'heartbeat', data: { validator_id: id, epoch: String(epoch) } },
        signer: keyAddress(record.consensusKey.keyHash),
        bonded: 0n,
      });
    }
    return drafts;
  }

  #registration(validator: number, amount: bigint): Draft {
    const { operator } = this.#setting;
    return {
      name: `join ${validator}`,
      operation: {
        type: 'validator_register',
        data: {
          owner_address: operator.text,
          reward_address: operator.text,
          amount: String(amount),
          commission_bps: String(COMMISSION_BPS),
          ...this.#keyFields(validator, 0),
        },
      },
      signer: operator.address,
      bonded: amount,
    };
  }

  #keyFields(validator: number, generation: number) {
    const key = this.#setting.consensusKeyOf({ validator, generation });
    return { consensus_public_key_hex: toHex(key), overlay_endpoint_hex: ENDPOINT };
  }

  #encode(
    { operation, signer, bonded }: Draft,
    [outpoint, output]: readonly [string, OutputRecord],
    height: number,
  ): WalletTransaction {
    const { operator } = this.#setting;
    const request = {
      valid_from_height: String(height),
      valid_until_height: String(height + OPERATION_CUTS),
      inputs: [inputOf(outpoint)],
      outputs: [{ address: operator.text, amount: String(output.amount - FEE - bonded) }],
      payload_hex: '',
      operation,
    };
    return { outpoint, ...encodeRequest(this.#setting, request, operator, output, signer) };
  }
}

function ownerDraft(name: string, record: ValidatorRecord, operation: OperationRequest): Draft {
  return { name, operation, signer: record.ownerAddress, bonded: 0n };
}

const BLOCKS_PER_ANCHOR_MAX = 2;
const TRANSACTIONS_PER_BLOCK_MAX = 2;
const PARENTS_MAX = 8;
const REMEMBERED_TRANSACTIONS_MAX = 8;

/**
 * The miners of a simulation: after every decided cut they make a few blocks with that cut as anchor,
 * in the bytes of the protocol and without proof of work. Every node knows every block.
 */
export class Workshop {
  readonly #setting: LedgerSetting;
  readonly #seed: number;
  /** Those of validators, where committees change. */
  readonly #operators: Operators | undefined;
  readonly #wallet: Wallet;
  readonly #made = new Map<Identifier, readonly MinedBlock[]>();
  /** Carried lately; some are carried again by other blocks. */
  readonly #carried: WalletTransaction[] = [];

  constructor(setting: LedgerSetting, seed: number, operators?: Operators) {
    this.#operators = operators;
    this.#setting = setting;
    this.#seed = seed;
    this.#wallet = new Wallet(setting);
  }

  /** Makes the blocks that stand on the newest cut of a replica, unless they are made. */
  mine(replica: Replica): void {
    const { tip } = replica;
    if (this.#made.has(tip)) return;
    const random = new Random(this.#seed, Number.parseInt(tip.slice(0, 7), 16));
    const count = random.integer(this.#operators === undefined ? 0 : 1, BLOCKS_PER_ANCHOR_MAX);
    const blocks = Array.from({ length: count }, () => this.#mineOne(random, replica));
    this.#made.set(tip, blocks);
  }

  blocksOn(anchorCutId: Identifier): readonly MinedBlock[] {
    return this.#made.get(anchorCutId) ?? [];
  }

  #mineOne(random: Random, replica: Replica): MinedBlock {
    const { manifest, accounts } = this.#setting;
    const sent = this.#operators?.send(replica) ?? [];
    const carried = [...sent, ...this.#transactions(random, replica)];
    const payee: Account = random.pick(accounts);
    const free = Uint8Array.from({ length: 11 }, () => random.integer(0, 255));
    const bodyBytes = encodeBlockBody({
      payout: bytesOf(payee.address),
      extranonce: encodeExtranonce('', free),
      parents: parentsOn(replica).map(bytesOf),
      transactions: carried.map(({ wire }) => wire),
    });
    const { parentsRoot, bodyRoot, payoutCommitment, extranonce } = decodeBlockBody(
      bodyBytes,
      manifest,
    );
    const headerBytes = encodeBlockHeader(
      {
        anchorHeight: BigInt(replica.height),
        anchorCutId: bytesOf(replica.tip),
        parentsRoot,
        bodyRoot,
        payoutCommitment,
        extranonce,
        target: targetBytes(replica.economy.workTarget),
        nonce: new Uint8Array(24),
      },
      manifest.chainId,
    );
    const { header, body } = decodeWorkBlock(headerBytes, bodyBytes, manifest);
    const block: RegisteredBlock = {
      id: toHex(header.id),
      anchorHeight: Number(header.anchorHeight),
      anchorCutId: toHex(header.anchorCutId),
      parents: body.parents.map((id) => toHex(id)),
      bodyRoot: toHex(header.bodyRoot),
      payoutAddress: toHex(body.payout),
      bodyBytes: bodyBytes.length,
      mass: body.mass,
    };
    const bytes = { id: block.id, header: headerBytes, body: bodyBytes };
    return { bytes, block, transactions: carried.map(({ transaction }) => transaction) };
  }

  #transactions(random: Random, { state, height }: Replica): WalletTransaction[] {
    /** By what they spend: a block spends an output once. */
    const chosen = new Map<string, WalletTransaction>();
    for (let count = random.integer(0, TRANSACTIONS_PER_BLOCK_MAX); count > 0; count--) {
      const isOld = this.#carried.length > 0 && random.chance(0.15);
      const drawn = isOld ? random.pick(this.#carried) : this.#wallet.draw(random, state, height);
      if (drawn !== undefined) chosen.set(drawn.outpoint, drawn);
    }
    this.#carried.push(...chosen.values());
    while (this.#carried.length > REMEMBERED_TRANSACTIONS_MAX) this.#carried.shift();
    return [...chosen.values()];
  }
}

/** The blocks of the newest cut that registered any, else the anchor. */
function parentsOn({ state, height, tip }: Replica): Identifier[] {
  for (let cut = height; cut >= oldestParentCut(height); cut--) {
    const registered = state.get('registered', numberKey(cut));
    if (registered !== undefined && registered.blocks.length > 0)
      return registered.blocks.slice(0, PARENTS_MAX).map(({ id }) => id);
  }
  return [tip];
}
