/**
 * One client of `/v1/events`. It has a place in the chain and moves up as fast as it reads: from the newest
 * commit while it keeps up, from past cuts while it does not. So nothing is skipped or repeated, and a slow
 * client costs no memory.
 */
import { readAtHead } from 'svc-storage';
import type { Chain } from '../../ports.ts';
import { CLOSE_CODES, type Outlet } from '../connection/connection.ts';
import { jsonFrame } from '../connection/frames.ts';
import { ListeningHandler } from '../connection/listening-handler.ts';
import { type CutFrames, headReference } from './cut-frames.ts';
import { isReplayable, type Replay } from './replay.ts';

export interface CutStreamPorts {
  readonly chain: Pick<Chain, 'head' | 'reader'>;
  readonly frames: CutFrames;
  readonly replay: Replay;
  /** Whether events are withheld on purpose. */
  readonly isWithholding: () => boolean;
  readonly onClosed: () => void;
  /** Called when cuts could not be read from the store. */
  readonly onFailed: (error: unknown) => void;
}

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
