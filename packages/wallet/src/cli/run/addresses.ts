/**
 * `svc-wallet address` and `receive`. Only the address or the payment URI goes to standard output, so that a script can use it.
 */
import { CliError, EXIT, note, result, resultJson } from 'svc-base/cli';
import { addressFromPublicKey, addressVerificationWords } from 'svc-wasm';
import { ACCOUNT } from '../../keys/key-ring.ts';
import { given } from '../../methods/method.ts';
import { openKeys } from '../keys.ts';
import { type CommandOptions, textOf, usage, walletPlace } from '../options.ts';
import { withSession } from '../session/open-session.ts';

interface Shown {
  readonly address: string;
  readonly index: number;
  readonly words: string;
}

export async function showAddress(options: CommandOptions): Promise<void> {
  const shown = await find(options);
  if (options['json'] === true) {
    resultJson(shown);
    return;
  }
  note(`words to compare it with: ${shown.words}`);
  result(shown.address);
}

async function find(options: CommandOptions): Promise<Shown> {
  const label = textOf(options, 'label');
  const request_id = textOf(options, 'requestId');
  for (const [flag, value] of Object.entries({ '--label': label, '--request-id': request_id })) {
    if (value !== undefined && options['new'] !== true) throw usage(`${flag} goes with --new`);
  }
  const index = options['index'] as number | undefined;
  if (index !== undefined) return await derive(options, index);
  return await withSession(options, 'chain', 'address', async (session) => {
    if (options['new'] !== true) return await session.call('receive', {});
    const given = await session.call('new_address', {
      ...(label === undefined ? {} : { label }),
      ...(request_id === undefined ? {} : { request_id }),
    });
    if (given.mismatch === true) throw usedBefore(request_id as string, given.address);
    return given;
  });
}

function usedBefore(requestId: string, address: string): CliError {
  const message = `request id ${requestId} was used before with another label; no address was given out now`;
  const hint = `it gave out ${address}; a new address needs a name of its own`;
  return new CliError(EXIT.refused, message, { hint });
}

async function derive(options: CommandOptions, index: number): Promise<Shown> {
  const { root, network } = await openKeys(walletPlace(options));
  const publicKey = root.derivePublicKey(ACCOUNT, 0, index);
  root.free();
  const address = addressFromPublicKey(publicKey, network);
  return { address, index, words: addressVerificationWords(address) };
}

export async function showPaymentRequest(options: CommandOptions): Promise<void> {
  const request = await withSession(options, 'chain', 'receive', (session) =>
    session.call(
      'receive',
      given({
        amount: textOf(options, 'amount'),
        label: textOf(options, 'label'),
        message: textOf(options, 'message'),
      }),
    ),
  );
  if (options['json'] === true) {
    resultJson(request);
    return;
  }
  if (options['qr'] === true) {
    const { default: encodeQr } = await import('qr');
    note(encodeQr(request.uri, 'ascii', { ecc: 'medium' }));
  }
  note(`words to compare the address with: ${request.words}`);
  result(request.uri);
}
