/**
 * A worker that certifies one cut again and again and posts how long each time took, in milliseconds: from the bytes of header,
 * certificate and set to a certified cut. The set is decoded each time, with its hash; keys stay expanded after the first.
 */
import { certifyCut, init } from 'svc-wasm/inline';

/** What the worker has to certify, and how often. */
export interface CertificateOrder {
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  readonly validatorSet: Uint8Array;
  readonly chainId: Uint8Array;
  readonly times: number;
}

declare function postMessage(millis: readonly number[]): void;

addEventListener('message', (event) => {
  const { data } = event as MessageEvent<CertificateOrder>;
  void init().then(() => postMessage(certify(data)));
});

function certify({ times, ...order }: CertificateOrder): number[] {
  return Array.from({ length: times }, () => {
    const began = performance.now();
    certifyCut(order.header, order.certificate, order.validatorSet, order.chainId);
    return performance.now() - began;
  });
}
