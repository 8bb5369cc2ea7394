/**
 * The seats that a node has taken, and what it says of its own validator: of the seats that its key files ask for, or of the
 * one that comes and goes with the lease of a remote signer.
 */
import { holderOf, ValidatorHistoryError, ValidatorStartError } from 'svc-consensus/shell';
import { removalOf } from 'svc-serve';
import {
  type ReportedValidator,
  removalMessage,
  ValidatorReport,
} from '../report/validator-report.ts';
import { RotatingSeats } from '../validator/rotating-seats.ts';
import { RunningSeat, type Seat, type SeatPorts } from './seats.ts';

/** A validator whose key is with a remote signer. */
export interface RemoteValidator {
  /** Undefined until the signer has told its key. */
  readonly reported: ReportedValidator | undefined;
  readonly isAway: boolean;
  /** Called before its seat is left because the node ends. */
  close(): void;
}

export class TakenSeats {
  readonly running: RunningSeat[] = [];
  /** Whether there is a key that no validator holds yet. */
  isWaiting = false;
  readonly #remote: RemoteValidator | undefined;
  readonly #reportOn: (reported: ReportedValidator) => ValidatorReport;
  #own: RotatingSeats | undefined;
  #report: ValidatorReport | undefined;

  constructor({ core, log }: Pick<SeatPorts, 'core' | 'log'>, remote: RemoteValidator | undefined) {
    this.#remote = remote;
    this.#reportOn = (reported) => new ValidatorReport(core.chain, reported, log.part('validator'));
  }

  /** Undefined while the node signs nothing. */
  get report(): ValidatorReport | undefined {
    const reported = this.#remote?.reported ?? this.#own;
    if (reported !== undefined) this.#report ??= this.#reportOn(reported);
    return this.#report;
  }

  get isSignerAway(): boolean {
    return this.#remote?.isAway === true;
  }

  async take(seat: Seat, ports: SeatPorts, nodeClosing: AsyncDisposableStack): Promise<void> {
    const { closing = nodeClosing } = seat;
    const running = await startSeat(seat, ports);
    if (closing.disposed) return running.close();
    this.running.push(running);
    closing.defer(() => running.close());
    void seat.until?.then(() => this.#leave(running, ports));
    if (seat.isNext === true) closing.defer(this.#own?.add(running) ?? (() => {}));
    if (this.#remote === undefined)
      this.#own ??= new RotatingSeats(ports.core.chain, running, ports.log.part('validator'));
    this.isWaiting = false;
    // The report follows the chain from the first seat on, whether it is read or not.
    void this.report;
  }

  #leave(running: RunningSeat, { onFatal }: SeatPorts): void {
    this.running.splice(this.running.indexOf(running), 1);
    running.close().catch(onFatal);
  }
}

/** A start error of a removed validator names the removal: advice about its key or record is of no use then. */
async function startSeat(seat: Seat, ports: SeatPorts): Promise<RunningSeat> {
  try {
    return await RunningSeat.start(seat, ports);
  } catch (error) {
    if (!(error instanceof ValidatorStartError)) throw error;
    const { view } = ports.core.chain;
    const id = holderOf(view, seat.key);
    const validator = id === null ? undefined : view.get('validators', id);
    const removal = validator === undefined ? null : removalOf(validator);
    if (removal === null) throw error;
    throw new ValidatorHistoryError(
      `${removalMessage(removal)}; take the section validator out of the configuration, and the node runs without it`,
    );
  }
}
