/**
 * Work from one of several nodes, in the given order: the first that answers and follows the right chain serves.
 * While none does, that is reported and tried again; miners continue with the current work.
 */
import type { MiningChainDocument } from 'svc-api';
import { type Clock, type Log, messageOf, Signal } from 'svc-base/pure';
import { type BlockResult, headerWith, type Job } from 'svc-mining';
import { toHex } from 'svc-wasm/base';
import { MiningNode, NodeRefusal, type TemplateRequest } from './mining-node.ts';
import type { JobTemplate, TemplateReader } from './template-reader.ts';

export interface WorkSourcePorts {
  readonly clock: Clock;
  readonly log: Log;
  /** For a server that asks for many templates; its owner closes it. */
  readonly reader?: TemplateReader;
}

export interface WorkSourceOptions {
  readonly nodes: readonly URL[];
}

export type NodeState = 'ready' | 'behind' | 'away';

export interface BlockAnswer {
  readonly result: BlockResult;
  readonly reason?: string;
  readonly blockId?: string;
}

const RETRY_MILLIS = { first: 500, most: 10_000 } as const;
/** A block goes to the same node again if that did not answer, and to the next one. */
const SUBMIT_ROUNDS = 2;
const BEHIND_MAX = 2;

export class WorkSource {
  readonly heights: Signal<number> = new Signal();
  readonly states: Signal<NodeState> = new Signal();
  readonly #ports: WorkSourcePorts;
  readonly #nodes: readonly MiningNode[];
  readonly #chainIds = new Map<MiningNode, string>();
  #chain: MiningChainDocument | undefined;
  #current: MiningNode | undefined;
  #state: NodeState = 'away';
  #height = 0;
  #stopFollowing: () => void = () => {};
  #stopRetry: () => void = () => {};
  #retryMillis: number = RETRY_MILLIS.first;
  #isClosed = false;

  constructor(ports: WorkSourcePorts, { nodes }: WorkSourceOptions) {
    this.#ports = ports;
    this.#nodes = nodes.map((url) => new MiningNode(url, ports.clock, ports.reader));
  }

  get state(): NodeState {
    return this.#state;
  }

  get height(): number {
    return this.#height;
  }

  /** The address of the node that serves, if one does. */
  get nodeUrl(): string | undefined {
    return this.#current?.url.href;
  }

  /** The chain that is mined on, once a node has named it. */
  get chain(): MiningChainDocument | undefined {
    return this.#chain;
  }

  /** Connects to the first node that answers and reconnects by itself from then on; fails if none answers now. */
  async start(): Promise<MiningChainDocument> {
    await this.#connect();
    if (this.#chain === undefined) {
      this.close();
      throw new Error('no node answers');
    }
    return this.#chain;
  }

  async template(request: TemplateRequest): Promise<JobTemplate> {
    const node = this.#current;
    if (node === undefined) throw new Error('no node answers');
    try {
      const template = await node.template(request);
      this.#setState('ready');
      return template;
    } catch (error) {
      if (error instanceof NodeRefusal && error.code === 'not_synced') this.#setState('behind');
      throw error;
    }
  }

  /** Sends a block to the nodes until one has answered for it. Never throws. */
  async submit(job: Job, nonce: Uint8Array, bodyHex: string): Promise<BlockAnswer> {
    const headerHex = toHex(headerWith(job, nonce));
    let reason = 'no node answers';
    for (let round = 0; round < SUBMIT_ROUNDS; round++)
      for (const node of this.#inOrder()) {
        try {
          if (!(await this.#isOurs(node))) continue;
          const { result, block_id: blockId } = await node.submit(headerHex, bodyHex);
          return { result, blockId };
        } catch (error) {
          reason = messageOf(error);
          if (error instanceof NodeRefusal && error.status < 500) return refusedAnswer(error);
        }
      }
    return { result: 'unknown', reason };
  }

  close(): void {
    this.#isClosed = true;
    this.#stopFollowing();
    this.#stopRetry();
    for (const node of this.#nodes) node.close();
  }

  /** Whether the node follows the chain that is mined on; asked once. */
  async #isOurs(node: MiningNode): Promise<boolean> {
    const known = this.#chainIds.get(node) ?? (await node.chain()).chain_id;
    this.#chainIds.set(node, known);
    return known === this.#chain?.chain_id;
  }

  #inOrder(): readonly MiningNode[] {
    const current = this.#current;
    if (current === undefined) return this.#nodes;
    return [current, ...this.#nodes.filter((node) => node !== current)];
  }

  async #connect(): Promise<void> {
    for (const node of this.#nodes) {
      if (this.#isClosed) return;
      if (await this.#tryNode(node)) return;
    }
    this.#setState('away');
    this.#stopRetry = this.#ports.clock.after(this.#retryMillis, () => void this.#connect());
    this.#retryMillis = Math.min(2 * this.#retryMillis, RETRY_MILLIS.most);
  }

  async #tryNode(node: MiningNode): Promise<boolean> {
    const { log } = this.#ports;
    const url = node.url.href;
    try {
      const chain = await node.chain();
      if (this.#isClosed) return false;
      this.#chainIds.set(node, chain.chain_id);
      if (this.#chain !== undefined && this.#chain.chain_id !== chain.chain_id) {
        log.error({ node: url, chain: chain.chain_id }, 'the node follows another chain');
        return false;
      }
      this.#chain ??= chain;
      this.#current = node;
      this.#retryMillis = RETRY_MILLIS.first;
      this.#follow(node);
      log.info({ node: url, height: chain.finalized_height }, 'work comes from this node');
      const { behind_by: behindBy } = await node.sync();
      this.#setState(behindBy > BEHIND_MAX ? 'behind' : 'ready');
      this.#advance(chain.finalized_height);
      return true;
    } catch (error) {
      log.warn({ node: url, reason: messageOf(error) }, 'the node does not answer');
      this.#leave(node);
      return false;
    }
  }

  #follow(node: MiningNode): void {
    this.#stopFollowing();
    this.#stopFollowing = node.follow({
      onCut: ({ height }) => this.#advance(height),
      onEnd: (reason) => {
        if (this.#isClosed || this.#current !== node) return;
        this.#ports.log.warn({ node: node.url.href, reason }, 'the node is gone');
        this.#leave(node);
        void this.#connect();
      },
    });
  }

  #leave(node: MiningNode): void {
    if (this.#current !== node) return;
    this.#stopFollowing();
    this.#stopFollowing = () => {};
    this.#current = undefined;
  }

  #advance(height: number): void {
    if (height <= this.#height && this.#height > 0) return;
    this.#height = height;
    this.heights.emit(height);
  }

  #setState(state: NodeState): void {
    if (this.#isClosed || state === this.#state) return;
    this.#state = state;
    this.states.emit(state);
  }
}

function refusedAnswer({ code, message }: NodeRefusal): BlockAnswer {
  if (code === 'late') return { result: 'late', reason: message };
  if (code === 'body_used') return { result: 'used', reason: message };
  return { result: 'refused', reason: `${code}: ${message}` };
}
