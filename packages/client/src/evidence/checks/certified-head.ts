/**
 * The first step of every proof: the head, certified by the validators that the reader follows.
 */
import type { AnswerOf } from '../../routes/route-types.ts';
import type { TakeStep } from '../check-context.ts';
import type { ProvenCut, Trust } from '../trust.ts';
import { Contradiction } from '../verdicts.ts';

export interface CheckParts {
  readonly trust: Trust;
  readonly step: TakeStep;
}

export type Head = AnswerOf<'chainHead'>;

export interface CertifiedHead extends ProvenCut {
  readonly head: Head;
}

export async function certifiedHead({ trust, step }: CheckParts): Promise<CertifiedHead> {
  const head = await step('The node names its head', async () => {
    const found = await trust.head();
    return [found, `cut ${found.cut.height} of chain ${found.chain_id.slice(0, 12)}…`];
  });
  const proven = await certified({ trust, step }, head, head.cut.height);
  const { cut, header } = proven;
  if (cut.cutId !== head.cut.cut_id || cut.stateRoot !== head.cut.state_root) {
    throw new Contradiction('the head that the node names is not the cut its validators signed');
  }
  if (header.time !== BigInt(head.time_millis)) {
    throw new Contradiction('the node names another time than the header its validators signed');
  }
  return { ...proven, head };
}

/** Certifies the cut of a height. */
export function certified(
  { trust, step }: CheckParts,
  head: Head,
  height: number,
): Promise<ProvenCut> {
  return step(`Signatures of cut ${height}`, async () => {
    const proven = await trust.certify(head, height);
    const { signers, signedStake, totalStake } = proven.cut;
    const share = Number((signedStake * 1_000n) / totalStake) / 10;
    const from = proven.isFirst
      ? `cut ${trust.document?.pinnedHeight} is pinned now, on the node’s word`
      : `the set follows from cut ${trust.document?.pinnedHeight}`;
    return [
      proven,
      `${signers.length} ML-DSA-65 signatures with ${share} % of the stake hold; ${from}`,
    ];
  });
}
