/** The chain of a process that is killed, and payments in a file: lengths and bytes. */
import type { SettingOptions } from './setting.ts';

export const CRASH_SETTING: SettingOptions = { accounts: 4, coinsEach: 80 };

export function writeWires(wires: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    wires.flatMap((wire) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(wire.length);
      return [length, wire];
    }),
  );
}

export function readWires(file: Buffer): Uint8Array[] {
  const wires: Uint8Array[] = [];
  for (let at = 0; at < file.length; ) {
    const length = file.readUInt32LE(at);
    wires.push(new Uint8Array(file.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return wires;
}
