/**
 * The chain of trust of one reader: from the pinned cut to the highest certified one. It never goes back, and never
 * changes chains unless the reader asks for it.
 */

import { toHex } from 'svc-wasm';
import { type EarlierPath, LightClient, type SignedCut, trustCut } from '../light-client.ts';
import type { AnswerOf, RouteCalls } from '../routes/route-types.ts';
import { readTrustedSet } from '../trusted-sets.ts';
import type { Line, TrustDocument } from './claims.ts';
import { cutName, timeText } from './proofs/kind.ts';
import { Contradiction, Unprovable } from './verdicts.ts';

/** A cut that was certified by its signatures. */
export interface TrustedHead extends SignedCut {
  /** Whether the reader has just pinned a cut on the node's word. */
  readonly isFirst: boolean;
}

type Head = AnswerOf<'chainHead'>;

const RETRIES = 8;
const RETRY_MILLIS = 250;

export class Trust {
  readonly #client: RouteCalls;
  readonly #now: () => number;
  #document: TrustDocument | undefined;
  #light: LightClient | undefined;

  constructor(client: RouteCalls, document: TrustDocument | undefined, now: () => number) {
    this.#client = client;
    this.#now = now;
    this.#document = document;
  }

  get document(): TrustDocument | undefined {
    return this.#document;
  }

  /** Refuses a head of another chain, and one below what was certified before. */
  async head(): Promise<Head> {
    const head = await this.#client.chainHead();
    const known = this.#document;
    if (known === undefined) return head;
    if (head.chain_id !== known.chainId) {
      throw new Contradiction(
        `the node follows chain ${head.chain_id.slice(0, 12)}…, this reader has pinned chain ${known.chainId.slice(0, 12)}…`,
      );
    }
    if (head.cut.height < known.height) {
      throw new Contradiction(
        `the node names cut ${head.cut.height} as its head, this reader has certified cut ${known.height} already`,
      );
    }
    return head;
  }

  /** Certifies the cut of a height by signatures, not below what was certified before; the first time, pins it. */
  async certify(head: Head, height: number): Promise<TrustedHead> {
    const isFirst = this.#document === undefined;
    const light = await this.#lightClient(head);
    await this.#certifyWith(light, height);
    const signed = light.signedCut as SignedCut;
    this.#remember(light, signed.cut);
    return { ...signed, isFirst };
  }

  /** Cuts before the one that was certified last, heights ascending, by the path that leads to them from it. */
  earlier(heights: readonly number[]): Promise<EarlierPath> {
    return (this.#light as LightClient).certifyEarlier(heights);
  }

  /** What the signatures rest on. */
  line(isFirst: boolean): Line {
    const { pinnedHeight, pinnedCutId, pinnedAtMillis } = this.#document as TrustDocument;
    const when = timeText(BigInt(pinnedAtMillis));
    return {
      says: `The validators who signed it are those of the chain that has ${cutName(pinnedHeight)}, ${pinnedCutId}.`,
      restsOn: isFirst
        ? 'that cut, which this reader has pinned now on the word of this node: compare its id with a second source'
        : `that cut, which this reader pinned on ${when}, and the changes of the validator set that were signed since`,
    };
  }

  async #lightClient(head: Head): Promise<LightClient> {
    if (this.#document === undefined) await this.#pin(head);
    const { trusted } = this.#document as TrustDocument;
    // The operator of a development network sets its clock: it may be ahead, or stopped at its last cut.
    const now = head.network === 'development' ? () => head.time_millis : this.#now;
    this.#light ??= new LightClient({ client: this.#client, trusted, now });
    return this.#light;
  }

  /** The head is trusted on the word of the node; the last cut of an epoch cannot be, so the one before is. */
  async #pin(head: Head): Promise<void> {
    const pin = (height: number) => trustCut(this.#client, head.network, head.chain_id, height);
    const trusted = await pin(head.cut.height).catch((error: unknown) => {
      if (head.cut.height < 2) throw error;
      return pin(head.cut.height - 1);
    });
    this.#document = trustDocument(trusted, this.#now());
  }

  async #certifyWith(light: LightClient, height: number): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await light.certify(height);
        return;
      } catch (error) {
        // The set that signs after the last cut of an epoch is known once the next cut is final.
        const isEarly = error instanceof Error && 'status' in error && error.status === 404;
        if (!isEarly || tries >= RETRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
      }
    }
  }

  #remember(light: LightClient, cut: SignedCut['cut']): void {
    const known = this.#document as TrustDocument;
    const height = Number(cut.height);
    if (height === known.height && cut.cutId !== known.cutId) {
      throw new Contradiction(
        `validators signed two cuts of height ${height}: the chain has split`,
      );
    }
    if (height === known.pinnedHeight && cut.cutId !== known.pinnedCutId) {
      throw new Contradiction(`cut ${height} is not the one that this reader has pinned`);
    }
    if (light.trustedHeight <= known.height) return;
    const { trusted, trustedHeight, trustedCutId } = light;
    this.#document = { ...known, height: trustedHeight, cutId: trustedCutId, trusted };
  }
}

