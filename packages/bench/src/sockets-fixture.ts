/**
 * A chain of a development network at its genesis, and a cut on it to tell of: what the ledger says of an
 * empty one, with the rewards of a few blocks added.
 */
import { Signal } from 'svc-base/pure';
import {
  applyCut,
  chainIdOf,
  DEVELOPMENT_ACCOUNTS,
  developmentGenesis,
  genesisState,
  keyAddress,
  LEDGER_PARAMETERS,
} from 'svc-ledger';
import type { Chain, FinalizedCut } from 'svc-node';
import { type LedgerStore, MemoryStore, openStoreOn } from 'svc-storage';
import { fromHex } from 'svc-wasm/base';
import { CUT_HEADER_BYTES, hashLabel, rootOfList } from 'svc-wasm/protocol';

type SocketChain = Pick<Chain, 'finalized' | 'genesis' | 'head' | 'reader'>;

const REWARDED_BLOCKS = 3;
const OWNER = keyAddress('11'.repeat(48));

const PARAMETERS = LEDGER_PARAMETERS.development;
const GENESIS = developmentGenesis({
  accounts: Array.from({ length: DEVELOPMENT_ACCOUNTS }, () => OWNER),
  validators: [{ consensusPublicKey: new Uint8Array(1_952).fill(7), endpoint: Uint8Array.of(1) }],
  timeMillis: 1_700_000_000_000,
  paceMillis: 2_500,
});

export class SocketsFixture implements SocketChain {
  static async create(): Promise<SocketsFixture> {
    const chainId = chainIdOf(hashLabel, GENESIS);
    const options = { chainId, parameters: PARAMETERS, mode: 'archive' } as const;
    const store = await openStoreOn(new MemoryStore(), options);
    const { commitments } = store;
    const ports = { parameters: PARAMETERS, hash: hashLabel, commitments };
    await store.initialize(genesisState(ports, GENESIS));
    return new SocketsFixture(store);
  }

  readonly finalized = new Signal<FinalizedCut>();
  readonly genesis = GENESIS;
  readonly #store: LedgerStore;
  readonly #cut: FinalizedCut;
  #height = 0;

  private constructor(store: LedgerStore) {
    this.#store = store;
    this.#cut = firstCut(store);
  }

  get head() {
    const { head } = this.#store;
    if (head === null) throw new Error('the chain has no genesis');
    return head;
  }

  reader() {
    return this.#store.reader();
  }

  /** The text that a client of the topic `cuts` gets for a cut. */
  notification(): Buffer {
    const { cutId, finalizedAtMillis, result } = this.#cut;
    const data = {
      cut: {
        height: 1,
        cut_id: cutId,
        state_root: result.stateRoot,
        validator_set_id: result.validatorSetId,
      },
      registered_blocks: 0,
      executed_blocks: 0,
      rewards: result.events.rewards.map(({ blockId, outpoint, amount, outputAmount }) => ({
        block_id: blockId,
        transaction_id: outpoint?.transactionId,
        output_index: outpoint?.outputIndex,
        amount: `${amount}`,
        output_amount: `${outputAmount}`,
      })),
      stake_rewards: '0',
      finalized_at_millis: finalizedAtMillis,
    };
    const event = { type: 'cut_finalized', data };
    return Buffer.from(JSON.stringify({ type: 'notification', data: { subscription: 1, event } }));
  }

  /** Tells of one more cut. */
  step(): void {
    this.#height++;
    this.finalized.emit({ ...this.#cut, height: this.#height });
  }
}

function firstCut(store: LedgerStore): FinalizedCut {
  const input = {
    height: 1,
    parentCutId: store.chainId,
    timeMillis: GENESIS.timeMillis + GENESIS.paceMillis,
    previousSigners: 0n,
    registered: [],
    evidence: [],
    executed: [],
  };
  const { commitments, view } = store;
  const signatures = { verify: () => false };
  const result = applyCut(
    {
      chainId: store.chainId,
      parameters: PARAMETERS,
      hash: hashLabel,
      listRoot: rootOfList,
      commitments,
      signatures,
    },
    view,
    input,
  );
  const rewards = Array.from({ length: REWARDED_BLOCKS }, (_, index) => ({
    blockId: `${index}`.repeat(96),
    anchorHeight: 1,
    payoutAddress: OWNER,
    share: 520_833_333n,
    fees: 0n,
    amount: 520_833_333n,
    outpoint: { transactionId: '33'.repeat(48), outputIndex: index },
    outputAmount: 520_833_333n,
  }));
  return {
    height: 1,
    cutId: '44'.repeat(48),
    header: headerOf(store, result),
    headerBytes: new Uint8Array(CUT_HEADER_BYTES),
    certificate: null,
    input,
    result: { ...result, events: { ...result.events, rewards } },
    finalizedAtMillis: input.timeMillis,
  };
}

function headerOf(store: LedgerStore, result: FinalizedCut['result']): FinalizedCut['header'] {
  const id = new Uint8Array(48);
  return {
    protocolVersion: 1,
    chainId: fromHex(store.chainId),
    height: 1n,
    parentCutId: id,
    historyRoot: id,
    proposer: 0,
    time: BigInt(GENESIS.timeMillis + GENESIS.paceMillis),
    validatorSetId: fromHex(result.validatorSetId),
    nextValidatorSetId: fromHex(result.nextValidatorSetId),
    previousRound: 0,
    previousSigners: 0n,
    registeredRoot: id,
    registeredCount: 0,
    registeredBytes: 0,
    evidenceRoot: id,
    outcomeRoot: fromHex(result.outcomeRoot),
    changesRoot: id,
    stateRoot: fromHex(result.stateRoot),
    workTarget: new Uint8Array(32),
  };
}
