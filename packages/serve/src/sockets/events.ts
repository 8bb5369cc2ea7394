/**
 * `/v1/events`: the frames of cuts, made once for all clients, and the streams that send them.
 */
import { type CutReference, REPLAY_MILLIS } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import { type ChainReader, readAtHead } from 'svc-storage';
import { decodeCutHeader } from 'svc-wasm/protocol';
import type { Addresses } from '../documents/addresses.ts';
import {
  type CutOutline,
  cutFinalized,
  cutReference,
  outlineOf,
  referenceOf,
} from '../documents/cuts.ts';
import type { Chain, FinalizedCut, SocketServices } from '../ports.ts';
import {
  CLOSE_CODES,
  type Connection,
  jsonFrame,
  ListeningHandler,
  type Outlet,
} from './connection.ts';
import type { Fanout } from './fanout.ts';

const KEPT_BYTES_MAX = 8 << 20;

/**
 * The frames of `/v1/events`, one for each cut, made once for all clients: from the commit if a client
 * listens then, else from the store. The newest are kept, within a limit.
 */
export class CutFrames {
  readonly #addresses: Addresses;
  readonly #kept = new Map<number, Buffer>();
  #bytes = 0;

  constructor(addresses: Addresses) {
    this.#addresses = addresses;
  }

  kept(height: number): Buffer | undefined {
    return this.#kept.get(height);
  }

  fromCommit(cut: FinalizedCut): Buffer {
    return this.#keep(referenceOf(cut.height, cut.cutId, cut.header), outlineOf(cut));
  }

  /** The frame of a cut read from the store; undefined if the store does not have the cut any more. */
  async fromStore(reader: ChainReader, height: number): Promise<Buffer | undefined> {
    const row = await reader.cut(height);
    const summary = await reader.summary(height);
    if (row === undefined || summary === undefined) return undefined;
    return this.#keep(cutReference(row), summary);
  }

  #keep(reference: CutReference, outline: CutOutline): Buffer {
    const data = cutFinalized(reference, outline, this.#addresses);
    const frame = jsonFrame({ type: 'cut_finalized', data });
    this.#bytes += frame.length - (this.#kept.get(reference.height)?.length ?? 0);
    this.#kept.set(reference.height, frame);
    for (const [height, { length }] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES_MAX) break;
      this.#kept.delete(height);
      this.#bytes -= length;
    }
    return frame;
  }
}

/** The head as a reference. The genesis has no header; its id is the chain's. */
async function headReference(reader: ChainReader): Promise<CutReference> {
  const { height, cutId, stateRoot } = reader.head;
  const row = height === 0 ? undefined : await reader.cut(height);
  if (row !== undefined) return cutReference(row);
  const { validatorSetId } = await reader.epoch();
  return { height, cut_id: cutId, state_root: stateRoot, validator_set_id: validatorSetId };
}

const CUTS_IN_TURN = 32;
const PAUSE_MILLIS = 10;

/**
 * Reads past cuts for clients that resume, a few cuts in a turn and one turn after another, so that many
 * who resume at once do not keep the node from its work.
 */
export class Replay {
  readonly #chain: Pick<Chain, 'reader'>;
  readonly #frames: CutFrames;
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();

  constructor(chain: Pick<Chain, 'reader'>, frames: CutFrames, clock: Clock) {
    this.#chain = chain;
    this.#frames = frames;
    this.#clock = clock;
  }

  /**
   * Frames from a height on, as many as a turn allows; none if that cut is not kept any more, or if they are
   * not wanted when their turn comes.
   */
  async read(height: number, wanted: () => boolean): Promise<Buffer[]> {
    await this.#turn(wanted);
    if (!wanted()) return [];
    return readAtHead(this.#chain, async (reader) => {
      const frames: Buffer[] = [];
      const end = Math.min(height + CUTS_IN_TURN, reader.head.height + 1);
      for (let next = height; next < end; next++) {
        const frame = this.#frames.kept(next) ?? (await this.#frames.fromStore(reader, next));
        if (frame === undefined) break;
        frames.push(frame);
      }
      return frames;
    });
  }

  #turn(wanted: () => boolean): Promise<void> {
    const turn = this.#last;
    this.#last = turn.then(async () => {
      if (!wanted()) return;
      await new Promise<void>((resolve) => void this.#clock.after(PAUSE_MILLIS, resolve));
    });
    return turn;
  }
}

/** Whether all cuts above the height are within the hour before the head. */
async function isReplayable(reader: ChainReader, afterHeight: number): Promise<boolean> {
  const { height } = reader.head;
  if (afterHeight >= height) return true;
  const [first, head] = [await reader.cut(afterHeight + 1), await reader.cut(height)];
  if (first === undefined || head === undefined) return false;
  const age = decodeCutHeader(head.header).time - decodeCutHeader(first.header).time;
  return age <= BigInt(REPLAY_MILLIS) && (await reader.summary(afterHeight + 1)) !== undefined;
}

