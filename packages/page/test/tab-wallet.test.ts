/** The wallet of the tab against a real network, without a browser: its files, its payments, and what it refuses. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Account, createClient, createMessenger } from 'svc-client';
import { init, openWalletFile, sealWalletFile } from 'svc-wasm';
import { Caller } from '../../node/test/dev/kit.ts';
import { parseContents } from '../../wallet/src/file/wallet-file.ts';
import { payFromTab } from '../src/prove/pay.ts';
import { type OpenedWallet, TabWallet, type WalletOrder } from '../src/prove/tab-wallet.ts';

const COIN = 100_000_000n;
const PASSWORD = 'not a secret';
const CHEAP = '{"memory_kib":"7168","passes":"5"}';

describe('the wallet of the tab', () => {
  let caller: Caller;
  let wallet: TabWallet;
  let made: OpenedWallet;

  before(async () => {
    await init();
    caller = await Caller.start({ cutTime: 'manual', validators: 1 });
    await caller.network.mine(2);
    wallet = new TabWallet(caller.base, Date.now);
    const answer = await wallet.carryOut({ action: 'make', password: PASSWORD });
    made = answer.action === 'opened' ? answer.wallet : assert.fail(answer.action);
  });

  after(async () => {
    await caller?.close();
  });

  const fileOf = (network: string): Uint8Array =>
    sealWalletFile(
      JSON.stringify({
        version: '1',
        network,
        words: made.words,
        passphrase: '',
        created_at_millis: '1',
      }),
      PASSWORD,
      CHEAP,
    );

  test('its file is one that svc-wallet reads', () => {
    const contents = parseContents(openWalletFile(made.file as Uint8Array, PASSWORD));
    assert.deepEqual([contents.network, contents.words], ['development', made.words]);
  });

  test('it pays what it was given, and nothing once it is closed', async () => {
    const { words } = caller.network.facts;
    const gift = { words, from: 0, to: made.address, atoms: String(5n * COIN), payloadHex: '' };
    const given = await payFromTab(caller.base, gift);
    assert.equal((await caller.minedStatus(given)).lifecycle, 'finalized');
    const before = await caller.balanceOf(1);
    const payment = {
      action: 'pay',
      to: caller.accountText(1),
      atoms: String(2n * COIN),
      note: 'tea',
    } as const;
    const answer = await wallet.carryOut(payment);
    const id = answer.action === 'paid' ? answer.id : assert.fail(answer.action);
    assert.equal((await caller.minedStatus(id)).lifecycle, 'finalized');
    assert.equal(await caller.balanceOf(1), before + 2n * COIN);
    const tooMuch = { ...payment, atoms: String(50n * COIN) };
    await assert.rejects(wallet.carryOut(tooMuch), { code: 'insufficient_funds' });
    await wallet.carryOut({ action: 'close' });
    await assert.rejects(wallet.carryOut(payment), /no wallet is open/);
  });

  test('it asks for a chat, accepts one, and reads what the peer has signed', async () => {
    const peer = new Account(caller.network.facts.words, { network: 'development', index: 2 });
    const wallet = new TabWallet(caller.base, Date.now);
    const words = made.words ?? assert.fail('no words');
    await wallet.carryOut({ action: 'restore', words, password: PASSWORD });
    const gift = { words: caller.network.facts.words, from: 3, to: made.address };
    const coin = { atoms: String(COIN), payloadHex: '' };
    await caller.minedStatus(await payFromTab(caller.base, { ...gift, ...coin }));
    const carriedOut = async (order: WalletOrder): Promise<void> => {
      const answer = await wallet.carryOut(order);
      const id = answer.action === 'paid' ? answer.id : assert.fail(answer.action);
      assert.equal((await caller.minedStatus(id)).lifecycle, 'finalized');
    };
    const chats = async () => {
      const answer = await wallet.carryOut({ action: 'chats' });
      return answer.action === 'chats' ? answer : assert.fail(answer.action);
    };
    const messenger = createMessenger(createClient({ url: caller.base }), peer);
    await caller.minedStatus((await messenger.request(made.address)).transactionId);
    assert.deepEqual(await chats(), {
      action: 'chats',
      chats: [{ peer: peer.address, state: 'invited', messages: [] }],
      unchecked: 0,
    });
    await carriedOut({ action: 'accept', peer: peer.address });
    await carriedOut({ action: 'say', peer: peer.address, text: 'good evening' });
    await caller.minedStatus((await messenger.send(made.address, 'tea?')).transactionId);
    const [chat] = (await chats()).chats;
    assert.deepEqual(
      chat?.messages.map(({ direction, text }) => [direction, text]),
      [
        ['sent', 'good evening'],
        ['received', 'tea?'],
      ],
    );
    await assert.rejects(
      wallet.carryOut({ action: 'say', peer: caller.accountText(5), text: 'hello' }),
      { code: 'no_chat' },
    );
    await wallet.carryOut({ action: 'close' });
    await assert.rejects(wallet.carryOut({ action: 'chats' }), /no wallet is open/);
    peer.free();
  });

  test('words and files give the same address back; other networks and passwords are refused', async () => {
    const again = new TabWallet(caller.base, Date.now);
    const words = made.words ?? assert.fail('no words');
    const restored = await again.carryOut({ action: 'restore', words, password: PASSWORD });
    assert.equal(restored.action === 'opened' && restored.wallet.address, made.address);
    const own = fileOf('development');
    const openedAgain = await again.carryOut({ action: 'open', file: own, password: PASSWORD });
    assert.deepEqual(openedAgain, { action: 'opened', wallet: { address: made.address } });
    const foreign = { action: 'open', file: fileOf('testnet'), password: PASSWORD } as const;
    await assert.rejects(again.carryOut(foreign), { code: 'wrong_network' });
    const wrong = { action: 'open', file: own, password: 'another' } as const;
    await assert.rejects(again.carryOut(wrong), { code: 'wrong_password' });
    const nonsense = { action: 'restore', words: 'tea tea tea', password: PASSWORD } as const;
    await assert.rejects(again.carryOut(nonsense), { code: 'bad_mnemonic' });
  });
});
