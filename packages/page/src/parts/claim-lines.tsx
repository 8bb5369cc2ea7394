/**
 * Claims in plain words: each sentence that a proof shows, and what it rests on. The same for a proof that was just made and for
 * one from a file.
 */
import type { JSX } from 'preact';
import type { ClaimResult, Line } from 'svc-client/evidence';
import { shownText } from '../format/shown-text.ts';

export function ClaimLines(props: {
  claims: readonly ClaimResult[];
  basis: readonly Line[];
}): JSX.Element {
  const { claims, basis } = props;
  return (
    <>
      {claims.map(({ claim, result }, at) => (
        <section key={String(at)} class="claim" data-claim={claim.kind}>
          <p class={`verdict ${result.verdict}`} data-verdict={result.verdict} role="status">
            {verdictText(result)}
          </p>
          {'lines' in result ? <Lines lines={result.lines} /> : null}
        </section>
      ))}
      {basis.length === 0 ? null : (
        <section class="claim" aria-label="What all of this rests on">
          <p class="over">What all of this rests on</p>
          <Lines lines={basis} />
        </section>
      )}
    </>
  );
}

function Lines({ lines }: { lines: readonly Line[] }): JSX.Element {
  return (
    <ul class="claim-lines">
      {lines.map(({ says, restsOn }, at) => (
        <li key={String(at)}>
          <span class="says">{shownText(says)}</span>
          <span class="rests">Rests on {restsOn}.</span>
        </li>
      ))}
    </ul>
  );
}

function verdictText(result: ClaimResult['result']): string {
  if (result.verdict === 'checked') return 'Proven, in this tab:';
  if (result.verdict === 'signed') return 'Said by a node under its signature:';
  if (result.verdict === 'wrong') return `It is wrong: ${result.reason}.`;
  return `Not proven: ${result.reason}.`;
}
