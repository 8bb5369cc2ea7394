/**
 * Hands complete cuts to the node in their order, a few at a time, so that it never waits for the network
 * between two of them. Before the first of a range it shows the certificate that proves them all.
 */
import type { CutToInstall, Installation, NetworkApplication } from '../application.ts';
import type { CutSlots } from './cut-slots.ts';
import type { VerifiedHeaders } from './verified-headers.ts';

export interface InstallerOptions {
  readonly application: NetworkApplication;
  readonly headers: VerifiedHeaders;
  readonly slots: CutSlots;
  /** Gets the validator sets that the evidence of a cut names; resolves also if no peer has them now. */
  readonly fetchSets: (cut: CutToInstall) => Promise<void>;
  readonly onChange: () => void;
  /** Called when the node cannot continue: other rules, or a fault of its own. */
  readonly onStop: (reason: 'update_required' | 'failed', height: number, error?: unknown) => void;
}

/** Cuts handed over at once: enough for signatures to be checked while earlier cuts execute. */
const UNDER_WAY_MAX = 16;
/** Answers after which the cut is tried again. */
const REFUSED: ReadonlySet<Installation> = new Set(['unproven', 'missing_blocks', 'ahead']);
/** The most refusals in a row; each cut under way may have one. */
const REFUSALS_MAX = 256;

export class Installer {
  readonly #options: InstallerOptions;
  readonly #underWay = new Set<Promise<void>>();
  #handedOver = 0;
  /** Cuts up to this height have been vouched for. */
  #vouchedUpTo = 0;
  #refusals = 0;
  /** A cut was refused: those after it can only be refused too, until it is handed over again. */
  #isHeldUp = false;
  #isStopped = false;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  turn(): void {
    while (!this.#isStopped && this.#underWay.size < UNDER_WAY_MAX && this.#startOne());
  }

  /** Starts nothing more; resolves when the cuts already handed to the node are done. */
  async close(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#underWay);
  }

  #startOne(): boolean {
    const { application, headers, slots } = this.#options;
    const tip = application.tip.height;
    if (this.#underWay.size === 0) {
      this.#handedOver = tip;
      this.#isHeldUp = false;
    }
    if (this.#isHeldUp) return false;
    const height = Math.max(tip, this.#handedOver) + 1;
    const range = headers.rangeOf(height);
    const header = range?.headers[range.place];
    if (range === undefined || header === undefined) return false;
    if (header.fields.protocolVersion > application.identity.protocolVersion) {
      this.#stop('update_required', height);
      return false;
    }
    const isLast = range.place === range.headers.length - 1;
    const cut = slots.complete(height, isLast ? range.certificate : null);
    if (cut === undefined) return false;
    const isVouched = isLast || height <= this.#vouchedUpTo;
    if (!isVouched) this.#vouchedUpTo = range.headers.at(-1)?.height ?? height;
    this.#handedOver = height;
    const rest = (): Uint8Array[] => range.headers.slice(range.place).map(({ bytes }) => bytes);
    const vouching = isVouched ? undefined : application.vouch(rest(), range.certificate);
    const done = this.#finish(cut, vouching, application.install(cut)).finally(() => {
      this.#underWay.delete(done);
      this.#options.onChange();
    });
    this.#underWay.add(done);
    return true;
  }

  async #finish(
    cut: CutToInstall,
    vouching: Promise<boolean> | undefined,
    installing: Promise<Installation>,
  ): Promise<void> {
    const { height } = cut;
    try {
      const [isVouched, installation] = await Promise.all([vouching, installing]);
      if (isVouched === false || installation === 'unproven') this.#vouchedUpTo = 0;
      if (installation === 'missing_blocks') this.#options.slots.refetch(height);
      if (installation === 'missing_sets') await this.#options.fetchSets(cut);
      if (installation === 'update_required') this.#stop('update_required', height);
      this.#isHeldUp ||= REFUSED.has(installation);
      this.#refusals = REFUSED.has(installation) ? this.#refusals + 1 : 0;
      if (this.#refusals > REFUSALS_MAX)
        this.#stop(
          'failed',
          height,
          new Error(`the node finds it ${installation} again and again`),
        );
    } catch (error) {
      this.#stop('failed', height, error);
    }
  }

  #stop(reason: 'update_required' | 'failed', height: number, error?: unknown): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#options.onStop(reason, height, error);
  }
}
