/**
 * Text in blocks of few sizes: length, text, zeros. Only the smallest block that fits is accepted.
 */
import { SvcError } from '../base/svc-error.ts';
import { decodeUtf8, encodeUtf8 } from '../base/utf8.ts';
import { Writer } from '../base/writer.ts';
import { LENGTH_BYTES, PADDED_BYTES, TEXT_BYTES_MAX } from './limits.ts';

export function padText(text: string, path: string): Uint8Array {
  const bytes = encodeUtf8(text);
  if (bytes.length === 0 || bytes.length > TEXT_BYTES_MAX) {
    const found = `expected 1 to ${TEXT_BYTES_MAX} bytes, found ${bytes.length}`;
    throw new SvcError('bad_length', found, { path });
  }
  const size = paddedSize(bytes.length);
  const zeros = new Uint8Array(size - LENGTH_BYTES - bytes.length);
  return new Writer(size).u16(bytes.length).raw(bytes).raw(zeros).finish();
}

export function unpadText(block: Uint8Array, path: string): string {
  const length = (block[0] as number) | ((block[1] as number) << 8);
  const end = LENGTH_BYTES + length;
  const fits = length > 0 && end <= block.length && paddedSize(length) === block.length;
  if (!fits || block.subarray(end).some((byte) => byte !== 0)) {
    throw new SvcError('bad_payload', 'the padding of the text is wrong', { path });
  }
  return decodeUtf8(block.subarray(LENGTH_BYTES, end), path, 'bad_payload');
}

function paddedSize(length: number): number {
  return PADDED_BYTES.find((step) => step >= length + LENGTH_BYTES) ?? 0;
}
