/**
 * The command line as processes of its own, against a real node.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { addressFromPublicKey, init, parseAmount, WalletRoot } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { openKeyFile } from 'svc-wasm/protocol';
import { type Answer, CommandLine } from './testing/command-line.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';

let net: TestNetwork;
let line: CommandLine;
let directory: string;
const ends: (() => void)[] = [];

const run: CommandLine['run'] = (...given) => line.run(...given);
const json: CommandLine['json'] = (...given) => line.json(...given);
const refused: CommandLine['refused'] = (...given) => line.refused(...given);

let second: Promise<Answer> | undefined;

/** Makes the wallet `second` once, whichever test needs it first. */
function makeSecond(): Promise<Answer> {
  second ??= json(['init', '--generate-password', '--file', 'second']);
  return second;
}

suite('the command line of the wallet', () => {
  before(async () => {
    await init();
    directory = temporaryDirectory({ after: (end: () => void) => void ends.push(end) });
    net = await startTestNetwork();
    line = new CommandLine(net, directory);
    await net.network.mine(2);
    const words = ['init', '--generate-password', '--words-file', '-'];
    const made = await line.start(words, net.words).end();
    assert.equal(made.code, 0, made.stderr);
    assert.ok(!made.stdout.includes('abandon'), 'words that were given are not shown');
  });

  after(async () => {
    await line.close();
    await net.close();
    for (const end of ends) end();
  });

  test('what cannot be understood ends with 2, on standard error, and what is missing is named', async () => {
    const ended = await line.start(['blance']).end();
    assert.deepEqual([ended.code, ended.stdout], [2, '']);
    assert.match(ended.stderr, /unknown command 'blance'.*Did you mean balance\?/s);
    const table: [string[], RegExp][] = [
      [['send', '--to', 'x'], /required option '--amount <coins>' not specified/],
      [['send', '--to', 'x', '--amount', '1', '--password', 'y'], /unknown option '--password'/],
      [['daemon', '--port', '70000'], /--port: expected a whole number from 0 to 65535/],
      [['daemon', '--confirmations', '0'], /--confirmations: expected a whole number/],
      [['balance', '--answer-seconds', '0'], /--answer-seconds: expected a whole number from 1/],
      [['daemon', '--auto-sweep-to', 'nowhere'], /--auto-sweep-to: /],
      [['balance', '--service', 'ftp://x'], /--service: expected an address such as/],
      [['validator-register', '--amount', '1'], /'--overlay-endpoint-hex <hex>' not specified/],
      [['validator-key-export'], /'--validator-key-file <file>' not specified/],
      [['send-many', '--pay', 'x'], /--pay: expected address=coins, found x/],
      [['send-many', '--recipients', '-'], /--recipients, line 2: expected address,coins/],
      [['send-many'], /--recipients: /],
    ];
    for (const [words, message] of table) await refused(2, message, words, 'x,1\ny');
  });

  test('every option of the daemon and of a registration is in its help', async () => {
    const [daemon, register] = await Promise.all([
      run(['daemon', '--help']),
      run(['validator-register', '--help']),
    ]);
    const flags =
      '--confirmations --file --password-file --token-file --read-token-file --service --allow-remote --auto-compound --auto-sweep-to --port';
    for (const flag of flags.split(' '))
      assert.match(daemon.stdout, new RegExp(`  ${flag} `), flag);
    for (const flag of ['--amount', '--commission-bps', '--reward-address', '--wait', '--dry-run'])
      assert.match(register.stdout, new RegExp(`  ${flag} `), flag);
  });

  test('a wallet is never made over another, nor where nobody would see its words', async () => {
    const generate = ['init', '--generate-password'];
    await refused(5, /exists already/, generate);
    const kept = ['init', '--password-file', 'words', '--file', 'new'];
    await refused(2, /nobody would see the 24 recovery words/, kept);
    assert.ok(!existsSync(join(directory, 'new')));
    await refused(2, /a wallet needs a password/, ['init', '--file', 'new', '--show-words']);
    await refused(2, /nobody is there to give the words.*--words-file/s, [
      ...['init', '--restore', '--no-input', '--generate-password', '--file', 'new'],
    ]);
    const restore = [...generate, '--file', 'new', '--words-file'];
    await refused(2, /no recovery words/, [...restore, '-'], 'abandon ability');
    writeFileSync(join(directory, 'words'), net.words, { mode: 0o644 });
    await refused(5, /can be read or changed by others.*chmod 600/s, [...restore, 'words']);
  });

  test('[WALLET-17] init prints 24 words once and keeps a random password beside the file', async () => {
    const made = await makeSecond();
    const words = made['words'] as string;
    assert.equal(words.split(' ').length, 24);
    for (const name of ['second', 'second.password']) {
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600);
    }
    assert.ok(readFileSync(join(directory, 'second.password'), 'utf8').length >= 43);
    using root = WalletRoot.fromMnemonic(words, '', 'development');
    const first = addressFromPublicKey(root.derivePublicKey(0, 0, 0), 'development');
    assert.equal(made['address'], first);
    const shown = await run([
      'address',
      '--file',
      'second',
      '--index',
      '0',
      '--service',
      'http://127.0.0.1:9',
    ]);
    assert.deepEqual([shown.code, shown.stdout], [0, `${first}\n`]);
  });

  test('wrong passwords, missing wallets and readable files are refused with 5', async () => {
    writeFileSync(join(directory, 'wrong'), 'wrong\n', { mode: 0o600 });
    await refused(5, /password is wrong/, ['balance', '--password-file', 'wrong']);
    renameSync(join(directory, 'second.password'), join(directory, 'moved'));
    const silent = ['balance', '--file', 'second', '--no-input'];
    await refused(2, /password of the wallet is needed.*--password-file/s, silent);
    renameSync(join(directory, 'moved'), join(directory, 'second.password'));
    await refused(5, /there is no wallet.*svc-wallet init/s, ['balance', '--file', 'nowhere']);
    chmodSync(join(directory, 'second'), 0o640);
    await refused(5, /mode 0640, needed 0600/, ['balance', '--file', 'second']);
    chmodSync(join(directory, 'second'), 0o600);
  });

  test('the password of a wallet is changed, and no password file with it', async () => {
    const first = ['address', '--index', '0', '--file', 'second'];
    const { address } = await json(first);
    const change = ['password-change', '--file', 'second', '--new-password-file'];
    await refused(2, /the password that the wallet has now/, [...change, 'second.password']);
    const { old_password_file } = await json([...change, 'second.new']);
    assert.equal(old_password_file, join(directory, 'second.password'));
    await refused(5, /password is wrong/, first);
    const withNew = ['--password-file', 'second.new'];
    assert.equal((await json([...first, ...withNew]))['address'], address);
    await json([...change, 'second.password', ...withNew]);
    assert.equal((await json(first))['address'], address);
  });

  test('a node that is not there ends with 3 and says what to do', async () => {
    const words = ['balance', '--service', 'http://127.0.0.1:9'];
    await refused(3, /no node answers at http:\/\/127\.0\.0\.1:9.*svcd run.*--service/s, words);
  });

  test('a wallet by itself: balance, payment request, payment, repeat, refusals', async () => {
    const balance = await json(['balance']);
    assert.ok(Number(balance['available']) > 1_000_000);
    const request = await run([
      'receive',
      '--file',
      'second',
      '--gap',
      '20',
      '--qr',
      '--amount',
      '1.25',
      '--label',
      'shop',
    ]);
    assert.match(request.stdout, /^svc:dsvc1[0-9a-z]+\?amount=1\.25&label=shop\n$/);
    assert.match(request.stderr, /[█▀▄]/u);
    const [to = ''] = request.stdout.slice('svc:'.length).split('?');
    const pay = ['send', '--to', to, '--amount', '1.25', '--request-id', 'one'];
    const dry = await json([...pay, '--dry-run']);
    assert.deepEqual(
      [dry['dry_run'], dry['submitted'], dry['amount']],
      [true, false, '1.25000000'],
    );
    assert.deepEqual((await json(['pending']))['transactions'], []);
    const paid = await line.whileCutting(json([...pay, '--wait']));
    assert.deepEqual([paid['outcome'], paid['duplicate'], paid['to']], ['finalized', false, to]);
    const again = await json(pay);
    assert.deepEqual([again['duplicate'], again['transaction']], [true, paid['transaction']]);
    const looked = await json(['request', '--request-id', 'one']);
    assert.deepEqual([looked['state'], looked['outcome']], ['made', 'finalized']);
    await refused(5, /recorded no request of this name/, ['request', '--request-id', 'two']);
    await refused(5, /free outputs do not cover/, ['send', '--to', to, '--amount', '99999999']);
    await refused(2, /nobody may be asked.*--yes/s, [
      'send',
      '--to',
      to,
      '--amount',
      '1',
      '--no-input',
    ]);
    const many = ['send-many', '--pay', `${to}=0.5`, '--recipients', '-', '--request-id', 'many'];
    const sent = await line.whileCutting(
      json([...many, '--no-input', '--yes', '--wait'], `${to},0.25\r\n\n${to}, 0.125\n`),
    );
    assert.deepEqual([sent['outcome'], sent['amount']], ['finalized', '0.87500000']);
    const asDocument = JSON.stringify([{ to, amount: '0.5', payload_text: 'rent' }]);
    const other = ['send-many', '--recipients', '-', '--request-id', 'other', '--dry-run'];
    assert.equal((await json(other, asDocument))['amount'], '0.50000000');
    await refused(2, /payload_note/, other, asDocument.replace('payload_text', 'payload_note'));
    const history = await run(['history', '--file', 'second']);
    assert.match(history.stdout, /received +1\.25000000/);
    const received = await json(['received', '--since-height', '0', '--file', 'second']);
    const payments = received['payments'] as { amount: string }[];
    const outputs = (await json(['outputs', '--file', 'second']))['outputs'] as unknown[];
    assert.deepEqual([payments[0]?.amount, outputs.length], ['1.25000000', payments.length]);
    const period = ['statement', '--from-height', '0', '--file', 'second'];
    const { closing, entries } = await json(period);
    const [head, opening, ...changes] = (await run(period)).stdout.trim().split('\n');
    assert.deepEqual(
      [head, opening],
      [
        'height,transaction,kind,request_id,received,spent,fee,change,balance,time',
        '0,,opening,,,,,,0.00000000,',
      ],
    );
    assert.equal(changes.length, (entries as unknown[]).length);
    assert.equal(changes.at(-1)?.split(',').at(-2), closing);
  });

  test('[WALLET-24] an ownership request is answered from the command line', async () => {
    await makeSecond();
    const { address } = await json([
      'address',
      '--file',
      'second',
      '--new',
      '--label',
      'me',
      '--gap',
      '20',
    ]);
    const request = await json(['proof-request', '--address', address as string]);
    const proof = await json(
      ['prove-address', '--file', 'second', '--request', '-'],
      JSON.stringify(request),
    );
    writeFileSync(join(directory, 'request.json'), JSON.stringify(request));
    writeFileSync(join(directory, 'proof.json'), JSON.stringify(proof));
    const verify = ['verify-address-proof', '--proof', 'proof.json', '--request', 'request.json'];
    assert.equal((await json(verify))['verified'], true);
    writeFileSync(join(directory, 'other.json'), JSON.stringify({ ...request, domain: 'other' }));
    const other = await run([...verify.slice(0, -1), 'other.json']);
    assert.deepEqual([other.code, /verified +false/.test(other.stdout)], [5, true]);
    await refused(5, /does not belong to this wallet/, [
      'prove-address',
      '--request',
      'request.json',
    ]);
  });

  test('a payment is asked for, signed without a network, and submitted', async () => {
    const from = net.network.facts.accounts[5]?.address as string;
    await makeSecond();
    const { address: to } = (await json(['receive', '--file', 'second'])) as { address: string };
    const ask = [
      'offline-request',
      '--from',
      from,
      '--to',
      to,
      '--amount',
      '2.5',
      '--out',
      'pay.json',
    ];
    const asked = await json(ask);
    await refused(5, /pay\.json: exists already/, ask);
    await refused(5, /no address of this wallet/, [
      'sign-offline',
      '--request',
      'pay.json',
      '--file',
      'second',
      '--out',
      'x',
      '--gap',
      '20',
    ]);
    const sign = ['sign-offline', '--request', 'pay.json'];
    const reviewed = await json([...sign, '--dry-run']);
    assert.deepEqual([reviewed['fee'], reviewed['fee_declared']], [asked['fee'], true]);
    const { transaction } = JSON.parse(readFileSync(join(directory, 'pay.json'), 'utf8')) as {
      transaction: Record<string, string>;
    };
    const screen = (await run([...sign, '--dry-run'])).stdout;
    assert.match(screen, new RegExp(`^PAID +to\n2\\.50000000 +${to}\n\n`, 'm'));
    assert.match(screen, new RegExp(`^BACK TO THIS WALLET +to\n[0-9.]+ +${from}$`, 'm'));
    for (const height of ['valid_from_height', 'valid_until_height'])
      assert.match(screen, new RegExp(`^${height} +${transaction[height]}$`, 'm'));
    assert.match(screen, new RegExp(`^fee +${asked['fee']}$`, 'm'));
    assert.ok(!existsSync(join(directory, 'signed.json')));
    await refused(5, /the fee would be/, [
      ...sign,
      '--out',
      'signed.json',
      '--max-fee',
      '0.00000001',
    ]);
    const signed = await json([...sign, '--out', 'signed.json']);
    const submitted = await line.whileCutting(
      json(['submit-offline', '--signed', 'signed.json', '--wait']),
    );
    assert.deepEqual(
      [submitted['transaction'], submitted['outcome']],
      [signed['transaction'], 'finalized'],
    );
  });

  test('a request that lies about what it spends cannot be used', async () => {
    const file = join(directory, 'pay.json');
    const request = JSON.parse(readFileSync(file, 'utf8')) as { spent: { amount: string }[] };
    (request.spent[0] as { amount: string }).amount = '1';
    writeFileSync(join(directory, 'lie.json'), JSON.stringify(request));
    const sign = ['sign-offline', '--request', 'lie.json', '--gap', '20', '--out', 'x'];
    await refused(5, /declares a fee of [0-9]+ atoms, its amounts leave -/, sign);
  });

  test('a request of several inputs that declares no fee is signed only if told to', async () => {
    const request = JSON.parse(readFileSync(join(directory, 'pay.json'), 'utf8')) as {
      spent: object[];
      transaction: { fee?: string; inputs: object[] };
    };
    const { fee, ...transaction } = request.transaction;
    const twice = {
      ...request,
      spent: [...request.spent, { ...request.spent[0], amount: '1' }],
      transaction: {
        ...transaction,
        inputs: [...transaction.inputs, { transaction_id: '77'.repeat(48), output_index: '0' }],
      },
    };
    writeFileSync(join(directory, 'open.json'), JSON.stringify(twice));
    const sign = ['sign-offline', '--request', 'open.json', '--gap', '20', '--dry-run'];
    await refused(5, /several inputs and declares no fee/, sign);
    const told = await json([...sign, '--allow-undeclared-fee']);
    assert.equal(told['fee_declared'], false);
    assert.equal(parseAmount(told['fee'] as string), String(BigInt(fee as string) + 1n));
    const declared = { ...twice, transaction: { ...twice.transaction, fee } };
    writeFileSync(join(directory, 'declared.json'), JSON.stringify(declared));
    const other = ['sign-offline', '--request', 'declared.json', '--gap', '20', '--dry-run'];
    await refused(5, /declares a fee of/, other);
  });

  test('[OPS-05][OPS-06] key files hold the keys of the wallet, sealed, and are never replaced', async () => {
    const consensus = [
      'validator-key-export',
      '--validator-key-file',
      'consensus.key',
      '--validator-key-password-file',
      'key.password',
    ];
    const fee = [
      'validator-heartbeat-fee-key-export',
      '--heartbeat-fee-key-file',
      'fee.key',
      '--heartbeat-fee-key-password-file',
      'key.password',
    ];
    const first = await json(consensus);
    const second = await json(fee);
    using root = WalletRoot.fromMnemonic(net.words, '', 'development');
    const password = readFileSync(join(directory, 'key.password'), 'utf8').trim();
    const seedIn = (name: string, kind: 'consensus' | 'heartbeat_fee'): string =>
      toHex(
        openKeyFile(
          readFileSync(join(directory, name)),
          { kind, network: 'development' },
          password,
        ),
      );
    assert.equal(seedIn('consensus.key', 'consensus'), toHex(root.exportSeed(0, 0, 2_147_483_647)));
    assert.equal(seedIn('fee.key', 'heartbeat_fee'), toHex(root.exportSeed(1, 0, 0)));
    assert.equal(
      first['consensus_public_key_hex'],
      toHex(root.derivePublicKey(0, 0, 2_147_483_647)),
    );
    assert.equal(
      second['heartbeat_fee_address'],
      addressFromPublicKey(root.derivePublicKey(1, 0, 0), 'development'),
    );
    for (const name of ['consensus.key', 'fee.key', 'key.password']) {
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600);
    }
    await refused(5, /consensus\.key: exists already/, consensus);
  });
});
