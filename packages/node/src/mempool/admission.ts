/**
 * How a submission gets into the pool: the cheap checks, one call to a worker for its signatures, then the
 * checks again that may have changed meanwhile. A submission is answered when it is on the disk.
 */
import type { Admission, Chain, Origin } from 'svc-serve/ports';
import { equalBytes, isRefusal } from 'svc-wasm/base';
import { type SignatureChecks, WorkersError } from '../workers/signature-checks.ts';
import { type CheckedInputs, operationConflict, StateChecks } from './checks.ts';
import type { PoolContents } from './pool-contents.ts';
import { SubmittedTransaction } from './pooled-transaction.ts';
import { type Known, known, type Refused, RefusedWires, refuse, refuseFor } from './refusals.ts';
import { replacementFault } from './replacement.ts';

export interface AdmissionPorts {
  readonly chain: Chain;
  readonly workers: Pick<SignatureChecks, 'checkTransaction' | 'hasRoom'>;
  readonly contents: PoolContents;
}

/** A submission that is being checked. */
interface Flight {
  readonly submitted: SubmittedTransaction;
  admission: Promise<Admission> | undefined;
}

export class Admissions {
  readonly #ports: AdmissionPorts;
  readonly #checks: StateChecks;
  readonly #refused = new RefusedWires();
  readonly #inFlight = new Map<string, Flight>();

  constructor(ports: AdmissionPorts) {
    this.#ports = ports;
    this.#checks = new StateChecks(ports.chain);
  }

  submit(wire: Uint8Array, origin: Origin): Promise<Admission> {
    const submitted = this.decode(wire, origin);
    if ('type' in submitted) return Promise.resolve(submitted);
    const twin = this.#inFlight.get(submitted.id);
    return twin?.admission !== undefined && equalBytes(twin.submitted.wire, submitted.wire)
      ? this.#follow(submitted, twin.admission)
      : this.#start(submitted);
  }

  #start(submitted: SubmittedTransaction): Promise<Admission> {
    const flight: Flight = { submitted, admission: undefined };
    this.#inFlight.set(submitted.id, flight);
    const admission = this.#admit(submitted);
    flight.admission = admission;
    return admission;
  }

  /** Answers a second submission of bytes that are being checked, without checking them twice. */
  async #follow({ id }: SubmittedTransaction, twin: Promise<Admission>): Promise<Admission> {
    const admission = await twin;
    return admission.type === 'accepted' ? known(id) : admission;
  }

  /** Keeps the bytes, and copies them only if a larger buffer would be kept with them. */
  decode(bytes: Uint8Array, origin: Origin): SubmittedTransaction | Refused {
    const wire = bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
    try {
      return new SubmittedTransaction(this.#ports.chain.transactions.decodeOwn(wire), wire, origin);
    } catch (error) {
      if (isRefusal(error)) return refuseFor(error);
      throw error;
    }
  }

  /** All checks but signatures; inputs that were checked at the same head are not looked up again. */
  check(submitted: SubmittedTransaction, earlier?: CheckedInputs): CheckedInputs | Refused | Known {
    const { chain, contents } = this.#ports;
    const { index } = contents;
    const conflict = operationConflict(index, submitted);
    if (conflict !== null) return conflict;
    const isCurrent = earlier?.height === chain.head.height;
    const checked = isCurrent ? earlier : this.#checks.check(submitted);
    if (checked.type !== 'checked') return checked;
    const { minFeePerMass } = chain.parameters;
    const stays = replacementFault(index, submitted, checked.fee, minFeePerMass);
    if (stays !== null) return stays;
    if (contents.hasRoom(submitted, checked.fee)) return checked;
    return refuse('mempool_full', 'expected a better fee rate than the lowest that waits');
  }

  /** Why the signatures of a transaction do not hold, or null. */
  async checkSignatures(
    submitted: SubmittedTransaction,
    checked: CheckedInputs,
  ): Promise<Refused | null> {
    const { workers, chain } = this.#ports;
    const request = this.#checks.verifyRequest(submitted, checked);
    if ('type' in request) return request;
    if (!workers.hasRoom('submission'))
      return refuse('overloaded', 'too many signatures wait to be checked');
    try {
      const refusal = await workers.checkTransaction(request, 'submission');
      if (refusal !== null) return this.#remember(submitted, refuseFor(refusal));
    } catch (error) {
      if (error instanceof WorkersError) return refuse('unavailable', error.message);
      throw error;
    }
    chain.transactions.accept(submitted.transaction, checked.spent, checked.owner);
    return null;
  }

  async #admit(submitted: SubmittedTransaction): Promise<Admission> {
    const { contents } = this.#ports;
    const { id, wire } = submitted;
    try {
      const first = this.#knownHere(id) ?? this.#refused.get(id, wire) ?? this.check(submitted);
      if (!('type' in first) || first.type !== 'checked') return await first;
      const refused = await this.checkSignatures(submitted, first);
      if (contents.store.failure !== undefined) throw contents.store.failure;
      if (refused !== null) return refused;
      if (contents.store.isClosed) return refuse('unavailable', 'the mempool was closed meanwhile');
      const second = this.#knownHere(id) ?? this.check(submitted, first);
      if (!('type' in second) || second.type !== 'checked') return await second;
      await contents.insert(submitted, second);
      return { type: 'accepted', id };
    } finally {
      if (this.#inFlight.get(id)?.submitted === submitted) this.#inFlight.delete(id);
    }
  }

  /** Answers `known` only once the pooled copy is durable. */
  #knownHere(id: string): Promise<Known> | undefined {
    const pooled = this.#ports.contents.index.get(id);
    if (pooled === undefined) return undefined;
    return (pooled.written ?? Promise.resolve()).then(() => known(id));
  }

  #remember({ id, wire }: SubmittedTransaction, refused: Refused): Refused {
    this.#refused.remember(id, wire, refused);
    return refused;
  }
}
