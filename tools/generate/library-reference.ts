/**
 * The reference of the libraries as a page: every public name of `svc-client` and `svc-devnet` with its comment and its
 * signature. A public name without a comment is an error.
 */
import { LIBRARIES, type PublicLibrary } from '../pack/public-packages.ts';
import { type DeclaredName, declaredNames } from './declared-names.ts';
import { mark } from './markdown.ts';

const HEAD = `${mark('the comments in packages/client and packages/devnet')}

# Reference of \`svc-client\` and \`svc-devnet\`

Every public name, as its source declares it; fields are read-only. How to use them: [the client](../integrate/client.md), [testing](../integrate/testing.md),
[a browser wallet](../integrate/browser-wallet.md). A method of \`Client\` that is not listed here is a [route](http.md), under the name in
brackets there; the methods of a wallet daemon have [a page of their own](json-rpc.md). Types that are not declared here are those of
[\`svc-wasm\`](../integrate/svc-wasm.md) and of the documents of routes.`;

/** Sections of the client by the files that declare the names; a file in no section is an error. */
const CLIENT_SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'A client and its errors': [
    'client.ts',
    'client-error.ts',
    'http/retry.ts',
    'routes/route-types.ts',
    'submit.ts',
    'wait-final.ts',
  ],
  'Accounts, payments and balances': [
    'actions/account.ts',
    'actions/pay.ts',
    'actions/read.ts',
    'follow-addresses.ts',
  ],
  'Several signers': ['actions/multisig.ts'],
  Messages: ['actions/messenger.ts', 'actions/signed-transaction.ts'],
  Proofs: ['light/light-wallet.ts', 'light/trust-store.ts', 'light-client.ts'],
  Sockets: ['sockets/api-socket.ts', 'sockets/cut-events.ts', 'sockets/reconnect.ts'],
  'The wallet daemon': [
    'wallet/wallet-client.ts',
    'wallet/follow-deposits.ts',
    'wallet/wallet-rpc-error.ts',
  ],
};

export function libraryReference(): string {
  const entries = LIBRARIES.flatMap((library) => Object.values(library.entries));
  const names = declaredNames(entries);
  const bare = [...names.values()].flat().filter(({ comment }) => comment === '');
  if (bare.length > 0)
    throw new Error(`no comment: ${bare.map(({ name, file }) => `${name} in ${file}`).join(', ')}`);
  return `${[HEAD, ...LIBRARIES.flatMap((library) => librarySections(library, names))].join('\n\n')}\n`;
}

function librarySections(
  library: PublicLibrary,
  names: ReadonlyMap<string, readonly DeclaredName[]>,
): string[] {
  return Object.entries(library.entries).flatMap(([entry, file]) => {
    const declared = names.get(file) ?? [];
    const path = entry === 'index' ? library.name : `${library.name}/${entry}`;
    if (path === 'svc-client') return clientSections(declared);
    return [`## \`${path}\``, ...inOrder(declared).map(nameSection)];
  });
}

function clientSections(declared: readonly DeclaredName[]): string[] {
  const left = new Set(declared);
  const sections = Object.entries(CLIENT_SECTIONS).flatMap(([title, files]) => {
    const rows = files.flatMap((file) =>
      inOrder(declared.filter((each) => each.file === `packages/client/src/${file}`)),
    );
    for (const row of rows) left.delete(row);
    return [`## ${title}`, ...rows.map(nameSection)];
  });
  const [lost] = left;
  if (lost !== undefined) throw new Error(`${lost.file} is in no section of the reference`);
  return sections;
}

/** What can be called comes before what is only described. */
function inOrder(declared: readonly DeclaredName[]): DeclaredName[] {
  const isType = ({ signature }: DeclaredName) => /^(?:interface|type) /.test(signature);
  return [...declared.filter((each) => !isType(each)), ...declared.filter(isType)];
}

function nameSection({ name, comment, signature }: DeclaredName): string {
  const [said = '', example] = comment.split(/\s*@example\n/, 2);
  return [
    `### \`${name}\``,
    said.replaceAll('\n', ' '),
    `\`\`\`ts no-run\n${signature.replaceAll('readonly ', '')}\n\`\`\``,
    ...(example === undefined ? [] : ['For example:', `\`\`\`ts no-run\n${example}\n\`\`\``]),
  ].join('\n\n');
}
