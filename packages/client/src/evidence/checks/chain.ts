/**
 * Proofs about the chain itself: its head, one of its cuts, the set that signs.
 */
import { fromHex, toHex } from 'svc-wasm';
import { decodeValidatorSet } from 'svc-wasm/protocol';
import type { CheckContext } from '../check-context.ts';
import type { Claim, ProofResult } from '../claims.ts';
import { Contradiction } from '../verdicts.ts';
import { certified, certifiedHead } from './certified-head.ts';

export async function checkHead(context: CheckContext): Promise<ProofResult> {
  const { cut } = await certifiedHead(context);
  return {
    verdict: 'checked',
    height: Number(cut.height),
    facts: {
      cut_id: cut.cutId,
      state_root: cut.stateRoot,
      signers: String(cut.signers.length),
    },
  };
}

export async function checkCut(
  context: CheckContext,
  claim: Extract<Claim, { kind: 'cut' }>,
): Promise<ProofResult> {
  const { trust, step } = context;
  const head = await step('The node names its head', async () => {
    const found = await trust.head();
    return [found, `cut ${found.cut.height}`];
  });
  const { cut, header } = await certified(context, head, claim.height);
  await step('What is shown is what was signed', async () => {
    const { cut: shown } = await context.client.cut({ height: claim.height });
    const pairs: readonly (readonly [string, string, string])[] = [
      ['cut id', claim.cutId, cut.cutId],
      ['state root', claim.stateRoot, cut.stateRoot],
      ['cut id', shown.cut_id, cut.cutId],
      ['state root', shown.state_root, cut.stateRoot],
      ['parent', shown.parent_cut_id, toHex(header.parentCutId)],
      ['outcome root', shown.outcome_root, toHex(header.outcomeRoot)],
      ['validator set', shown.validator_set_id, cut.validatorSetId],
      ['next validator set', shown.next_validator_set_id, cut.nextValidatorSetId],
      ['time', String(shown.time_millis), String(header.time)],
      [
        'number of registered blocks',
        String(shown.registered_work),
        String(header.registeredCount),
      ],
      ['work target', shown.work_target, toHex(header.workTarget)],
    ];
    for (const [name, said, signed] of pairs) {
      if (said !== signed)
        throw new Contradiction(`${name}: the node says ${said}, signed was ${signed}`);
    }
    return [undefined, `${pairs.length} fields of the page equal the signed header`];
  });
  return {
    verdict: 'checked',
    height: claim.height,
    facts: { signers: String(cut.signers.length) },
  };
}

export async function checkValidators(context: CheckContext): Promise<ProofResult> {
  const { cut, head } = await certifiedHead(context);
  const height = Number(cut.height);
  const set = await context.step('The set whose id was signed', async () => {
    const document = await context.client.cutValidators({ height });
    const decoded = decodeValidatorSet(fromHex(document.validator_set_hex));
    if (toHex(decoded.id) !== cut.validatorSetId) {
      throw new Contradiction('the set that the node shows is not the one in the signed header');
    }
    return [
      decoded,
      `${decoded.validators.length} keys hash to ${cut.validatorSetId.slice(0, 12)}…`,
    ];
  });
  await context.step('The list of validators agrees with it', async () => {
    const signing = new Set(set.validators.map(({ id }) => toHex(id)));
    const page = await context.client.stakingValidators({ limit: 256 });
    if (page.epoch !== head.epoch) return [undefined, 'the epoch has just changed; not compared'];
    const listed = page.validators.filter(({ committee }) => committee);
    const missing = [...signing].filter((id) => !listed.some(({ validator }) => validator === id));
    const extra = listed.filter(({ validator }) => !signing.has(validator));
    if (missing.length > 0 && page.next_cursor === undefined) {
      throw new Contradiction(`the list leaves out ${missing[0]?.slice(0, 12)}…, which signs`);
    }
    if (extra.length > 0) {
      throw new Contradiction(
        `the list has ${extra[0]?.validator.slice(0, 12)}… in the committee, which does not sign`,
      );
    }
    return [undefined, `${listed.length} members of the committee are those who sign`];
  });
  return {
    verdict: 'checked',
    height,
    facts: {
      members: String(set.validators.length),
      stake: String(set.validators.reduce((sum, { stake }) => sum + stake, 0n)),
    },
  };
}
