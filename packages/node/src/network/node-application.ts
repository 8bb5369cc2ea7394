/**
 * The node as `svc-network` sees it: its chain, mempool and pool of blocks behind one port.
 */
import type {
  BlockBytes,
  CertifiedHeight,
  ChainIdentity,
  ChainTip,
  CutToInstall,
  Holdings,
  Installation,
  NetworkApplication,
  Reception,
  StateSource,
  TransactionReception,
} from 'svc-network';
import type {
  Admission,
  BlockAdmission,
  BlockPool,
  Chain,
  FinalizedCut,
  Mempool,
} from 'svc-serve/ports';
import { type ChainReader, PAGE_LIMITS, repeatWhenMoved, StoreMovedError } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import {
  decodeCutBody,
  encodeLeavesProof,
  type Manifest,
  PROTOCOL_VERSION,
} from 'svc-wasm/protocol';
import type { ChainCore } from '../chain/chain-core.ts';

interface Lease {
  readonly reader: ChainReader;
  users: number;
  isOld: boolean;
}

const LEASE_MILLIS = 1_000;

/**
 * Views of the chain for peers: one serves many reads for a moment, and a new head gets a new one.
 */
class ChainReads {
  readonly #chain: Pick<Chain, 'reader' | 'finalized'>;
  readonly #unfollow: () => void;
  #lease: Lease | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(chain: Pick<Chain, 'reader' | 'finalized'>) {
    this.#chain = chain;
    this.#unfollow = chain.finalized.on(() => this.#end());
  }

  /** Reads from one cut; `read` may be called again. */
  use<T>(read: (reader: ChainReader) => Promise<T>): Promise<T> {
    return repeatWhenMoved(() => this.#useOnce(read));
  }

  async #useOnce<T>(read: (reader: ChainReader) => Promise<T>): Promise<T> {
    const lease = this.#current();
    lease.users++;
    try {
      return await read(lease.reader);
    } catch (error) {
      if (error instanceof StoreMovedError && this.#lease === lease) this.#end();
      throw error;
    } finally {
      lease.users--;
      if (lease.isOld && lease.users === 0) await lease.reader.close();
    }
  }

  close(): void {
    this.#unfollow();
    this.#end();
  }

  #current(): Lease {
    if (this.#lease !== undefined) return this.#lease;
    this.#lease = { reader: this.#chain.reader(), users: 0, isOld: false };
    this.#timer = setTimeout(() => this.#end(), LEASE_MILLIS);
    return this.#lease;
  }

  #end(): void {
    clearTimeout(this.#timer);
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease === undefined) return;
    lease.isOld = true;
    if (lease.users === 0) void lease.reader.close();
  }
}

const WRONG_TRANSACTIONS: ReadonlySet<string> = new Set([
  'truncated',
  'trailing_bytes',
  'not_canonical',
  'unsupported_version',
  'wrong_chain',
  'no_inputs',
  'too_many_inputs',
  'duplicate_input',
  'no_outputs',
  'too_many_outputs',
  'zero_amount',
  'amount_too_large',
  'bad_address',
  'bad_commission',
  'bad_endpoint',
  'payload_too_long',
  'transaction_too_large',
  'unknown_profile',
  'bad_policy',
  'bad_signers',
  'wrong_witness_count',
  'possession_missing',
  'possession_unexpected',
  'bad_signature',
  'bad_spend_signature',
  'bad_operation_signature',
  'bad_possession_signature',
]);

/** What a node that lags behind its peers says about good transactions, and what one says that is busy. */
const LATER_TRANSACTIONS: ReadonlySet<string> = new Set([
  'unknown_input',
  'not_yet_valid',
  'key_not_registered',
  'invalid',
  'no_effect',
  'overloaded',
  'unavailable',
]);

const LATER_BLOCKS: ReadonlySet<string> = new Set([
  'unknown_anchor',
  'block_pool_full',
  'overloaded',
  'unavailable',
]);

const WRONG_BLOCKS: ReadonlySet<string> = new Set([
  ...WRONG_TRANSACTIONS,
  'bad_block',
  'bad_length',
  'wrong_target',
  'bad_parents',
]);

/**
 * `isHeartbeat` is asked about a transaction whose operation has the wrong signature: which key signs heartbeats depends on
 * the state, and a node that lags behind a rotation or lacks a recovery knows another one.
 */
