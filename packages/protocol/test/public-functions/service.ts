/** Signed answers of a service, signed here by the published layout. */
import type { PublicCheck } from './check.ts';
import { bytesOf, document, equal, hex, integer, refuses, unhex } from './check.ts';
import { CHAIN_ID } from './fixture.ts';

const NONCE = '11'.repeat(32);
const BODY = '{"api_version":1}';

const answers: PublicCheck = {
  functions: ['serviceIdentityForPublicKey', 'verifyServiceResponse'],
  run: (svc, kernel) => {
    const { publicKey, secretKey } = kernel.mlDsa65.keygen(new Uint8Array(32).fill(3));
    const identity = svc.serviceIdentityForPublicKey(publicKey);
    const counted = (text: string) => bytesOf(Uint8Array.of(text.length), text);
    const signed = kernel.sha384(
      bytesOf(
        'SVC_HTTP_V1',
        Uint8Array.of(1),
        counted('GET'),
        counted('/v1/chain/head'),
        counted(''),
        integer(200, 2),
        counted(BODY),
        unhex(NONCE),
        unhex(CHAIN_ID),
        integer(77, 8),
      ),
    );
    const context = new TextEncoder().encode('svc/http/v1');
    const signature = kernel.mlDsa65.sign(secretKey, signed, { context });
    const exchange = {
      method: 'GET',
      target: '/v1/chain/head',
      request_body_hex: '',
      status: '200',
      response_body_hex: hex(new TextEncoder().encode(BODY)),
      headers: {
        'x-svc-envelope-version': '1',
        'x-svc-node-identity': identity,
        'x-svc-request-nonce': NONCE,
        'x-svc-tip-height': '77',
        'x-svc-signature': hex(signature),
      },
      public_key_hex: hex(publicKey),
      identity,
      nonce: NONCE,
      chain_id: CHAIN_ID,
    };
    const verified = svc.verifyServiceResponse(JSON.stringify(exchange));
    equal(document(verified)['finalized_height'], '77', 'height');
    const changed = { ...exchange, status: '404' };
    refuses(svc, 'bad_signature', () => svc.verifyServiceResponse(JSON.stringify(changed)));
    return [verified];
  },
};

export const serviceChecks: readonly PublicCheck[] = [answers];
