/**
 * Compares the kernel with the reference on many generated transactions.
 *
 * Usage: node tools/bootstrap.mjs packages/protocol/test/reference/main.ts [cases, 65,536 unless given]
 */
import { init } from '../../src/entry/node.ts';
import { Random } from '../generate/random.ts';
import { judgeBoth } from './agreement.ts';

const CASES_DEFAULT = 65_536;

await init();
const cases = Number(process.argv[2] ?? CASES_DEFAULT);
const tally = judgeBoth(new Random('agreement'), cases);
process.stdout.write(`${cases} cases agree: ${JSON.stringify(tally)}\n`);