export function transactionReception(
  admission: Admission,
  isHeartbeat: () => boolean = () => false,
): TransactionReception {
  if (admission.type !== 'refused') return { reception: admission.type, id: admission.id };
  if (admission.code === 'bad_operation_signature' && isHeartbeat()) return { reception: 'later' };
  if (WRONG_TRANSACTIONS.has(admission.code)) return { reception: 'reject' };
  return { reception: LATER_TRANSACTIONS.has(admission.code) ? 'later' : 'ignore' };
}

export function blockReception(admission: BlockAdmission): Reception {
  switch (admission.type) {
    case 'accepted':
    case 'known':
      return admission.type;
    case 'late':
      return 'ignore';
    case 'refused':
      if (admission.code === 'target_missed') return 'no_work';
      if (WRONG_BLOCKS.has(admission.code)) return 'reject';
      return LATER_BLOCKS.has(admission.code) ? 'later' : 'ignore';
  }
}

export interface NodeApplicationPorts {
  readonly chain: ChainCore;
  readonly mempool: Pick<Mempool, 'get' | 'all' | 'submit' | 'added'>;
  readonly blocks: Pick<BlockPool, 'get' | 'registrable' | 'submit' | 'accepted'>;
  /** Absent where no states are kept for newcomers. */
  readonly states?: StateSource | undefined;
  /** Absent where the thread hashes bodies of blocks itself. */
  readonly hashBody?: NetworkApplication['hashBody'];
}

/** Two registration windows full of blocks. */
const REGISTERED_MAX = 49_152;

export class NodeApplication implements NetworkApplication {
  readonly manifest: Manifest;
  readonly identity: ChainIdentity;
  readonly #ports: NodeApplicationPorts;
  readonly #reads: ChainReads;
  /** Blocks that cuts have registered lately; they leave the pool when they are executed. */
  readonly #registered = new Set<string>();
  readonly #unfollow: () => void;

  constructor(ports: NodeApplicationPorts) {
    const { chain } = ports;
    this.#ports = ports;
    this.manifest = chain.manifest;
    this.identity = {
      chainId: chain.chainId,
      protocolVersion: PROTOCOL_VERSION,
      rulesId: toHex(chain.manifest.rulesId),
    };
    this.#reads = new ChainReads(chain);
    this.#unfollow = chain.finalized.on((cut) => this.#remember(cut));
  }

  close(): void {
    this.#unfollow();
    this.#reads.close();
  }

  get tip(): ChainTip {
    const { height, cutId } = this.#ports.chain.head;
    return { height, cutId };
  }

  get states(): StateSource | undefined {
    return this.#ports.states;
  }

  get hashBody(): NetworkApplication['hashBody'] {
    return this.#ports.hashBody;
  }

  get tipTimeMillis(): number {
    return this.#ports.chain.headTimeMillis;
  }

  get holdings(): Holdings {
    const { retention, filled } = this.#ports.chain;
    const blocksFrom = Math.max(filled.bodiesFrom, retention.blocksFrom);
    return { mode: retention.mode, headersFrom: filled.certifiedFrom, blocksFrom };
  }

