/**
 * How a submission gets in: the cheap checks, one call to a worker for its signatures, then the checks again
 * that may have changed meanwhile. It is answered when it is on the disk.
 */
import { equalBytes, isRefusal } from 'svc-wasm/base';
import type { Chain } from '../ports/chain.ts';
import type { Admission, Origin } from '../ports/mempool.ts';
import { WorkersError } from '../workers/errors.ts';
import type { SignatureWorkers } from '../workers/signature-workers.ts';
import { Applicant } from './applicant.ts';
import { conflictWith } from './pool-checks.ts';
import type { PoolCore } from './pool-core.ts';
import { type Known, known, type Refused, refuse, refuseFor } from './refusal.ts';
import { RefusedWires } from './refused-wires.ts';
import { type Findings, StateChecks } from './state-checks.ts';

export interface AdmissionPorts {
  readonly chain: Chain;
  readonly workers: Pick<SignatureWorkers, 'checkTransaction' | 'hasRoom'>;
  readonly core: PoolCore;
}

interface Flight {
  readonly applicant: Applicant;
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
    const applicant = this.decode(wire, origin);
    if ('type' in applicant) return Promise.resolve(applicant);
    const twin = this.#inFlight.get(applicant.id);
    return twin?.admission !== undefined && equalBytes(twin.applicant.wire, applicant.wire)
      ? this.#follow(applicant, twin.admission)
      : this.#start(applicant);
  }

  #start(applicant: Applicant): Promise<Admission> {
    const { id } = applicant;
    const flight: Flight = { applicant, admission: undefined };
    this.#inFlight.set(id, flight);
    const admission = this.#admit(applicant);
    flight.admission = admission;
    return admission;
  }

  /** The same bytes twice at once are checked once. */
  async #follow({ id }: Applicant, twin: Promise<Admission>): Promise<Admission> {
    const admission = await twin;
    return admission.type === 'accepted' ? known(id) : admission;
  }

  /** Keeps the bytes, unless they are a part of something larger that would be kept with them. */
  decode(bytes: Uint8Array, origin: Origin): Applicant | Refused {
    const wire = bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
    try {
      return new Applicant(this.#ports.chain.transactions.decodeOwn(wire), wire, origin);
    } catch (error) {
      if (isRefusal(error)) return refuseFor(error);
      throw error;
    }
  }

  /** All checks but signatures; what was found at the same head earlier is not looked up again. */
  check(applicant: Applicant, earlier?: Findings): Findings | Refused | Known {
    const { chain, core } = this.#ports;
    const conflict = conflictWith(core.index, applicant);
    if (conflict !== null) return conflict;
    const isCurrent = earlier?.height === chain.head.height;
    const found = isCurrent ? earlier : this.#checks.look(applicant);
    if (found.type !== 'found' || core.hasRoom(applicant, found.fee)) return found;
    return refuse('mempool_full', 'expected a better fee rate than the lowest that waits');
  }

  /** Why the signatures of a transaction do not hold, or null. */
  async checkSignatures(applicant: Applicant, found: Findings): Promise<Refused | null> {
    const { workers, chain } = this.#ports;
    const request = this.#checks.request(applicant, found);
    if ('type' in request) return request;
    if (!workers.hasRoom('submission'))
      return refuse('overloaded', 'too many signatures wait to be checked');
    try {
      const refusal = await workers.checkTransaction(request, 'submission');
      if (refusal !== null) return this.#remember(applicant, refuseFor(refusal));
    } catch (error) {
      if (error instanceof WorkersError) return refuse('unavailable', error.message);
      throw error;
    }
    chain.transactions.accept(applicant.transaction, found.spent, found.owner);
    return null;
  }

  async #admit(applicant: Applicant): Promise<Admission> {
    const { core } = this.#ports;
    const { id, wire } = applicant;
    try {
      const first = this.#knownHere(id) ?? this.#refused.get(id, wire) ?? this.check(applicant);
      if (!('type' in first) || first.type !== 'found') return await first;
      const refused = await this.checkSignatures(applicant, first);
      if (core.store.failure !== undefined) throw core.store.failure;
      if (refused !== null) return refused;
      if (core.store.isClosed) return refuse('unavailable', 'the mempool was closed meanwhile');
      const second = this.#knownHere(id) ?? this.check(applicant, first);
      if (!('type' in second) || second.type !== 'found') return await second;
      await core.insert(applicant, second);
      return { type: 'accepted', id };
    } finally {
      if (this.#inFlight.get(id)?.applicant === applicant) this.#inFlight.delete(id);
    }
  }

  /** What is known is on the disk, or is not known. */
  #knownHere(id: string): Promise<Known> | undefined {
    const entry = this.#ports.core.index.get(id);
    if (entry === undefined) return undefined;
    return (entry.written ?? Promise.resolve()).then(() => known(id));
  }

  #remember({ id, wire }: Applicant, refused: Refused): Refused {
    this.#refused.remember(id, wire, refused);
    return refused;
  }
}
