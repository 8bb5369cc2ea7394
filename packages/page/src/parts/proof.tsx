/**
 * The mark of a screen: claimed by the node, signed by it, or checked in this tab; and the steps of the proof.
 */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Claim, Report, Step } from 'svc-client/evidence';
import { href } from '../app/router.ts';
import type { Reading } from '../data/use-read.ts';
import { bytes, millis } from '../format/figures.ts';
import { ClaimProofs } from '../prove/claim-proofs.ts';
import { hashOfClaims } from '../prove/claim-texts.ts';
import { prove, setTrust, trust } from '../prove/prover.ts';
import { ClaimLines } from './claim-lines.tsx';

type MarkState = 'said' | 'checking' | 'checked' | 'signed' | 'wrong' | 'unproven';

const WORDS: Readonly<Record<MarkState, string>> = {
  said: 'said by the node',
  checking: 'checking …',
  checked: 'checked here',
  signed: 'signed by the node',
  wrong: 'contradicted',
  unproven: 'said by the node',
};

const SIGNS: Readonly<Record<MarkState, string>> = {
  said: '○',
  checking: '◌',
  checked: '✓',
  signed: '✎',
  wrong: '✕',
  unproven: '○',
};

const ABOUT: Readonly<Record<MarkState, string>> = {
  said: 'Not checked here: it is what the node answered. Click to prove it in this tab.',
  checking: 'A worker in this tab checks signatures and proofs.',
  checked: 'Every step of the proof ran in this tab, from the pinned cut to what you see.',
  signed:
    'The node signed this answer with the identity that this browser has pinned. It can be held to it; that it is true is not proven.',
  wrong: 'What the node answered contradicts what was signed.',
  unproven: 'It could not be proven here.',
};

/** Proves by itself on the reader's own machine; elsewhere a click asks for it. */
const IS_LOCAL = ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);

export interface ProofOptions {
  /** Undefined while there is nothing to prove yet. */
  readonly claim: Claim | undefined;
  /** A proof is made again when it changes. */
  readonly revision?: unknown;
  /** Proves at once, wherever the node is. */
  readonly isAsked?: boolean;
  readonly onReport?: (report: Report) => void;
}

/** The mark of a screen whose figures cannot be proven: that the node signs them. */
export function SignedMark({ reading, revision }: SignedMarkOptions): JSX.Element {
  const target = reading.document === undefined ? undefined : reading.request?.path;
  return (
    <Proof
      claim={target === undefined ? undefined : { kind: 'answer', target, identity: undefined }}
      {...(revision === undefined ? {} : { revision })}
    />
  );
}

interface SignedMarkOptions {
  readonly reading: Reading<unknown>;
  readonly revision?: unknown;
}

interface ProofState {
  readonly mark: MarkState;
  readonly steps: readonly Step[];
  readonly report: Report | undefined;
  /** How many proofs of the claim have ended. */
  readonly times: number;
}

const NOTHING: ProofState = { mark: 'said', steps: [], report: undefined, times: 0 };

export function Proof({ claim, revision, isAsked, onReport }: ProofOptions): JSX.Element {
  const key = JSON.stringify(claim ?? null);
  const [state, setState] = useState<ProofState>(NOTHING);
  const [isOpen, setOpen] = useState(false);
  const told = useRef(onReport);
  told.current = onReport;
  const proofs = useRef<ClaimProofs>(undefined);
  proofs.current ??= new ClaimProofs({
    prove,
    onBegin: () => setState({ ...NOTHING, mark: 'checking' }),
    onEnd: (report, steps) => {
      setState(({ times }) => ({ mark: report.result.verdict, steps, report, times: times + 1 }));
      told.current?.(report);
    },
  });
  const { current } = proofs;
  useEffect(() => {
    current.setClaim(claim);
    setState(NOTHING);
  }, [key]);
  useEffect(() => {
    if (IS_LOCAL || isAsked === true || current.isWanted) current.ask();
  }, [key, revision]);
  const { mark, report } = state;
  return (
    <div class="proof">
      <button
        type="button"
        class={`mark ${mark}`}
        data-mark={mark}
        data-times={state.times}
        title={ABOUT[mark]}
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
          if (mark === 'said') current.ask();
        }}
      >
        <span aria-hidden="true">{SIGNS[mark]}</span> {WORDS[mark]}
        {report?.result.verdict === 'checked' || report?.result.verdict === 'signed' ? (
          <span class="at">at cut {report.result.height.toLocaleString('en')}</span>
        ) : null}
      </button>
      {mark === 'wrong' && report?.result.verdict === 'wrong' ? (
        <p class="lie" role="alert">
          The node contradicts what can be proven: {report.result.reason}.
        </p>
      ) : null}
      {isOpen ? <Steps state={state} claim={claim} onAgain={() => current.ask()} /> : null}
    </div>
  );
}

function Steps(props: {
  state: ProofState;
  claim: Claim | undefined;
  onAgain: () => void;
}): JSX.Element {
  const { claim } = props;
  const { steps, report, mark } = props.state;
  const known = trust.value;
  const isTrustExpired =
    report?.result.verdict === 'unproven' && report.result.isTrustExpired === true;
  return (
    <section class="steps" aria-label="Steps of the proof">
      <p>{ABOUT[mark]}</p>
      {report === undefined ? null : <ClaimLines claims={report.claims} basis={report.basis} />}
      <StepList steps={steps} />
      {known === undefined ? null : (
        <p class="pinned">
          Rests on the pinned cut {known.pinnedHeight.toLocaleString('en')}{' '}
          <code>{known.pinnedCutId.slice(0, 16)}…</code>, followed to cut{' '}
          {known.height.toLocaleString('en')}.
        </p>
      )}
      <p class="actions">
        <button type="button" onClick={props.onAgain}>
          Check again
        </button>
        {claim === undefined || claim.kind === 'answer' ? null : (
          <a href={`${href('verify')}${hashOfClaims([claim])}`}>Link to this proof</a>
        )}
        {report?.evidence === undefined ? null : (
          <button type="button" onClick={() => save('evidence.json', report.evidence)}>
            Save evidence
          </button>
        )}
        {known === undefined ? null : (
          <button type="button" onClick={() => save('checkpoint.json', known)}>
            Save checkpoint
          </button>
        )}
        {mark === 'wrong' || isTrustExpired ? (
          <button type="button" onClick={() => setTrust(undefined)}>
            Forget the pinned cut
          </button>
        ) : null}
      </p>
    </section>
  );
}

export function StepList({ steps }: { steps: readonly Step[] }): JSX.Element {
  return (
    <ol class="step-list">
      {steps.map((step, at) => (
        <li key={String(at)} class={step.isOk ? 'ok' : 'failed'}>
          <span class="sign" aria-hidden="true">
            {step.isOk ? '✓' : '✕'}
          </span>
          <span class="title">{step.title}</span>
          <span class="detail">{step.detail}</span>
          <span class="cost">
            {bytes(step.bytes)} · {millis(step.millis)}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Hands a document to the reader as a file. */
export function save(name: string, document_: unknown): void {
  const text = `${JSON.stringify(document_, null, 2)}\n`;
  saveBytes(name, new TextEncoder().encode(text), 'application/json');
}

/** Hands bytes to the reader as a file. */
export function saveBytes(
  name: string,
  content: Uint8Array,
  type = 'application/octet-stream',
): void {
  const blob = new Blob([content as Uint8Array<ArrayBuffer>], { type });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `svc-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
