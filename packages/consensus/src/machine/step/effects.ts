/**
 * Everything the machine asks for. Effects are carried out in order: what follows a `sync` must not
 * happen before all that was appended and stored is on disk.
 */
import type {
  CommitCertificate,
  PolkaCertificate,
  SignedMessage,
  Summary,
  UnsignedMessage,
} from '../base/messages.ts';
import type { RoundTimer } from '../base/timing.ts';
import type { Bitmap, CutId, Height, Round, ValidatorIndex } from '../base/types.ts';
import type { Conflict } from '../keeper/vote-keeper.ts';
import type { Input } from './inputs.ts';

export type PeerMessage = SignedMessage | CommitCertificate | PolkaCertificate | Summary;

export type Effect =
  /** Starts the log of a new height; what the log held before is no longer needed. */
  | { readonly type: 'resetLog'; readonly height: Height }
  | { readonly type: 'append'; readonly input: Input }
  | { readonly type: 'sync' }
  /** The signer answers with the input `signed` or `signRefused`. */
  | { readonly type: 'sign'; readonly message: UnsignedMessage }
  | { readonly type: 'broadcast'; readonly message: PeerMessage }
  | { readonly type: 'send'; readonly to: ValidatorIndex; readonly message: PeerMessage }
  /** To a peer that is behind: the certificate of its height from the store. */
  | { readonly type: 'sendDecision'; readonly to: ValidatorIndex; readonly height: Height }
  | { readonly type: 'scheduleStart'; readonly height: Height; readonly atMs: bigint }
  | {
      readonly type: 'schedule';
      readonly timer: RoundTimer;
      readonly height: Height;
      readonly round: Round;
      readonly delayMs: number;
    }
  | { readonly type: 'scheduleAntiEntropy'; readonly height: Height; readonly delayMs: number }
  | {
      readonly type: 'buildCut';
      readonly height: Height;
      readonly round: Round;
      /** What the header says about the previous height. */
      readonly previousRound: Round;
      readonly previousSigners: Bitmap;
    }
  /** The application answers with the input `verdict`, and again once `unknown` has resolved. */
  | {
      readonly type: 'validateCut';
      readonly height: Height;
      readonly value: CutId;
      readonly from: ValidatorIndex;
    }
  /** A decided cut is missing here: fetch it from any peer, then give a verdict. */
  | { readonly type: 'fetchCut'; readonly height: Height; readonly value: CutId }
  | {
      readonly type: 'fetchPolka';
      readonly from: ValidatorIndex;
      readonly height: Height;
      readonly round: Round;
      readonly value: CutId;
    }
  /** Late precommits of the cut before, asked for while there is nothing else to do. */
  | {
      readonly type: 'fetchPrecommits';
      readonly from: ValidatorIndex;
      readonly height: Height;
      readonly round: Round;
      readonly signers: Bitmap;
    }
  /**
   * Header, list and every body of a cut found valid: durable with the next `sync`, and so before
   * any vote for it exists.
   */
  | { readonly type: 'storeCut'; readonly height: Height; readonly value: CutId }
  | { readonly type: 'evidence'; readonly conflict: Conflict }
  | { readonly type: 'decide'; readonly certificate: CommitCertificate };
