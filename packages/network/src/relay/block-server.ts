/**
 * Answers for blocks: compact first, then what the asker lacks. Blocks are taken apart once, however many
 * peers ask.
 */
import type { BlockBytes, NetworkApplication } from '../application.ts';
import { LOOKUP_BYTES, type Serving } from '../peers/serving.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { type TakenApart, takeApart } from './compact-block.ts';
import {
  BLOCKS_PER_REQUEST_MAX,
  decodeBlockRequest,
  decodeId,
  decodeIds,
  encodeBlockTransactions,
  encodeCompactBlock,
  encodeFullBlock,
  encodeIds,
  RELAY,
} from './relay-bytes.ts';
import type { RelayLink } from './relay-link.ts';

const TAKEN_APART_MAX = 64;
/** Taking a block apart costs about so much of what sending it would. */
const TAKING_APART_SHARE = 1 / 4;

export class BlockServer {
  readonly #application: NetworkApplication;
  readonly #takenApart = new Map<string, TakenApart>();

  constructor(application: NetworkApplication) {
    this.#application = application;
  }

  async blocks(link: RelayLink, payload: Uint8Array): Promise<void> {
    const absent: string[] = [];
    for (const id of decoded(() => decodeIds(payload, BLOCKS_PER_REQUEST_MAX))) {
      const parts = await this.#parts(link.serving, id);
      if (parts === undefined) {
        absent.push(id);
        continue;
      }
      link.knownBlocks.add(id);
      await link.serve(RELAY.compactBlock, encodeCompactBlock(parts.compact));
    }
    if (absent.length > 0) await link.serve(RELAY.absentBlocks, encodeIds(absent));
  }

  async transactions(link: RelayLink, payload: Uint8Array): Promise<void> {
    const { blockId, indexes } = decoded(() => decodeBlockRequest(payload));
    const parts = await this.#parts(link.serving, blockId);
    if (parts === undefined) {
      await link.serve(RELAY.absentBlocks, encodeIds([blockId]));
      return;
    }
    const wires = indexes.map((index) => parts.wires[index]);
    const found = wires.filter((wire) => wire !== undefined);
    if (found.length !== wires.length)
      throw new PeerFault('invalid', `block ${blockId} has no transaction of such an index`);
    await link.serve(RELAY.blockTransactions, encodeBlockTransactions(blockId, found));
  }

  async full(link: RelayLink, payload: Uint8Array): Promise<void> {
    const id = decoded(() => decodeId(payload));
    const block = await this.#block(link.serving, id);
    if (block === undefined) await link.serve(RELAY.absentBlocks, encodeIds([id]));
    else await link.serve(RELAY.fullBlock, encodeFullBlock(block));
  }

  async #parts(serving: Serving, id: string): Promise<TakenApart | undefined> {
    const known = this.#takenApart.get(id);
    if (known !== undefined) {
      await serving.turn();
      return known;
    }
    const block = await this.#block(serving, id);
    if (block === undefined) return undefined;
    serving.charge(block.body.length * TAKING_APART_SHARE);
    const parts = takeApart(block, this.#application.manifest);
    const [oldest] = this.#takenApart.keys();
    if (this.#takenApart.size >= TAKEN_APART_MAX && oldest !== undefined)
      this.#takenApart.delete(oldest);
    this.#takenApart.set(id, parts);
    return parts;
  }

  async #block(serving: Serving, id: string): Promise<BlockBytes | undefined> {
    await serving.turn();
    const block = await this.#application.block(id);
    if (block === undefined) serving.charge(LOOKUP_BYTES);
    return block;
  }
}
