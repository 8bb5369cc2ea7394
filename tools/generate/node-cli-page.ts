/**
 * The page on every command of `svcd`, from the tree that parses them.
 */
import { EXIT } from '../../packages/base/src/cli/index.ts';
import { buildProgram } from '../../packages/node/src/cli/program.ts';
import { SETTING_PATHS, SETTINGS } from '../../packages/node/src/config/settings.ts';
import { code, type Page, page, table } from './markdown.ts';

type Command = ReturnType<typeof buildProgram>;
type Option = Command['options'][number];
type Argument = Command['registeredArguments'][number];

const EXIT_MEANINGS = {
  [EXIT.ok]: 'done',
  [EXIT.failed]: 'failed',
  [EXIT.usage]: 'the command or its options cannot be understood',
  [EXIT.unreachable]: 'the node cannot be reached',
  [EXIT.refused]: 'refused',
};

/** Explained on the page of settings, once for all commands. */
const SETTING_FLAGS: ReadonlySet<string> = new Set(
  SETTING_PATHS.flatMap((path) => SETTINGS[path].flag ?? []),
);

const INTRODUCTION = `The result of a command goes to standard output and everything else to standard error. With \`--json\`
the result is one JSON document. Colours are left out where \`NO_COLOR\` is set, with \`--no-color\`, and where no
terminal is.`;

export function nodeCliPage(): Page {
  const program = buildProgram();
  const codes = Object.entries(EXIT_MEANINGS).map(([number, meaning]) => [number, meaning]);
  return page('docs/reference/cli.md', 'svcd', [
    INTRODUCTION,
    table(['exit code', 'meaning'], codes),
    ...leavesOf(program, []).map(sectionOf),
  ]);
}

interface Leaf {
  readonly command: Command;
  readonly name: string;
}

function leavesOf(command: Command, names: readonly string[]): Leaf[] {
  const path = [...names, command.name()];
  if (command.commands.length === 0) return [{ command, name: path.join(' ') }];
  return command.commands.flatMap((child) => leavesOf(child, path));
}

function sectionOf({ command, name }: Leaf): string {
  const args = command.registeredArguments.map(argumentText).join(' ');
  const usage = ['```', [name, '[options]', args].join(' ').trim(), '```'].join('\n');
  const own = command.options.filter(({ flags }) => !SETTING_FLAGS.has(flags));
  const settings = command.options.filter(({ flags }) => SETTING_FLAGS.has(flags));
  const values = command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => [code(argument.name()), argument.description]);
  const options = own.length === 0 ? [] : [own.map(optionLine).join('\n')];
  const flags = settings.map(({ flags: flag }) => code(flag)).join(', ');
  const further = flags === '' ? [] : [`[Settings](config.md) as flags: ${flags}.`];
  const given = values.length === 0 ? [] : [table(['argument', 'meaning'], values)];
  const about = command.description() || sentence(command.summary());
  return [`## ${name}`, about, usage, ...given, ...options, ...further].join('\n\n');
}

function argumentText(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

function optionLine({ flags, description, defaultValue, argChoices }: Option): string {
  const choices = argChoices === undefined ? '' : `; one of ${argChoices.join(', ')}`;
  const isTold = typeof defaultValue === 'string';
  return `- ${code(flags)}: ${description}${choices}${isTold ? ` (default: ${defaultValue})` : ''}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
