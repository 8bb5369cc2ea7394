/**
 * The proofs of one screen's claim, one after the other. What is asked for while a proof of the same claim is being made
 * is proven afterwards; results for a claim that the screen has left are dropped.
 */
import type { Claim, Report, Step } from 'svc-client/evidence';

export interface ClaimProofsPorts {
  readonly prove: (claim: Claim, onStep: (step: Step) => void) => Promise<Report>;
  /** The first proof of a claim begins. */
  readonly onBegin: () => void;
  readonly onEnd: (report: Report, steps: readonly Step[]) => void;
}

export class ClaimProofs {
  readonly #ports: ClaimProofsPorts;
  #claim: Claim | undefined;
  /** How many claims there were; a proof of an earlier one is not reported, though the same claim may be back. */
  #claims = 0;
  /** Whether a proof of the present claim is being made. */
  #isRunning = false;
  /** Whether something changed since that proof began. */
  #isStale = false;
  /** Whether a proof of the present claim was asked for. */
  #isWanted = false;

  constructor(ports: ClaimProofsPorts) {
    this.#ports = ports;
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** What the screen shows now; nothing of an earlier claim is reported from here on. */
  setClaim(claim: Claim | undefined): void {
    this.#claim = claim;
    this.#claims++;
    this.#isRunning = false;
    this.#isStale = false;
    this.#isWanted = false;
  }

  /** Proves the present claim, after the proof of it that is being made if there is one. */
  ask(): void {
    if (this.#claim === undefined) return;
    if (this.#isRunning) this.#isStale = true;
    else void this.#proveOnce(this.#claim);
    this.#isWanted = true;
  }

  async #proveOnce(claim: Claim): Promise<void> {
    const claims = this.#claims;
    this.#isRunning = true;
    this.#isStale = false;
    if (!this.#isWanted) this.#ports.onBegin();
    const steps: Step[] = [];
    const report = await this.#ports.prove(claim, (step) => steps.push(step));
    if (this.#claims !== claims) return;
    this.#isRunning = false;
    this.#ports.onEnd(report, steps);
    // What changed while the proof was made is proven as well, or its first outcome would stay for good.
    if (this.#isStale) this.ask();
  }
}
