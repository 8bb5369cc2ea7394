/**
 * `svc-wallet address`: only the address goes to standard output, so that a script can use it as it is.
 */
import { CliError, EXIT, note, result, resultJson } from 'svc-base/cli';
import { addressFromPublicKey, addressVerificationWords } from 'svc-wasm';
import { ACCOUNT } from '../../keys/key-ring.ts';
import { openKeys } from '../session/open-keys.ts';
import { withSession } from '../session/open-session.ts';
import { type CommandOptions, textOf, usage } from '../values.ts';
import { walletPlace } from '../wallet-options.ts';

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
