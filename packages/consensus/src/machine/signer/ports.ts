/**
 * What the signer needs from the machine it runs on. Calls are synchronous: between the question
 * and the durable answer nothing else may happen to the key.
 */
import type { MessageKind } from '../base/messages.ts';

export interface SignStateStorage {
  /** The record's bytes; `undefined` if there is none. */
  read(): Uint8Array | undefined;
  /** The four steps of replacing the record so that a crash leaves the old or the new one. */
  writeTemporary(bytes: Uint8Array): void;
  syncTemporary(): void;
  renameTemporary(): void;
  syncDirectory(): void;
  /**
   * For storage that does not outlive the process, in place of the four steps: the bytes are made only when they are
   * read.
   */
  replaceLater?(make: () => Uint8Array): void;
}

/** Held as long as the key is in use, by the process that may write to the folder of its record. */
export interface KeyLock {
  /** Whether this process now is the only one on the machine that holds the key. */
  acquire(keyId: Uint8Array): boolean;
  release(): void;
}

export interface ConsensusKey {
  readonly id: Uint8Array;
  /** The kind of message decides the context that the signature is made for. */
  sign(signedBytes: Uint8Array, kind: MessageKind): Uint8Array;
}
