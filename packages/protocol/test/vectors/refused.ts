/**
 * Vectors of what must be refused. The code is the one that the module gives; bytes that it accepts
 * make the vector wrong and stop the run.
 */
import { concatBytes, toHex } from '../../src/base/bytes.ts';
import { SvcError } from '../../src/base/svc-error.ts';

export function codeOf(name: string, read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
  throw new Error(`${name} is accepted`);
}

/** For each named byte string: the name, the bytes under `field`, and the code. */
export function refusedBytes(
  field: string,
  decode: (bytes: Uint8Array) => unknown,
  cases: Readonly<Record<string, Uint8Array>>,
): object[] {
  return Object.entries(cases).map(([name, bytes]) => ({
    name,
    [field]: toHex(bytes),
    code: codeOf(name, () => decode(bytes)),
  }));
}

/** As `refusedBytes`, for texts. */
export function refusedTexts(
  field: string,
  read: (text: string) => unknown,
  cases: Readonly<Record<string, string>>,
): object[] {
  return Object.entries(cases).map(([name, text]) => ({
    name,
    [field]: text,
    code: codeOf(name, () => read(text)),
  }));
}

/** A copy with other bytes from an offset on. */
export function withBytes(bytes: Uint8Array, at: number, ...values: number[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy.set(values, at);
  return copy;
}

/** The same bytes one short, and one long. */
export function otherLengths(bytes: Uint8Array): Record<string, Uint8Array> {
  return {
    'one byte short': bytes.slice(0, -1),
    'one byte long': concatBytes(bytes, Uint8Array.of(0)),
  };
}
