/**
 * The frozen `wallet.json`, for vectors that are made from it.
 */
import { readFileSync } from 'node:fs';

export interface WalletVectors {
  readonly wallet_file: { contents: string; password: string; file_hex: string };
  readonly address_proof: { request: Record<string, string>; proof: Record<string, string> };
  readonly service_answer: {
    readonly method: string;
    readonly target: string;
    readonly request_body_hex: string;
    readonly status: string;
    readonly response_body_hex: string;
    readonly nonce: string;
    readonly chain_id: string;
    readonly headers: Record<string, string>;
  };
  readonly recipient_payloads: { entries: object; payload_hex: string };
  readonly chat: {
    readonly request_payload_hex: string;
    readonly accept_payload_hex: string;
    readonly from_requester: { readonly payload_hex: string };
  };
}

export function walletVectors(): WalletVectors {
  const url = new URL('../../../../vectors/wallet.json', import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as WalletVectors;
}
