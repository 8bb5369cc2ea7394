/**
 * The frames of `/v1/events`, one for each cut, made once for all clients: from the commit if a client
 * listens then, else from the store. The newest are kept, within a limit.
 */
import type { CutReference } from 'svc-api';
import type { ChainReader } from 'svc-storage';
import type { Addresses } from '../../documents/addresses.ts';
import {
  type CutOutline,
  cutFinalized,
  cutReference,
  outlineOf,
  referenceOf,
} from '../../documents/cuts.ts';
import type { FinalizedCut } from '../../ports.ts';
import { jsonFrame } from '../connection/frames.ts';

const KEPT_BYTES_MAX = 8 << 20;

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
export async function headReference(reader: ChainReader): Promise<CutReference> {
  const { height, cutId, stateRoot } = reader.head;
  const row = height === 0 ? undefined : await reader.cut(height);
  if (row !== undefined) return cutReference(row);
  const { validatorSetId } = await reader.epoch();
  return { height, cut_id: cutId, state_root: stateRoot, validator_set_id: validatorSetId };
}
