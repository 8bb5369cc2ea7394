/**
 * One client of `/v1/events`. It has a place in the chain and moves up as fast as it reads: from the newest
 * commit while it keeps up, from past cuts while it does not. So nothing is skipped or repeated, and a slow
 * client costs no memory.
 */
import type { Chain } from '../../ports/chain.ts';
import { CLOSE_CODES, type Outlet } from '../connection/connection.ts';
import { jsonFrame } from '../connection/frames.ts';
import { ListeningHandler } from '../connection/listening-handler.ts';
import { type CutFrames, headReference } from './cut-frames.ts';
import { isReplayable, type Replay } from './replay.ts';

export interface CutStreamParts {
  readonly chain: Pick<Chain, 'head' | 'reader'>;
  readonly frames: CutFrames;
  readonly replay: Replay;
  /** Whether events are held back on purpose. */
  readonly held: () => boolean;
  readonly onClosed: () => void;
  /** The cuts could not be read. */
  readonly onFailed: (error: unknown) => void;
}

export class CutStream extends ListeningHandler {
  readonly #connection: Outlet;
  readonly #parts: CutStreamParts;
  /** The height of the next cut to send; undefined until the checkpoint is out. */
  #next: number | undefined;
  #moving = false;

  constructor(connection: Outlet, parts: CutStreamParts) {
    super(connection);
    this.#connection = connection;
    this.#parts = parts;
  }

  /** Sends the checkpoint, then what lies above the height. */
  start(afterHeight: number | undefined): void {
    this.#begin(afterHeight).catch(this.#parts.onFailed);
  }

  async #begin(afterHeight: number | undefined): Promise<void> {
    const reader = this.#parts.chain.reader();
    try {
      const cut = await headReference(reader);
      this.#connection.reply(jsonFrame({ type: 'checkpoint', data: { api_version: 1, cut } }));
      const from = afterHeight ?? cut.height;
      if (!(await isReplayable(reader, from))) return this.#giveUp();
      this.#next = from + 1;
    } finally {
      await reader.close();
    }
    this.advance();
  }

  /** Sends what there is to send. */
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
      .catch(this.#parts.onFailed);
  }

  override room(): void {
    this.advance();
  }

  override closed(): void {
    this.#parts.onClosed();
  }

  get #behind(): boolean {
    const { chain, held } = this.#parts;
    if (this.#next === undefined || !this.#connection.ready || held()) return false;
    return this.#next <= chain.head.height;
  }

  #sendKept(): void {
    while (this.#behind && this.#next !== undefined) {
      const frame = this.#parts.frames.kept(this.#next);
      if (frame === undefined) return;
      this.#connection.offer(frame);
      this.#next++;
    }
  }

  async #catchUp(): Promise<void> {
    while (this.#behind && this.#next !== undefined) {
      const frames = await this.#parts.replay.read(this.#next, () => this.#behind);
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