interface CutStreamPorts {
  readonly chain: Pick<Chain, 'head' | 'reader'>;
  readonly frames: CutFrames;
  readonly replay: Replay;
  /** Whether events are withheld on purpose. */
  readonly isWithholding: () => boolean;
  readonly onClosed: () => void;
  /** Called when cuts could not be read from the store. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * One client of `/v1/events`. It has a place in the chain and moves up as fast as it reads: from the newest
 * commit while it keeps up, from past cuts while it does not. So nothing is skipped or repeated, and a slow
 * client costs no memory.
 */
export class CutStream extends ListeningHandler {
  readonly #connection: Outlet;
  readonly #ports: CutStreamPorts;
  /** The height of the next cut to send; undefined until the checkpoint is out. */
  #next: number | undefined;
  #moving = false;

  constructor(connection: Outlet, ports: CutStreamPorts) {
    super(connection);
    this.#connection = connection;
    this.#ports = ports;
  }

  /** Sends the checkpoint, then every cut above the height. */
  start(afterHeight: number | undefined): void {
    this.#begin(afterHeight).catch(this.#ports.onFailed);
  }

  async #begin(afterHeight: number | undefined): Promise<void> {
    const { cut, from, isKept } = await readAtHead(this.#ports.chain, async (reader) => {
      const head = await headReference(reader);
      const after = afterHeight ?? head.height;
      return { cut: head, from: after, isKept: await isReplayable(reader, after) };
    });
    this.#connection.reply(jsonFrame({ type: 'checkpoint', data: { api_version: 1, cut } }));
    if (!isKept) return this.#giveUp();
    this.#next = from + 1;
    this.advance();
  }

  /** Sends the cuts that the client has not been sent, as fast as it reads. */
  advance(): void {
    if (this.#moving) return;
    this.#sendKept();
    if (!this.#behind) return;
    this.#moving = true;
    this.#catchUp()
      .then(() => {
        this.#moving = false;
        this.advance();
      })
      .catch(this.#ports.onFailed);
  }

  override room(): void {
    this.advance();
  }

  override closed(): void {
    this.#ports.onClosed();
  }

  get #behind(): boolean {
    const { chain, isWithholding } = this.#ports;
    if (this.#next === undefined || !this.#connection.ready || isWithholding()) return false;
    return this.#next <= chain.head.height;
  }

  #sendKept(): void {
    while (this.#behind && this.#next !== undefined) {
      const frame = this.#ports.frames.kept(this.#next);
      if (frame === undefined) return;
      this.#connection.offer(frame);
      this.#next++;
    }
  }

  async #catchUp(): Promise<void> {
    while (this.#behind && this.#next !== undefined) {
      const frames = await this.#ports.replay.read(this.#next, () => this.#behind);
      if (frames.length === 0 && this.#behind) return this.#giveUp();
      for (const frame of frames) {
        if (!this.#behind) break;
        this.#connection.offer(frame);
        this.#next++;
      }
    }
  }

  #giveUp(): void {
    const data = { reason: 'history_unavailable' };
    this.#connection.reply(jsonFrame({ type: 'resync_required', data }));
    this.#connection.finish(CLOSE_CODES.done, data.reason);
  }
}

interface CutFeedPorts {
  readonly services: Pick<SocketServices, 'chain' | 'log'>;
  readonly clock: Clock;
  readonly addresses: Addresses;
  readonly fanout: Fanout;
  readonly isWithholding: () => boolean;
}

/**
 * All clients of `/v1/events`, moved on by each finalized cut.
 */
export class CutFeed {
  readonly #ports: CutFeedPorts;
  readonly #frames: CutFrames;
  readonly #replay: Replay;
  readonly #streams = new Set<CutStream>();
  readonly #stop: () => void;

  constructor(ports: CutFeedPorts) {
    const { chain } = ports.services;
    this.#ports = ports;
    this.#frames = new CutFrames(ports.addresses);
    this.#replay = new Replay(chain, this.#frames, ports.clock);
    this.#stop = chain.finalized.on((cut) => {
      if (this.#streams.size === 0) return;
      this.#frames.fromCommit(cut);
      this.advance();
    });
  }

  open(connection: Connection, afterHeight: number | undefined): CutStream {
    const { isWithholding, services } = this.#ports;
    const { chain, log } = services;
    const stream = new CutStream(connection, {
      chain,
      frames: this.#frames,
      replay: this.#replay,
      isWithholding,
      onClosed: () => void this.#streams.delete(stream),
      onFailed: (error) => {
        log.error({ error: String(error) }, 'a stream of cuts failed');
        connection.terminate();
      },
    });
    this.#streams.add(stream);
    stream.start(afterHeight);
    return stream;
  }

  advance(): void {
    this.#ports.fanout.publish(this.#streams, (stream) => stream.advance());
  }

  stop(): void {
    this.#stop();
  }
}
