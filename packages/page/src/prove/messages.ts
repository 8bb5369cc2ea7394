/**
 * Messages between the page and its worker. Each order has a number that its replies carry.
 */
import type { Claim, Report, Step, TrustDocument, VerifiedEvidence } from 'svc-client/evidence';
import type { PaymentUriRequest } from 'svc-wasm';
import type { PayOrder } from './pay.ts';
import type { WalletAnswer, WalletOrder } from './tab-wallet.ts';

/** What the tools ask the module for; the outcome is a text. */
export type ToolOrder =
  | { readonly tool: 'words'; readonly address: string }
  | { readonly tool: 'uri'; readonly request: PaymentUriRequest }
  | { readonly tool: 'addresses'; readonly words: string; readonly network: string }
  | { readonly tool: 'decode'; readonly hex: string }
  | { readonly tool: 'payload'; readonly hex: string };

export type Order =
  | {
      readonly type: 'prove';
      readonly claims: readonly Claim[];
      readonly trust: TrustDocument | undefined;
    }
  /** Checks an evidence file, handed over as its bytes. */
  | { readonly type: 'verify'; readonly file: ArrayBuffer }
  /** Reads a saved checkpoint; with trust, it has to continue what was certified before. */
  | {
      readonly type: 'checkpoint';
      readonly text: string;
      readonly trust: TrustDocument | undefined;
    }
  /** Pins the cut that a text `height:id` names. */
  | { readonly type: 'pin'; readonly name: string; readonly trust: TrustDocument | undefined }
  | { readonly type: 'tool'; readonly order: ToolOrder }
  | { readonly type: 'pay'; readonly order: PayOrder }
  | { readonly type: 'wallet'; readonly order: WalletOrder };

export type Reply =
  | { readonly type: 'step'; readonly step: Step }
  | { readonly type: 'report'; readonly report: Report }
  | { readonly type: 'verified'; readonly verified: VerifiedEvidence }
  | { readonly type: 'trusted'; readonly trust: TrustDocument }
  | { readonly type: 'computed'; readonly text: string }
  | { readonly type: 'paid'; readonly id: string }
  | { readonly type: 'wallet'; readonly answer: WalletAnswer }
  | { readonly type: 'failed'; readonly reason: string };

export interface Numbered<T> {
  readonly number: number;
  readonly message: T;
}
