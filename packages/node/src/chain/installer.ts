/**
 * Takes over cuts that others decided. A cut is believed for its certificate, or because a later header that
 * leads back to it is certified; what it does is computed here all the same. Runs inside the writer's queue only.
 */
import { type CutId, type EncodedCut, type HeaderLink, height as heightOf } from 'svc-finality';
import type { BlockBytes } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import type { ValidatorSet } from 'svc-wasm/protocol';
import type { FinalizedCut } from '../ports/chain.ts';
import {
  type CertificateSources,
  type CutToInstall,
  certificateFault,
  followingLinks,
  type Installation,
  type Vouching,
} from './installation.ts';
import type { NextHeight } from './next-height.ts';

interface ChainHead {
  readonly height: number;
  readonly cutId: string;
  readonly timeMillis: number;
  readonly next: NextHeight;
}

export interface InstallerPorts extends CertificateSources {
  readonly head: () => ChainHead;
  /** Takes a block of a certified cut; false if it is none of this chain. */
  readonly offer: (block: BlockBytes) => boolean;
  readonly holds: (blockId: string) => boolean;
  readonly commit: (
    cut: EncodedCut,
    certificate: Uint8Array | null,
  ) => Promise<FinalizedCut | undefined>;
}

export class Installer {
  readonly #ports: InstallerPorts;
  /** Cuts known to lead to a certified one, by height. */
  readonly #vouched = new Map<number, string>();

  constructor(ports: InstallerPorts) {
    this.#ports = ports;
  }

  vouch(headers: readonly Uint8Array[], certificate: Uint8Array): Vouching {
    const links = followingLinks(this.#headLink, headers);
    if (typeof links === 'string') return { type: 'refused', reason: links };
    const last = links.at(-1) as HeaderLink;
    const sources = { ...this.#ports, setAt: (height: number) => this.#setOf(last, height) };
    const fault = certificateFault(headers.at(-1) as Uint8Array, certificate, sources);
    if (fault !== null) return { type: 'refused', reason: fault };
    for (const { height, id } of links) this.#vouched.set(height, id);
    return { type: 'vouched', height: last.height };
  }

  async install(cut: EncodedCut, given: CutToInstall): Promise<Installation> {
    const height = Number(cut.fields.height);
    const head = this.#ports.head();
    if (height <= head.height) return { type: 'known' };
    if (height > head.next.height) return { type: 'ahead' };
    const fault = this.#finalityFault(cut, given.certificate) ?? this.#blocksFault(cut, given);
    if (fault !== null) return { type: 'refused', reason: fault };
    const installed = await this.#ports.commit(cut, given.certificate);
    return { type: 'installed', cut: installed as FinalizedCut };
  }

  /** A set may go on unchanged into epochs that have not begun here; links show that it is the same. */
  #setOf({ validatorSetId }: HeaderLink, height: number): ValidatorSet | undefined {
    const { validators } = this.#ports.head().next;
    return toHex(validators.id) === validatorSetId ? validators : this.#ports.setAt(height);
  }

  forgetUpTo(height: number): void {
    for (const known of this.#vouched.keys()) if (known <= height) this.#vouched.delete(known);
  }

  get #headLink(): HeaderLink {
    const { height, cutId, timeMillis, next } = this.#ports.head();
    const setId = toHex(next.validators.id);
    return {
      id: cutId as CutId,
      height: heightOf(height),
      parentId: '' as CutId,
      timeMs: BigInt(timeMillis),
      validatorSetId: setId,
      nextValidatorSetId: setId,
    };
  }

  #finalityFault(cut: EncodedCut, certificate: Uint8Array | null): string | null {
    if (certificate !== null) return certificateFault(cut.header, certificate, this.#ports);
    const isVouched = this.#vouched.get(Number(cut.fields.height)) === cut.value;
    return isVouched ? null : 'there is no certificate for it';
  }

  #blocksFault(cut: EncodedCut, { blocks }: CutToInstall): string | null {
    const wanted = new Set(cut.content.blockIds.map((id) => toHex(id)));
    for (const block of blocks)
      if (!wanted.has(block.id) || !this.#ports.offer(block))
        return `block ${block.id} is not one that the cut registers`;
    const missing = [...wanted].find((id) => !this.#ports.holds(id));
    return missing === undefined ? null : `block ${missing} is missing`;
  }
}
