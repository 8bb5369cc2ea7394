/**
 * The page on every command of `svc-wallet`, from the tree that parses them.
 */
import { EXIT, type ExitCode } from '../../packages/base/src/cli/index.ts';
import { examplesOf } from '../../packages/wallet/src/cli/options.ts';
import { buildProgram } from '../../packages/wallet/src/cli/program.ts';
import { mark, type Page, table } from './markdown.ts';

type Command = ReturnType<typeof buildProgram>['commands'][number];
type Option = Command['options'][number];

const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.ok]: 'done',
  [EXIT.failed]: 'failed',
  [EXIT.usage]: 'the command or its options cannot be understood',
  [EXIT.unreachable]: 'the node or the daemon cannot be reached, or is not ready: try again later',
  [EXIT.unknown]:
    'the outcome is unknown, or this call was refused for its token and an earlier one of the same name may have paid: repeat with the same request id, and with no other',
  [EXIT.refused]: 'refused: this call has done nothing',
};

/** Options of more commands than this are explained once. */
const COMMANDS_MAX = 4;
/** The options of this command are those of most commands, and are not listed again. */
const PLAIN_COMMAND = 'balance';

const HEAD = `${mark('packages/wallet/src/cli')}

# svc-wallet

The result of a command goes to standard output and everything else to standard error. With \`--json\` the result is one JSON
document. Colours are left out where \`NO_COLOR\` is set, with \`--no-color\`, and where no terminal is. While a daemon holds the
wallet, commands go through it. What moves coins is carried out once for each \`--request-id\`. At a terminal it asks first, unless
\`--yes\` is given; \`--no-input\` never asks, and refuses what would have to be asked.

How to use it: [a wallet](../start/wallet.md). The daemon's methods: [JSON-RPC](json-rpc.md).`;

export function walletCliPage(): Page {
  const { commands } = buildProgram();
  const shared = sharedOptions(commands);
  const plain = commands.find((command) => command.name() === PLAIN_COMMAND);
  const common = (plain?.options ?? []).filter((option) => shared.has(keyOf(option)));
  const codes = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, meaning]);
  const parts = [
    HEAD,
    table(['exit code', 'meaning'], codes),
    '## Options of many commands',
    [...shared.values()].map(optionLine).join('\n'),
    `*Wallet options*, which most commands have: ${longNames(common)}.`,
    ...commands.map((command) => sectionOf(command, shared, common)),
  ];
  return { path: 'docs/reference/wallet-cli.md', text: `${parts.join('\n\n')}\n` };
}

function keyOf({ description, flags }: Option): string {
  return `${flags}\n${description}`;
}

function sharedOptions(commands: readonly Command[]): ReadonlyMap<string, Option> {
  const found = new Map<string, { option: Option; count: number }>();
  for (const option of commands.flatMap(({ options }) => options)) {
    const count = (found.get(keyOf(option))?.count ?? 0) + 1;
    found.set(keyOf(option), { option, count });
  }
  const often = [...found].filter(([, { count }]) => count > COMMANDS_MAX);
  return new Map(often.map(([key, { option }]) => [key, option]));
}

function longNames(options: readonly Option[]): string {
  return options.map(({ long }) => `\`${long}\``).join(', ');
}

function sectionOf(
  command: Command,
  shared: ReadonlyMap<string, Option>,
  common: readonly Option[],
): string {
  const own = command.options.filter((option) => !shared.has(keyOf(option)));
  const many = command.options.filter((option) => shared.has(keyOf(option)));
  const keys = new Set(many.map(keyOf));
  const isUsual = common.every((option) => keys.has(keyOf(option)));
  const usual = new Set(isUsual ? common.map(keyOf) : []);
  const rest = many.filter((option) => !usual.has(keyOf(option)));
  const also = [longNames(rest), isUsual ? '*wallet options*' : ''].filter((text) => text !== '');
  const examples = examplesOf(command).map((example) => `svc-wallet ${example}`);
  return [
    `## svc-wallet ${command.name()}`,
    command.description(),
    ['```', ...examples, '```'].join('\n'),
    ...(own.length === 0 ? [] : [own.map(optionLine).join('\n')]),
    ...(also.length === 0 ? [] : [`Also: ${also.join(', ')}.`]),
  ].join('\n\n');
}

function optionLine(option: Option): string {
  const { argChoices, defaultValue, description, envVar, flags, mandatory } = option;
  const notes = [
    ...(mandatory ? ['required'] : []),
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`]),
    ...(envVar === undefined ? [] : [`or \`${envVar}\``]),
  ];
  const told = typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : '';
  const text = [`${description}${told}`, ...notes].join('; ');
  return `- \`${flags}\`: ${text.replaceAll('<', '\\<')}`;
}
