/**
 * Payments of shared wallets with packages in files. What a person agrees to is told apart: payments, change and fee.
 */
import { randomUUID } from 'node:crypto';
import type { MethodResult } from 'svc-api/rpc';
import { CliError, EXIT, note, result, resultJson } from 'svc-base/cli';
import { Type } from 'typebox';
import { askYes, needsYes } from '../ask/terminal.ts';
import { recipientOf } from '../execute/read-recipients.ts';
import { waitFinal } from '../execute/wait-final.ts';
import { readFileOf, writeNew } from '../offline/files.ts';
import { withSession } from '../session/open-session.ts';
import { type PaidAmount, paidLines } from '../show/paid-lines.ts';
import { showResult } from '../show/show-result.ts';
import { type CommandOptions, textOf } from '../values.ts';

const PackageFile = Type.Object(
  {
    svc_shared_package: Type.Literal(1),
    package_hex: Type.String({ pattern: '^([0-9a-f]{2})+$', maxLength: 120_000 }),
  },
  { additionalProperties: false },
);

export async function proposePayment(options: CommandOptions): Promise<void> {
  const given = textOf(options, 'requestId');
  const request_id = given ?? `cli-${randomUUID()}`;
  if (given === undefined) note(`request id ${request_id}`);
  const recipients = (options['pay'] as string[]).map((pair) => recipientOf(pair, '=', '--pay'));
  const fee_per_mass = textOf(options, 'feePerMass');
  const valid_cuts = options['validCuts'] as number | undefined;
  await withSession(options, 'chain', 'shared-propose', async (session) => {
    const answer = await session.call('shared_propose', {
      ...{ recipients, request_id },
      ...(fee_per_mass === undefined ? {} : { fee_per_mass }),
      ...(valid_cuts === undefined ? {} : { valid_cuts }),
    });
    if (answer.mismatch === true) {
      const message = `request id ${request_id} was used before with other parameters; nothing was proposed now`;
      throw new CliError(EXIT.refused, message, { hint: 'another payment needs another name' });
    }
    const { package_hex, ...review } = answer;
    writePackage(options, package_hex);
    show({ ...review, package: textOf(options, 'out') }, options);
  });
}

export async function reviewPayment(options: CommandOptions): Promise<void> {
  const package_hex = await readPackage(textOf(options, 'package') as string);
  await withSession(options, 'chain', 'shared-review', async (session) => {
    show(await session.call('shared_review', { package_hex }), options);
  });
}

export async function signPayment(options: CommandOptions): Promise<void> {
  const package_hex = await readPackage(textOf(options, 'package') as string);
  await withSession(options, 'chain', 'shared-sign', async (session) => {
    const review = await session.call('shared_review', { package_hex });
    if (needsYes(options)) {
      note(showShared(review));
      if (!(await askYes('Sign this payment?')))
        throw new CliError(EXIT.failed, 'nothing was signed');
    }
    const { digest } = review;
    const { package_hex: signed, ...after } = await session.call('shared_sign', {
      package_hex,
      digest,
    });
    writePackage(options, signed);
    show({ ...after, package: textOf(options, 'out') }, options);
  });
}

export async function submitPayment(options: CommandOptions): Promise<void> {
  const packages_hex: string[] = [];
  for (const path of options['package'] as string[]) packages_hex.push(await readPackage(path));
  const need = options['wait'] === true ? 'follow' : 'chain';
  await withSession(options, need, 'shared-submit', async (session) => {
    const answer = await session.call('shared_submit', { packages_hex });
    const outcome = options['wait'] === true ? await waitFinal(session, answer) : {};
    show({ ...answer, ...outcome }, options);
  });
}

async function readPackage(path: string): Promise<string> {
  return (await readFileOf(PackageFile, path, '--package')).package_hex;
}

function writePackage(options: CommandOptions, packageHex: string): void {
  writeNew(textOf(options, 'out') as string, { svc_shared_package: 1, package_hex: packageHex });
}

function show(facts: Reviewed, options: CommandOptions): void {
  if (options['json'] === true) resultJson(facts);
  else result(showShared(facts));
}

interface Reviewed {
  readonly payments: readonly PaidAmount[];
  readonly change: readonly PaidAmount[];
  readonly inputs: readonly object[];
  readonly payloads: MethodResult<'shared_review'>['payloads'];
  readonly [fact: string]: unknown;
}

function showShared({ change, inputs, payloads, payments, ...rest }: Reviewed): string {
  return showResult('shared', {
    ...rest,
    payments: paidLines('PAID', payments),
    change: paidLines('BACK TO THE SHARED WALLET', change),
    inputs,
    // Text is quoted and comes last, so that none of it can be taken for something else.
    payloads: payloads.map(({ output, payload_hex, payload_text }) => ({
      'CARRIED FOR OUTPUT': output,
      bytes: payload_hex,
      text: payload_text === null ? null : JSON.stringify(payload_text),
    })),
  });
}
