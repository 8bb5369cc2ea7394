/**
 * One attacker as a process of its own: `node crowd-process.ts <attack> <port> <size> <address>`. It attacks until its
 * standard input ends, and then prints what it did as JSON.
 */
import { ATTACKS, type AttackName } from './attacks.ts';
import { Crowd } from './crowd.ts';

const OPENED_MAX = 1_000_000;
const [name = '', port = '', size = '', from = ''] = process.argv.slice(2);
const attack = ATTACKS[name as AttackName];
if (attack === undefined) throw new Error(`there is no attack named ${name}`);
const crowd = new Crowd(attack, {
  port: Number(port),
  from,
  size: Number(size),
  openedMax: OPENED_MAX,
});
process.stdin.resume().once('end', () => {
  const { opened } = crowd;
  crowd.stop();
  process.stdout.write(JSON.stringify({ opened }));
});
