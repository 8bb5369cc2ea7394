/**
 * `svc-miner verify-round`: audits a round of a pool and prints what was found.
 */
import { CliError, EXIT, printable, result, resultJson, usageError } from 'svc-base/cli';
import { messageOf } from 'svc-base/pure';
import { init } from 'svc-wasm';
import { ShareLog, userSharesFolder } from '../audit/share-log.ts';
import { auditRound, type Finding } from '../audit/verify-round.ts';

export interface VerifyFlags {
  readonly pool: string;
  readonly node?: string;
  readonly user: string;
  readonly sharesDir?: string;
  readonly margin: string;
  readonly json?: boolean;
}

const ANSWER_BYTES_MAX = 256 << 20;
const TIMEOUT_MILLIS = 30_000;
const MARKS: Readonly<Record<Finding['verdict'], string>> = {
  good: 'ok ',
  bad: 'BAD',
  open: '-  ',
};

export async function verifyRound(round: string, flags: VerifyFlags): Promise<void> {
  if (!/^[1-9][0-9]{0,14}$/.test(round))
    throw usageError(`${round}: expected the number of a round`);
  if (!/^[0-9]{1,3}$/.test(flags.margin)) throw usageError('--margin: expected cuts, such as 2');
  const pool = urlOf('--pool', flags.pool);
  const node = flags.node === undefined ? undefined : urlOf('--node', flags.node);
  const address = (flags.user.split('.')[0] ?? '').toLowerCase();
  if (!/^[a-z0-9]{8,90}$/.test(address)) throw usageError('--user: expected an address');
  const log = new ShareLog(flags.sharesDir ?? userSharesFolder());
  await init();
  const findings = await auditRound(
    {
      readPool: (path) => read(pool, path),
      ...(node === undefined ? {} : { readNode: (path: string) => read(node, path) }),
      readShares: (poolAddress) => log.read(poolAddress, address),
    },
    { round: Number(round), address, marginCuts: Number(flags.margin) },
  );
  if (flags.json === true) resultJson(findings);
  else
    result(findings.map(({ verdict, text }) => `${MARKS[verdict]} ${printable(text)}`).join('\n'));
  if (findings.some(({ verdict }) => verdict === 'bad'))
    throw new CliError(EXIT.refused, `round ${round} is not what it should be`);
}

function urlOf(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw usageError(`${option} ${text}: expected an address such as http://127.0.0.1:28772`);
}

async function read(base: URL, path: string): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLIS);
    const answer = await fetch(new URL(path, base), { signal, redirect: 'error' });
    if (answer.status === 404 || answer.status === 410) return undefined;
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    if (Number(answer.headers.get('content-length') ?? 0) > ANSWER_BYTES_MAX)
      throw new Error('answers with too much');
    return await answer.json();
  } catch (error) {
    throw new CliError(EXIT.unreachable, `${base.host}${path}: ${messageOf(error)}`);
  }
}
