/**
 * Proofs on demand: what this browser has pinned, proofs of anything that can be proven, by hand or by a link, and evidence
 * files, which are checked without asking the node.
 */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Claim, Report, VerifiedEvidence } from 'svc-client/evidence';
import { href } from '../app/router.ts';
import { bytes, whole } from '../format/figures.ts';
import { exactTime } from '../format/times.ts';
import { ClaimLines } from '../parts/claim-lines.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Card, Fact, Facts, Screen } from '../parts/layout.tsx';
import { Proof, StepList, save } from '../parts/proof.tsx';
import { Code, Copy } from '../parts/text.tsx';
import { claimsOfHash, claimsOfText, hashOfClaims, pinOfHash } from '../prove/claim-texts.ts';
import { loadCheckpoint, pinCut, proveAll, setTrust, trust, verifyFile } from '../prove/prover.ts';

const FILE_BYTES_MAX = 1 << 20;

export function VerifyScreen(): JSX.Element {
  const hash = useHash();
  return (
    <Screen title="Verify" over="Trust no node, not even this one">
      <Ask key={hash} linked={claimsOfHash(hash)} />
      <div class="columns">
        <Pinned key={hash} asked={pinOfHash(hash)} />
        <EvidenceFile />
      </div>
    </Screen>
  );
}

function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const read = () => setHash(location.hash);
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return hash;
}

function Pinned({ asked = '' }: { asked: string | undefined }): JSX.Element {
  const known = trust.value;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [name, setName] = useState(asked);
  const attempt = (taken: Promise<void>): void => {
    setProblem(undefined);
    taken.catch((error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  const load = (file: File | undefined): void => {
    if (file === undefined || file.size > FILE_BYTES_MAX) return;
    attempt(file.text().then(loadCheckpoint));
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
          {known.earliest === undefined ? null : (
            <Fact name="History proven back to">{whole(known.earliest.height)}</Fact>
          )}
          <Fact name="Its id" isWide>
            <Code text={known.pinnedCutId} />
          </Fact>
          <Fact name="Chain" isWide>
            <Code text={known.chainId} />
          </Fact>
        </Facts>
      )}
      <p class="soft">
        Everything that is proven here rests on the pinned cut: it names the validators whose
        signatures are believed. Compare its id with a second source, such as your own node, or pin
        a cut that you got from there.
      </p>
      <p class="soft">
        From that cut on, the browser follows each change of the validators by their signatures, if
        it comes back within the trusting period: five days on mainnet. After that it believes no
        newer cut until you pin one anew. A path of hashes then shows whether the cut that was
        pinned before is part of the new chain; if it is, what was proven stays proven. A path leads
        to earlier cuts alone: it never makes a newer cut final.
      </p>
      {problem === undefined ? null : (
        <p class="lie" role="alert">
          {problem}
        </p>
      )}
      <Form kind="ask" onSubmit={() => attempt(pinCut(name))}>
        <Field label="Cut to pin, as height:id" value={name} onText={setName} />
        <button type="submit" disabled={name.trim() === ''}>
          Pin it
        </button>
      </Form>
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
            onChange={(event) => load(event.currentTarget.files?.[0])}
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

/** Claims that a reader writes, or that a link names: these are proven at once. */
function Ask({ linked }: { linked: readonly Claim[] | undefined }): JSX.Element {
  const [text, setText] = useState('');
  const [report, setReport] = useState<Report | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const ask = (claims: readonly Claim[]): void => {
    setReport(undefined);
    setRunning(true);
    void proveAll(claims).then((made) => {
      setRunning(false);
      setReport(made);
    });
  };
  useEffect(() => {
    if (linked !== undefined) ask(linked);
  }, []);
  const claims = claimsOfText(text);
  return (
    <Card title={linked === undefined ? 'Prove something' : 'What the link says'}>
      {linked === undefined ? (
        <Form kind="ask" onSubmit={() => claims !== undefined && ask(claims)}>
          <label class="field wide">
            Address, transaction id, or output as id:index; one a line
            <textarea
              rows={2}
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <button type="submit" class="primary" disabled={claims === undefined || isRunning}>
            Prove
          </button>
          <p class="soft">
            Also: payment ID ADDRESS COINS · payments ADDRESS FROM TO (heights, 48 cuts at most) ·
            outputs ADDRESS · stake VALIDATOR · supply · validators · head
          </p>
        </Form>
      ) : null}
      {isRunning ? <p class="soft">Checking …</p> : null}
      {report === undefined ? null : <Reported report={report} />}
    </Card>
  );
}

function Reported({ report }: { report: Report }): JSX.Element {
  const { claims, basis, steps, evidence } = report;
  const link = `${location.origin}${href('verify')}${hashOfClaims(claims.map(({ claim }) => claim))}`;
  return (
    <>
      <ClaimLines claims={claims} basis={basis} />
      <p class="actions">
        {evidence === undefined ? null : (
          <button type="button" onClick={() => save('evidence.json', evidence)}>
            Save evidence ({bytes(JSON.stringify(evidence).length)})
          </button>
        )}
        <a href={link} data-link="claims">
          Link to these claims
        </a>
        <Copy text={link} what="the link" />
      </p>
      <details class="raw">
        <summary>The steps of the proof</summary>
        <StepList steps={steps} />
      </details>
    </>
  );
}

function EvidenceFile(): JSX.Element {
  const [verified, setVerified] = useState<VerifiedEvidence | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const load = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setVerified(undefined);
    setProblem(undefined);
    if (file.size > FILE_BYTES_MAX) return setProblem('That file is longer than evidence can be.');
    try {
      setVerified(await verifyFile(await file.arrayBuffer()));
    } catch (error) {
      setProblem(String(error));
    }
  };
  return (
    <Card title="Check an evidence file">
      <p class="soft">
        A file that was saved behind a proof holds its claims, their proofs, and the certificate and
        validators of one cut. It is proven here once more, from the file alone: no request is made.
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
  const { result, claims, basis, steps, atMillis, restsOn: rest } = verified;
  return (
    <>
      {claims.length === 0 ? (
        <p class={`verdict ${result.verdict}`} data-verdict={result.verdict} role="status">
          The file cannot be checked: {'reason' in result ? result.reason : ''}.
        </p>
      ) : (
        <ClaimLines claims={claims} basis={basis} />
      )}
      {rest === undefined ? null : (
        <>
          <p class="soft">
            Made {exactTime(atMillis ?? 0)}. Whether cut {whole(rest.height)} of the file is part of
            the chain that this browser follows, the node can show:
          </p>
          <Proof
            key={rest.cutId}
            claim={{
              kind: 'cut',
              height: rest.height,
              cutId: rest.cutId,
              stateRoot: rest.stateRoot,
            }}
          />
        </>
      )}
      <details class="raw">
        <summary>The steps of the check</summary>
        <StepList steps={steps} />
      </details>
    </>
  );
}
