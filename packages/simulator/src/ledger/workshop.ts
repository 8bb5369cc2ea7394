/**
 * The miners of a simulation: after every decided cut they make a few blocks with that cut as anchor,
 * in the bytes of the protocol and without proof of work. Every node knows every block.
 */
import type { Identifier, RegisteredBlock } from 'svc-ledger';
import { bytesOf, numberKey, oldestParentCut, targetBytes } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import {
  decodeBlockBody,
  decodeWorkBlock,
  encodeBlockBody,
  encodeBlockHeader,
  encodeExtranonce,
} from 'svc-wasm/protocol';
import { Random } from '../base/random.ts';
import type { Operators } from './changes/operators.ts';
import type { MinedBlock } from './ledger-cut.ts';
import type { Replica } from './replica.ts';
import type { Account, LedgerSetting } from './setting.ts';
import type { WalletTransaction } from './wallet.ts';
import { Wallet } from './wallet.ts';

const BLOCKS_PER_ANCHOR_MAX = 2;
const TRANSACTIONS_PER_BLOCK_MAX = 2;
const PARENTS_MAX = 8;
const REMEMBERED_TRANSACTIONS_MAX = 8;

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
