/**
 * Proofs on demand: what this browser has pinned, a proof of anything that can be proven, and evidence files, which are
 * checked without asking the node.
 */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Claim, ProofResult, Report, VerifiedEvidence } from 'svc-client/evidence';
import { whole } from '../format/figures.ts';
import { exactTime } from '../format/times.ts';
import { Field, Form } from '../parts/form.tsx';
import { Card, Fact, Facts, Screen } from '../parts/layout.tsx';
import { Proof, StepList, save } from '../parts/proof.tsx';
import { Code } from '../parts/text.tsx';
import { loadCheckpoint, setTrust, trust, verifyFile } from '../prove/prover.ts';

const FILE_BYTES_MAX = 16 << 20;

export function VerifyScreen(): JSX.Element {
  return (
    <Screen title="Verify" over="Believe nobody, this node included">
      <div class="columns">
        <Pinned />
        <Ask />
      </div>
      <EvidenceFile />
    </Screen>
  );
}

function Pinned(): JSX.Element {
  const known = trust.value;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const load = async (file: File | undefined): Promise<void> => {
    if (file === undefined || file.size > FILE_BYTES_MAX) return;
    setProblem(undefined);
    await loadCheckpoint(await file.text()).catch(() => setProblem('That file is no checkpoint.'));
  };
  return (
    <Card title="What this browser trusts">
      {known === undefined ? (
        <p class="empty">
          Nothing yet. The first proof pins the head of the moment on the word of this node.
        </p>
      ) : (
        <Facts>
          <Fact name="Pinned cut">{whole(known.pinnedHeight)}</Fact>
          <Fact name="Pinned">{exactTime(known.pinnedAtMillis)}</Fact>
          <Fact name="Followed to">{whole(known.height)}</Fact>
          <Fact name="Its id" isWide>
            <Code text={known.pinnedCutId} />
          </Fact>
          <Fact name="Chain" isWide>
            <Code text={known.chainId} />
          </Fact>
        </Facts>
      )}
      <p class="soft">
        Everything marked as checked rests on the pinned cut. Compare its id with somebody who runs
        a node of their own, or load a checkpoint from one.
      </p>
      {problem === undefined ? null : (
        <p class="lie" role="alert">
          {problem}
        </p>
      )}
      <p class="actions">
        {known === undefined ? null : (
          <button type="button" onClick={() => save('checkpoint.json', known)}>
            Save checkpoint
          </button>
        )}
        <label class="file">
          Load checkpoint
          <input
            type="file"
            accept="application/json"
            data-file="checkpoint"
            onChange={(event) => void load(event.currentTarget.files?.[0])}
          />
        </label>
        {known === undefined ? null : (
          <button type="button" onClick={() => setTrust(undefined)}>
            Forget it
          </button>
        )}
      </p>
    </Card>
  );
}

/** What a text asks to be proven: an output, a transaction, an address, or the head. */
function claimOf(text: string): Claim | undefined {
  const name = text.trim();
  const [, transactionId, index] = /^([0-9a-f]{96}):([0-9]{1,6})$/.exec(name) ?? [];
  if (transactionId !== undefined) {
    return { kind: 'output', transactionId, outputIndex: Number(index) };
  }
  if (/^[0-9a-f]{96}$/.test(name)) return { kind: 'transaction', id: name };
  return /^[a-z0-9]{40,100}$/i.test(name) ? { kind: 'balance', address: name } : undefined;
}

function Ask(): JSX.Element {
  const [text, setText] = useState('');
  const [claim, setClaim] = useState<Claim | undefined>(undefined);
  const [report, setReport] = useState<Report | undefined>(undefined);
  return (
    <Card title="Prove something">
      <Form
        kind="ask"
        onSubmit={() => {
          setReport(undefined);
          setClaim(claimOf(text));
        }}
      >
        <Field
          label="Address, transaction id, or output as id:index"
          value={text}
          onText={setText}
        />
        <button type="submit" class="primary" disabled={claimOf(text) === undefined}>
          Prove
        </button>
      </Form>
      {claim === undefined ? null : (
        <Proof key={JSON.stringify(claim)} claim={claim} isAsked onReport={setReport} />
      )}
      {report === undefined ? null : <StepList steps={report.steps} />}
    </Card>
  );
}

function EvidenceFile(): JSX.Element {
  const [verified, setVerified] = useState<VerifiedEvidence | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const load = async (file: File | undefined): Promise<void> => {
    if (file === undefined || file.size > FILE_BYTES_MAX) return;
    setVerified(undefined);
    setProblem(undefined);
    try {
      setVerified(await verifyFile(await file.arrayBuffer()));
    } catch (error) {
      setProblem(String(error));
    }
  };
  return (
    <Card title="Check an evidence file">
      <p class="soft">
        A file that somebody saved behind a mark holds every answer of its proof. It is proven here
        once more, from the file alone: no request is made.
      </p>
      <p class="actions">
        <label class="file">
          Open evidence
          <input
            type="file"
            accept="application/json"
            data-file="evidence"
            onChange={(event) => void load(event.currentTarget.files?.[0])}
          />
        </label>
      </p>
      {problem === undefined ? null : (
        <p class="lie" role="alert">
          {problem}
        </p>
      )}
      {verified === undefined ? null : <Verified verified={verified} />}
    </Card>
  );
}

function Verified({ verified }: { verified: VerifiedEvidence }): JSX.Element {
  const { result, steps, claim, atMillis, restsOn: rest } = verified;
  return (
    <>
      <p class={`verdict ${result.verdict}`} data-verdict={result.verdict} role="status">
        {verdictText(result)}
      </p>
      <StepList steps={steps} />
      {claim === undefined ? null : (
        <>
          <Facts>
            <Fact name="About">{claim.kind}</Fact>
            <Fact name="Made">{exactTime(atMillis ?? 0)}</Fact>
            {rest === undefined ? null : (
              <>
                <Fact name="Rests on cut">{whole(rest.height)}</Fact>
                <Fact name="Chain">
                  {trust.value?.chainId === rest.chainId
                    ? 'the one this browser has pinned'
                    : 'another than this browser has pinned'}
                </Fact>
                <Fact name="Which is" isWide>
                  <Code text={rest.cutId} />
                </Fact>
              </>
            )}
          </Facts>
          <p class="soft">
            {rest === undefined
              ? 'A node answered this and signed it. Whether it is true, the file does not prove.'
              : 'Whether to believe it comes down to that one cut: compare it with a node that you trust.'}
          </p>
        </>
      )}
    </>
  );
}

function verdictText(result: ProofResult): string {
  if (result.verdict === 'checked') return `The proof holds at cut ${whole(result.height)}.`;
  if (result.verdict === 'signed')
    return `The signature of node ${result.facts['identity']} holds.`;
  return `The proof does not hold: ${result.reason}.`;
}
