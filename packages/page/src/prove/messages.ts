/**
 * Messages between the page and its worker. Each order has a number that its replies carry.
 */
import type { Claim, Evidence, Report, Step, TrustDocument } from 'svc-client/evidence';
import type { PayOrder } from './pay.ts';

export type Order =
  | { readonly type: 'prove'; readonly claim: Claim; readonly trust: TrustDocument | undefined }
  | { readonly type: 'replay'; readonly evidence: Evidence }
  | { readonly type: 'words'; readonly address: string }
  | { readonly type: 'pay'; readonly order: PayOrder };

export type Reply =
  | { readonly type: 'step'; readonly step: Step }
  | { readonly type: 'report'; readonly report: Report }
  | { readonly type: 'words'; readonly words: string }
  | { readonly type: 'paid'; readonly id: string }
  | { readonly type: 'failed'; readonly reason: string };

export interface Numbered<T> {
  readonly number: number;
  readonly message: T;
}
