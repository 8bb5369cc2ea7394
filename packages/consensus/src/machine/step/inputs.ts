/**
 * Everything that can happen to the machine. Messages come with their signatures checked.
 */
import type {
  CommitCertificate,
  PolkaCertificate,
  Proposal,
  SignedMessage,
  Summary,
  UnsignedMessage,
  Vote,
} from '../base/messages.ts';
import type { RoundTimer } from '../base/timing.ts';
import type { Bitmap, CutId, Height, Round, ValidatorIndex } from '../base/types.ts';
import type { HeightContext } from './state.ts';

/**
 * What the application knows of a cut. `valid` (which includes that all its data is held) and
 * `invalid` are final; `unknown` means that data is missing and another verdict may follow.
 */
export type Verdict = 'valid' | 'invalid' | 'unknown';

export type Input =
  | { readonly type: 'startHeight'; readonly context: HeightContext }
  | {
      readonly type: 'timer';
      readonly timer: 'start' | RoundTimer;
      readonly height: Height;
      readonly round: Round;
      readonly nowMs: bigint;
    }
  | {
      readonly type: 'proposal';
      readonly proposal: Proposal;
      /** The time stated in the header of the proposed cut. */
      readonly cutTimeMs: bigint;
      readonly receivedAtMs: bigint;
    }
  | { readonly type: 'vote'; readonly vote: Vote }
  | { readonly type: 'commitCertificate'; readonly certificate: CommitCertificate }
  | { readonly type: 'polkaCertificate'; readonly certificate: PolkaCertificate }
  | {
      readonly type: 'cutBuilt';
      readonly height: Height;
      readonly round: Round;
      readonly value: CutId;
    }
  | {
      readonly type: 'verdict';
      readonly height: Height;
      readonly value: CutId;
      readonly verdict: Verdict;
    }
  | { readonly type: 'signed'; readonly message: SignedMessage }
  | { readonly type: 'signRefused'; readonly message: UnsignedMessage; readonly reason: string }
  /** `neighbours` were drawn at random by the shell. */
  | { readonly type: 'antiEntropy'; readonly neighbours: readonly ValidatorIndex[] }
  | { readonly type: 'summary'; readonly from: ValidatorIndex; readonly summary: Summary }
  | {
      readonly type: 'polkaRequest';
      readonly from: ValidatorIndex;
      readonly height: Height;
      readonly round: Round;
      readonly value: CutId;
    }
  | {
      readonly type: 'precommitsRequest';
      readonly from: ValidatorIndex;
      readonly height: Height;
      readonly round: Round;
      readonly signers: Bitmap;
    };

export type InputType = Input['type'];
