/**
 * The chain of trust of one reader: from the pinned cut to the highest certified one. It never goes back, and never
 * changes chains unless the reader asks for it.
 */

import { type CertifiedCut, toHex } from 'svc-wasm';
import { type CutHeader, decodeCutHeader } from 'svc-wasm/protocol';
import { LightClient, trustCut } from '../light-client.ts';
import type { AnswerOf, RouteCalls } from '../routes/route-types.ts';
import { readTrustedSet } from '../trusted-sets.ts';
import type { TrustDocument } from './claims.ts';
import { Contradiction } from './verdicts.ts';

/** A certified cut together with its header, whose fields the certificate covers. */
export interface ProvenCut {
  readonly cut: CertifiedCut;
  readonly header: CutHeader;
  /** Whether the reader has just pinned the cut on the node's word. */
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

  /** Certifies the cut of a height; the first time, pins it. */
  async certify(head: Head, height: number): Promise<ProvenCut> {
    const isFirst = this.#document === undefined;
    const light = await this.#lightClient(head);
    const cut = await this.#certifyWith(light, height);
    this.#remember(light, cut);
    return { cut, header: decodeCutHeader(light.certifiedHeader as Uint8Array), isFirst };
  }

  async #lightClient(head: Head): Promise<LightClient> {
    if (this.#document === undefined) await this.#pin(head);
    const { trusted } = this.#document as TrustDocument;
    // A development network has the clock that its operator gives it: ahead, or still since its last cut.
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
    const set = readTrustedSet(trusted);
    const height = Number(set.height);
    const id = toHex(set.cutId);
    this.#document = {
      format: 'svc-trust-v1',
      network: head.network,
      chainId: head.chain_id,
      pinnedHeight: height,
      pinnedCutId: id,
      pinnedAtMillis: this.#now(),
      height,
      cutId: id,
      trusted,
    };
  }

  async #certifyWith(light: LightClient, height: number): Promise<CertifiedCut> {
    for (let tries = 0; ; tries++) {
      try {
        return await light.certify(height);
      } catch (error) {
        // The set that signs after the last cut of an epoch is known once the next cut is final.
        const isEarly = error instanceof Error && 'status' in error && error.status === 404;
        if (!isEarly || tries >= RETRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
      }
    }
  }

  #remember(light: LightClient, cut: CertifiedCut): void {
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
