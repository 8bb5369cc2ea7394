/**
 * Checks an evidence file and says what it proves and on what each sentence rests. A file that does not prove what it claims
 * ends the command with an error.
 */
import { CliError, EXIT, printable, result, resultJson } from 'svc-base/cli';
import {
  EVIDENCE_CHARACTERS_MAX,
  type Line,
  type VerifiedEvidence,
  verifyEvidence,
} from 'svc-client/evidence';
import { init } from 'svc-wasm';
import { readText } from '../input.ts';
import { type CommandOptions, textOf } from '../options.ts';

export async function showEvidence(file: string, options: CommandOptions): Promise<void> {
  await init();
  const text = await readText(file, EVIDENCE_CHARACTERS_MAX);
  const checkpoint = textOf(options, 'checkpoint');
  const verified = await verifyEvidence(
    text,
    checkpoint === undefined ? {} : { checkpoint: await readText(checkpoint) },
  );
  const { verdict } = verified.result;
  if (options['json'] === true) resultJson(asJson(verified));
  else result(asText(verified));
  if (verdict === 'checked' || verdict === 'signed') return;
  throw new CliError(EXIT.failed, `the evidence does not hold: ${verified.result.reason}`);
}

function asJson(verified: VerifiedEvidence): object {
  const { result: found, claims, basis, steps, restsOn, isOwnTrust } = verified;
  return {
    verdict: found.verdict,
    claims: claims.map(({ claim, result: each }) => ({ claim, ...each })),
    basis,
    rests_on:
      restsOn === undefined
        ? null
        : { height: restsOn.height, cut_id: restsOn.cutId, chain_id: restsOn.chainId },
    is_own_trust: isOwnTrust ?? null,
    steps: steps.map(({ title, detail, isOk }) => ({ title, detail, is_ok: isOk })),
  };
}

function asText({ claims, basis, steps, restsOn, isOwnTrust }: VerifiedEvidence): string {
  const lines = steps.map(({ title, detail, isOk }) => `${isOk ? '✓' : '✕'} ${title}: ${detail}`);
  for (const { result: found } of claims)
    if ('lines' in found) lines.push(...found.lines.flatMap(said));
  lines.push(...basis.flatMap(said));
  for (const { claim, result: found } of claims) {
    if (found.verdict === 'checked') lines.push(`proven: ${claim.kind} at cut ${found.height}`);
    if (found.verdict === 'signed') {
      lines.push(`signed by node ${found.facts['identity']}; whether it is true is not proven`);
    }
  }
  if (restsOn !== undefined) lines.push(`rests on cut ${restsOn.height} ${restsOn.cutId}`);
  if (isOwnTrust === true) lines.push('the validators of that cut follow from your checkpoint');
  return lines.map(printable).join('\n');
}

function said({ says, restsOn }: Line): string[] {
  return [says, `  rests on ${restsOn}`];
}
