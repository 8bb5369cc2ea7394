/**
 * Services that are wrong on purpose: with them the campaign has to fail. One credits before it stores the height, and
 * nothing refuses a second credit; the other pays under a name of its own in place of the stored one.
 */
import assert from 'node:assert/strict';
import type { Change, Language } from '../testing/document-program.ts';

export type Broken = 'deposits' | 'withdrawals';

/** Where a kill does harm the wrong programs wait, as on a slow machine. */
const wait = (millis: number): string =>
  `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${millis});`;

const REPLACEMENTS: Readonly<Record<Broken, Readonly<Record<Language, readonly Replacement[]>>>> = {
  deposits: {
    typescript: [
      [',\n      PRIMARY KEY("transaction", output)) STRICT', ') STRICT'],
      ['payment.amount, note);', "payment.amount, note); ledger.exec('COMMIT; BEGIN');"],
      ['store.run(reached);', `${wait(10_000)} $&`],
    ],
    python: [
      [',\n          PRIMARY KEY("transaction", output))', ')'],
      ['sqlite3.connect(database)', 'sqlite3.connect(database, isolation_level=None)'],
      ['ledger.execute("UPDATE progress', 'time.sleep(10); $&'],
    ],
  },
  withdrawals: {
    typescript: [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template of the program.
      ['request_id: id }', 'request_id: `${id}-${process.pid}` }'],
      ["mark.run('sent'", `${wait(1_000)} $&`],
    ],
    python: [
      ['"request_id": name}', '"request_id": f"{name}-{time.time()}"}'],
      ['if state == "open":', 'time.sleep(1)\n            $&'],
    ],
  },
};

type Replacement = readonly [found: string, put: string];

export function breaking(broken: Broken | undefined, page: Broken, language: Language): Change {
  if (broken !== page) return (text) => text;
  return (text) => {
    let changed = text;
    for (const [found, put] of REPLACEMENTS[page][language]) {
      assert.ok(changed.includes(found), `the program has no ${found}`);
      changed = changed.replace(found, () => put.replace('$&', found));
    }
    return changed;
  };
}
