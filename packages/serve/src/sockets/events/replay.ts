/**
 * Reads past cuts for clients that resume, a few cuts in a turn and one turn after another, so that many
 * who resume at once do not keep the node from its work.
 */
import { REPLAY_MILLIS } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import { type ChainReader, readAtHead } from 'svc-storage';
import { decodeCutHeader } from 'svc-wasm/protocol';
import type { Chain } from '../../ports.ts';
import type { CutFrames } from './cut-frames.ts';

const CUTS_IN_TURN = 32;
const PAUSE_MILLIS = 10;

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
export async function isReplayable(reader: ChainReader, afterHeight: number): Promise<boolean> {
  const { height } = reader.head;
  if (afterHeight >= height) return true;
  const [first, head] = [await reader.cut(afterHeight + 1), await reader.cut(height)];
  if (first === undefined || head === undefined) return false;
  const age = decodeCutHeader(head.header).time - decodeCutHeader(first.header).time;
  return age <= BigInt(REPLAY_MILLIS) && (await reader.summary(afterHeight + 1)) !== undefined;
}
