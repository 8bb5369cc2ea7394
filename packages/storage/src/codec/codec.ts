/**
 * One encoding of one kind of value.
 */
import type { Packer } from './packer.ts';
import { Unpacker } from './unpacker.ts';

export interface Codec<T> {
  pack(packer: Packer, value: T): void;
  unpack(unpacker: Unpacker): T;
}

export function packed<T>(packer: Packer, codec: Codec<T>, value: T): Uint8Array {
  codec.pack(packer, value);
  return packer.finish();
}

export function unpacked<T>(codec: Codec<T>, bytes: Uint8Array, what: string): T {
  const unpacker = new Unpacker(bytes, what);
  const value = codec.unpack(unpacker);
  unpacker.end();
  return value;
}
