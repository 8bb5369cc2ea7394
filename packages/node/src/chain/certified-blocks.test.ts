import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { cutToInstall } from '../testing/cut-to-install.ts';
import { CertifiedBlocks } from './certified-blocks.ts';
import type { CutToInstall } from './chain-core.ts';

const CUTS = 5;

describe('blocks of cuts that wait', async () => {
  const fixture = await ChainFixture.create({ validators: 1 });
  while (fixture.head.height < CUTS)
    await fixture.cut([fixture.mine([await fixture.pay(0, fixture.address(7), 5_000n)])]);
  const cuts: CutToInstall[] = [];
  while (cuts.length < CUTS) cuts.push(await cutToInstall(fixture, cuts.length + 1));

  /** Blocks above a head that the test moves, with the ids of the transactions that were to be checked, in order. */
  function blocksAhead() {
    const checked: string[] = [];
    const found: boolean[] = [];
    const { manifest, view, transactions } = fixture;
    const chain = { head: { ...fixture.head, height: 0 }, manifest, view, transactions };
    const blocks = new CertifiedBlocks({
      chain,
      checkAhead: {
        checkAhead: async (some, _, findWaiting) => {
          for (const { id, inputs } of some) {
            checked.push(id);
            found.push(inputs.every((input) => findWaiting?.(input) !== undefined));
          }
        },
      },
      transactionsAhead: 2,
    });
    return { blocks, chain, checked, found };
  }

  test('are decoded so many transactions ahead, in their order, each once', () => {
    const { blocks, chain, checked } = blocksAhead();
    for (const [place, cut] of cuts.entries()) blocks.decodeAhead(place + 1, cut.blocks);
    assert.equal(checked.length, 2);
    for (const [place, cut] of cuts.entries()) {
      const read = cut.blocks.map((block) => {
        assert.ok(blocks.offer(block));
        return blocks.get(block.id) ?? assert.fail('it was offered');
      });
      chain.head.height = place + 1;
      blocks.forget(read);
      assert.equal(checked.length, Math.min(CUTS, place + 3), `after cut ${place + 1}`);
    }
    assert.equal(new Set(checked).size, CUTS);
  });

  test('know what the transactions before them make, until it is made', () => {
    const { blocks, chain, found } = blocksAhead();
    const [first, , third, , fifth] = cuts as [CutToInstall, ...CutToInstall[]];
    blocks.decodeAhead(1, first.blocks);
    blocks.decodeAhead(3, third?.blocks ?? []);
    assert.deepEqual(
      found,
      [false, true],
      'the change of the first payment is spent two cuts later',
    );
    chain.head.height = 3;
    blocks.forget([]);
    blocks.decodeAhead(3, third?.blocks ?? []);
    blocks.decodeAhead(5, fifth?.blocks ?? []);
    assert.deepEqual(
      found,
      [false, true, false],
      'cuts up to the head are passed over and forgotten',
    );
  });
});
