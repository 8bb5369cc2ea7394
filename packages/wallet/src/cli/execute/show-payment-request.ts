/**
 * `svc-wallet receive`: the payment URI on standard output, and a QR code for people.
 */
import { note, result, resultJson } from 'svc-base/cli';
import { given } from '../../methods/params.ts';
import { withSession } from '../session/open-session.ts';
import { type CommandOptions, textOf } from '../values.ts';

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