/**
 * Continues from a new pin where trust has ended, or where a second source named a newer cut. A path has to lead from the new
 * pin to the cut that was certified last: then everything that was proven before is part of the chain of the new pin.
 */
export async function renewTrust(
  client: RouteCalls,
  known: TrustDocument,
  fresh: TrustDocument,
  now: () => number,
): Promise<TrustDocument> {
  if (fresh.chainId !== known.chainId) throw new Contradiction('the new pin is of another chain');
  if (fresh.height < known.height)
    throw new Contradiction(
      `the new pin is cut ${fresh.height}, this reader has certified cut ${known.height} already`,
    );
  const { time } = readTrustedSet(fresh.trusted);
  const clock = fresh.network === 'development' ? () => Number(time) : now;
  const light = new LightClient({ client, trusted: fresh.trusted, now: clock });
  const { cutId } = await light.certify(known.height);
  if (cutId !== known.cutId)
    throw new Contradiction(
      `cut ${known.height}, which this reader has certified, is not part of the chain of the new pin`,
    );
  const { pinnedHeight, pinnedCutId } = known;
  const earliest = known.earliest ?? { height: pinnedHeight, cutId: pinnedCutId };
  return { ...fresh, earliest };
}

/**
 * Trusts the cut that a text `height:id` names, as a link, a QR code or an operator hands it over: the node only supplies
 * header, certificate and validator set. With `known`, a path has to lead from it to what was certified before.
 */
export async function trustNamedCut(
  client: RouteCalls,
  name: string,
  known: TrustDocument | undefined,
  now: () => number,
): Promise<TrustDocument> {
  const [, height, id] = /^([1-9][0-9]{0,14}):([0-9a-f]{96})$/.exec(name.trim()) ?? [];
  if (height === undefined || id === undefined)
    throw new Unprovable('a pin is a height, a colon and the id of the cut');
  const { network, chain_id } = await client.chainHead();
  const trusted = await trustCut(client, network, chain_id, Number(height));
  const fresh = trustDocument(trusted, now());
  if (fresh.cutId !== id)
    throw new Contradiction(`cut ${height} of this node is ${fresh.cutId}, not the one of the pin`);
  return known === undefined ? fresh : await renewTrust(client, known, fresh, now);
}

function trustDocument(trusted: string, pinnedAtMillis: number): TrustDocument {
  const set = readTrustedSet(trusted);
  const [height, cutId] = [Number(set.height), toHex(set.cutId)];
  return {
    format: 'svc-trust-v1',
    network: set.network,
    chainId: toHex(set.chainId),
    pinnedHeight: height,
    pinnedCutId: cutId,
    pinnedAtMillis,
    height,
    cutId,
    trusted,
  };
}