  *pendingTransactions(): Iterable<string> {
    for (const { id } of this.#ports.mempool.all()) yield id;
  }

  pendingBlocks(): Iterable<string> {
    const { blocks, chain } = this.#ports;
    return blocks.registrable(chain.head.height + 1).map(({ bytes }) => bytes.id);
  }

  hasTransaction(id: string): boolean {
    return this.#ports.mempool.get(id) !== undefined;
  }

  transaction(id: string): Uint8Array | undefined {
    return this.#ports.mempool.get(id)?.wire;
  }

  async submitTransaction(wire: Uint8Array): Promise<TransactionReception> {
    const { chain, mempool } = this.#ports;
    return transactionReception(
      await mempool.submit(wire, 'relayed'),
      () => chain.transactions.decode(wire).operation?.type === 'heartbeat',
    );
  }

  hasBlock(id: string): boolean {
    return this.#registered.has(id) || this.#ports.blocks.get(id) !== undefined;
  }

  async block(id: string): Promise<BlockBytes | undefined> {
    const pooled = this.#ports.blocks.get(id);
    if (pooled !== undefined) return pooled.bytes;
    return await this.#reads.use(async (reader) => {
      const header = await reader.blockHeader(id);
      const body = header && (await reader.blockBody(id));
      return header === undefined || body === undefined ? undefined : { id, header, body };
    });
  }

  async submitBlock(header: Uint8Array, body: Uint8Array, peerId: string): Promise<Reception> {
    return blockReception(await this.#ports.blocks.submit(header, body, peerId));
  }

  headers(from: number, count: number): Promise<Uint8Array[]> {
    return this.#reads.use(async (reader) => {
      const end = Math.min(from + count - 1, reader.head.height);
      const headers: Uint8Array[] = [];
      for (let before = end + 1; before > from; ) {
        const limit = Math.min(PAGE_LIMITS.cuts, before - from);
        const { rows } = await reader.cuts({ before, limit });
        if (rows.length === 0) return [];
        headers.push(...rows.map(({ header }) => header));
        before -= rows.length;
      }
      return headers.reverse();
    });
  }

  cutBody(height: number): Promise<Uint8Array | undefined> {
    return this.#reads.use((reader) => reader.cutBody(height));
  }

  certificate(height: number): Promise<Uint8Array | undefined> {
    return this.#reads.use((reader) => reader.certificate(height));
  }

  lastCertificate(from: number, last: number): Promise<CertifiedHeight | undefined> {
    return this.#reads.use((reader) => reader.lastCertificate(from, last));
  }

  cutIds(height: number, from: number, count: number): Uint8Array | undefined {
    const heights = Array.from({ length: count }, (_, place) => from + place);
    const proof = this.#ports.chain.pastIds.prove(height, heights);
    return proof && encodeLeavesProof(proof.list, proof.leaves);
  }

  async validatorSet(setId: string): Promise<Uint8Array | undefined> {
    return this.#ports.chain.setWithId(setId)?.encoded;
  }

  learnValidatorSet(encoded: Uint8Array): void {
    this.#ports.chain.learnSet(encoded);
  }

  nextValidatorSet(): { id: string; encoded: Uint8Array } {
    const { id, encoded } = this.#ports.chain.next.validators;
    return { id: toHex(id), encoded };
  }

  recoveredSet(cutId: string): { id: string } | undefined {
    const { recoveries } = this.#ports.chain.parameters;
    const recovery = recoveries.find((one) => one.cutId === cutId);
    return recovery && { id: toHex(recovery.set.id) };
  }

  /** The sync has checked the headers: those that the chain refuses do not follow its head any more. */
  async vouch(headers: readonly Uint8Array[], certificate: Uint8Array): Promise<boolean> {
    return (await this.#ports.chain.vouch(headers, certificate)).type === 'vouched';
  }

  async install(cut: CutToInstall): Promise<Installation> {
    if (!this.#hasBlocksOf(cut)) return 'missing_blocks';
    const installation = await this.#ports.chain.install(cut);
    if (installation.type === 'missing_set') return 'missing_sets';
    if (installation.type !== 'refused') return installation.type;
    if (!this.#hasBlocksOf(cut)) return 'missing_blocks';
    if (cut.certificate === null) return 'unproven';
    throw new Error(`cut not taken: ${installation.reason}`);
  }

  onTransaction(listener: (id: string) => void): () => void {
    return this.#ports.mempool.added.on(({ id }) => listener(id));
  }

  onBlock(listener: (id: string) => void): () => void {
    return this.#ports.blocks.accepted.on(({ bytes }) => listener(bytes.id));
  }

  onCut(listener: (tip: ChainTip) => void): () => void {
    return this.#ports.chain.finalized.on(({ height, cutId }) => listener({ height, cutId }));
  }

  #hasBlocksOf({ body, blocks }: CutToInstall): boolean {
    const given = new Set(blocks.map(({ id }) => id));
    return decodeCutBody(body).blockIds.every((bytes) => {
      const id = toHex(bytes);
      return given.has(id) || this.#ports.blocks.get(id) !== undefined;
    });
  }

  #remember({ input }: FinalizedCut): void {
    for (const { id } of input.registered) this.#registered.add(id);
    for (const id of this.#registered) {
      if (this.#registered.size <= REGISTERED_MAX) break;
      this.#registered.delete(id);
    }
  }
}
