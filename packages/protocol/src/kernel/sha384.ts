/**
 * SHA-384 for the host. Identifiers of many nodes are made in batches inside the kernel; this is for
 * single values.
 */
import { expectBytes } from '../base/bytes.ts';
import { kernel } from './current.ts';
import type { KernelInstance } from './instance.ts';

const SHA384_BYTES = 48;

function hashInParts(instance: KernelInstance, bytes: Uint8Array): void {
  const partBytes = instance.inputBytes;
  instance.invoke((exports) => exports.sha384Begin());
  for (let at = 0; at < bytes.length; at += partBytes) {
    const part = bytes.subarray(at, at + partBytes);
    instance.bytes.set(part, instance.input);
    instance.invoke((exports) => exports.sha384Update(instance.input, part.length));
  }
  instance.invoke((exports) => exports.sha384End(instance.output));
}

export function sha384With(instance: KernelInstance, bytes: Uint8Array): Uint8Array {
  const { input, output } = instance;
  if (bytes.length <= instance.inputBytes) {
    instance.bytes.set(bytes, input);
    instance.invoke((exports) => exports.sha384(input, bytes.length, output));
  } else {
    hashInParts(instance, bytes);
  }
  return instance.bytes.slice(output, output + SHA384_BYTES);
}

export function sha384(bytes: Uint8Array): Uint8Array {
  return sha384With(kernel(), expectBytes(bytes, 'bytes'));
}
