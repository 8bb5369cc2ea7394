/**
 * Hands complete cuts to the node in their order, a few at a time, so that it never waits for the network
 * between two of them. Before the first of a range it shows the certificate that proves them all.
 */
import type { NetworkApplication } from '../application.ts';
import type { CutSlots } from './cut-slots.ts';
import type { VerifiedHeaders } from './verified-headers.ts';

export interface InstallerOptions {
  readonly application: NetworkApplication;
  readonly headers: VerifiedHeaders;
  readonly slots: CutSlots;
  readonly onChange: () => void;
  /** The node cannot go on: other rules, or a fault of its own. */
  readonly onStop: (reason: 'update_required' | 'failed', height: number, error?: unknown) => void;
}

const UNDER_WAY_MAX = 4;

export class Installer {
  readonly #options: InstallerOptions;
  #underWay = 0;
  #handedOver = 0;
  /** Cuts up to this height have been vouched for. */
  #vouchedUpTo = 0;
  #isStopped = false;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  turn(): void {
    while (!this.#isStopped && this.#underWay < UNDER_WAY_MAX && this.#startOne());
  }

  #startOne(): boolean {
    const { application, headers, slots } = this.#options;
    const tip = application.tip.height;
    if (this.#underWay === 0) this.#handedOver = tip;
    const height = Math.max(tip, this.#handedOver) + 1;
    const range = headers.rangeFrom(height);
    const header = range?.headers[0];
    if (range === undefined || header === undefined) return false;
    if (header.fields.protocolVersion > application.identity.protocolVersion) {
      this.#stop('update_required', height);
      return false;
    }
    const isLast = range.headers.length === 1;
    const cut = slots.complete(height, isLast ? range.certificate : null);
    if (cut === undefined) return false;
    const isVouched = isLast || height <= this.#vouchedUpTo;
    if (!isVouched) this.#vouchedUpTo = range.headers.at(-1)?.height ?? height;
    this.#handedOver = height;
    this.#underWay++;
    const bytes = range.headers.map((one) => one.bytes);
    const vouching = isVouched ? undefined : application.vouch(bytes, range.certificate);
    const installing = application.install(cut);
    Promise.all([vouching, installing])
      .then(
        ([, installation]) => {
          if (installation === 'update_required') this.#stop('update_required', height);
          if (installation === 'missing_blocks') slots.refetch(height);
        },
        (error: unknown) => this.#stop('failed', height, error),
      )
      .finally(() => {
        this.#underWay--;
        this.#options.onChange();
      });
    return true;
  }

  #stop(reason: 'update_required' | 'failed', height: number, error?: unknown): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#options.onStop(reason, height, error);
  }
}
