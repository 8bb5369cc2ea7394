/**
 * The 48 bytes that keys sign; `docs/protocol.md` 4.5. They are made in the kernel, by the code that
 * checks signatures.
 */
import { ID_BYTES, TABLE_CONSENSUS_KEY, TABLE_MESSAGE } from '../../assembly/transaction/layout.ts';
import { expectInteger } from '../base/integer.ts';
import { SvcError } from '../base/svc-error.ts';
import { kernel } from '../kernel/current.ts';
import type { KernelExports } from '../kernel/exports.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { ARGUMENTS_AT, BYTES_AT, decodeBody, decodeKeptBody } from './decode.ts';
import { parsePreviousOutput, readPreviousOutput } from './previous-output.ts';
import type { TransactionTable } from './table.ts';

/** An output that an input spends: who could spend it, and its decimal atoms. */
export interface PreviousOutput {
  readonly address: string;
  readonly amount: string;
}

/** Runs a message call on the body that was decoded last. */
function takeMessage(call: (exports: KernelExports) => void): Uint8Array {
  const instance = kernel();
  instance.invoke(call);
  const at = instance.output + TABLE_MESSAGE;
  return instance.bytes.slice(at, at + ID_BYTES);
}

/** What the key behind an input signs; the previous output is the one that the input spends. */
export function spendMessage(
  body: Uint8Array,
  index: number,
  previousOutputJson: string,
  manifestJson: string,
): Uint8Array {
  const manifest = parseManifest(manifestJson);
  const previousOutput = parsePreviousOutput(previousOutputJson, manifest.network);
  return messageOf(decodeBody(body, manifest), index, previousOutput);
}

/** As `spendMessage`, for a body that was made here and a previous output that is no text. */
export function makeSpendMessage(
  body: TransactionTable,
  index: number,
  previousOutput: PreviousOutput,
  manifest: Manifest,
): Uint8Array {
  const { address, amount } = previousOutput;
  const spent = readPreviousOutput({ address, amount }, manifest.network, 'previous_output');
  return messageOf(decodeKeptBody(body.bytes, manifest, 'body'), index, spent);
}

/** The body is the one that was decoded last. */
function messageOf(
  { inputCount }: TransactionTable,
  index: number,
  previousOutput: Uint8Array,
): Uint8Array {
  expectInteger(index, 'index', 0, inputCount - 1);
  const instance = kernel();
  const previousAt = instance.input + ARGUMENTS_AT;
  instance.bytes.set(previousOutput, previousAt);
  return takeMessage((exports) => exports.txSpendMessage(index, previousAt));
}

/** What the owner of an operation signs. */
export function operationMessage(body: Uint8Array, manifestJson: string): Uint8Array {
  if (decodeBody(body, parseManifest(manifestJson)).operation === 0) {
    throw new SvcError('no_operation', 'the body has no operation to sign', { path: 'body' });
  }
  return takeMessage((exports) => exports.txOperationMessage());
}

/** What the consensus key that an operation names signs. */
export function possessionMessage(body: Uint8Array, manifestJson: string): Uint8Array {
  const table = decodeBody(body, parseManifest(manifestJson));
  if (table.u32(TABLE_CONSENSUS_KEY) === 0) {
    throw new SvcError('possession_unexpected', 'no operation that names a consensus key', {
      path: 'body',
    });
  }
  const bytesAt = kernel().input + BYTES_AT;
  return takeMessage((exports) => exports.txPossessionMessage(bytesAt));
}
