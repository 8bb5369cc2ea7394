/**
 * The validators to be connected to, with what they registered and what they announced since.
 */
import { isRefusal } from 'svc-wasm/base';
import { decodeOverlayEndpoint, type OverlayEndpoint, type Route } from './endpoint.ts';
import { TARGET_HEX } from './link-bytes.ts';
import type { RecordBook } from './record.ts';

export interface OverlayMember {
  readonly validatorId: string;
  /** As registered on the chain. */
  readonly endpoint: Uint8Array;
}

export class Members {
  readonly #ownId: string;
  readonly #records: RecordBook;
  #endpoints = new Map<string, OverlayEndpoint>();
  #byTarget = new Map<string, string>();
  #own: OverlayEndpoint | undefined;

  constructor(ownId: string, records: RecordBook) {
    this.#ownId = ownId;
    this.#records = records;
  }

  /** Replaces the members; one whose endpoint cannot be read is left out. */
  set(members: readonly OverlayMember[]): void {
    this.#endpoints = new Map();
    this.#own = undefined;
    for (const { validatorId, endpoint } of members) {
      const decoded = tryDecode(endpoint);
      if (decoded === undefined) continue;
      if (validatorId === this.#ownId) this.#own = decoded;
      else this.#endpoints.set(validatorId, decoded);
    }
    this.#byTarget = new Map([...this.#endpoints.keys()].map((id) => [targetOf(id), id]));
    this.#records.keepOnly((id) => this.has(id) || id === this.#ownId);
  }

  /** The ids of all members but this validator. */
  get ids(): string[] {
    return [...this.#endpoints.keys()];
  }

  has(validatorId: string): boolean {
    return this.#endpoints.has(validatorId);
  }

  byTarget(target: string): string | undefined {
    return this.#byTarget.get(target);
  }

  keyHashOf(validatorId: string): string | undefined {
    return this.#endpoints.get(validatorId)?.keyHash;
  }

  /** Whether others can dial this validator. */
  get isOwnRouted(): boolean {
    return (this.#own?.routes.length ?? 0) > 0;
  }

  get ownKeyHash(): string | undefined {
    return this.#own?.keyHash;
  }

  routesOf(validatorId: string): readonly Route[] {
    const announced = this.#records.get(validatorId)?.routes ?? [];
    return announced.length > 0 ? announced : (this.#endpoints.get(validatorId)?.routes ?? []);
  }
}

export function targetOf(validatorId: string): string {
  return validatorId.slice(0, TARGET_HEX);
}

function tryDecode(endpoint: Uint8Array): OverlayEndpoint | undefined {
  try {
    return decodeOverlayEndpoint(endpoint);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
