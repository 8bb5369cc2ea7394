/**
 * The way between validators. Messages are bytes of `svc-finality`'s wire forms; who a validator is, is told
 * by its id. Delivery is not promised: the machine repairs losses by itself.
 */
export interface OverlayMember {
  readonly validatorId: string;
  /** As registered on the chain. */
  readonly endpoint: Uint8Array;
}

export interface ValidatorOverlay {
  /** Validators with a direct connection now. */
  neighbours(): readonly string[];
  broadcast(message: Uint8Array): void;
  send(validatorId: string, message: Uint8Array): void;
  /** Replaces the listener. */
  listen(listener: (from: string, message: Uint8Array) => void): void;
  /** Who sits in the committee now and in the next epoch. */
  setCommittee(members: readonly OverlayMember[]): void;
}
