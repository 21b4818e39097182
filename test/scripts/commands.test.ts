import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command, CommanderError } from 'commander';
import { defineCommands } from '../../src/commands/definitions.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = /(?:npm run (?:-s )?switchboard --|node src\/main\.ts) ?/;
/** Documentation, pages and deployment files: everything outside the code that names commands. */
const TEXTS = globSync(['*.md', 'docs/**/*.md', 'web/**/*.html', 'deploy/**/*', 'Dockerfile'], { cwd: ROOT }).filter(
  (file) => /\.\w+$|Dockerfile$/.test(file),
);
const SOURCES = globSync(['src/**/*.ts', 'scripts/**/*.ts', 'web/**/*.ts'], { cwd: ROOT });

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const findAll = (files: readonly string[], pattern: RegExp) =>
  files.flatMap((file) => [...read(file).matchAll(pattern)].map(([, text = '']) => ({ file, text })));

/** Splits a line like a shell; enough for the quotes and comments of the documentation. */
function toArguments(line: string): string[] {
  const words = line.replace(/\s+#.*$/, '').match(/"[^"]*"|[^\s"]+/g) ?? [];
  return words.map((word) => word.replaceAll('"', '')).filter((word) => !/^[<|>]/.test(word));
}

/** Why the program does not accept the arguments; undefined if it does. */
async function findProblem(args: readonly string[]): Promise<CommanderError | undefined> {
  const program = new Command('switchboard').exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  defineCommands(program, () => async () => undefined);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? undefined : error;
    throw error;
  }
}

async function listProblems(mentions: readonly { file: string; text: string }[], isAllowed = (_code: string) => false) {
  const problems: string[] = [];
  for (const { file, text } of mentions) {
    const problem = await findProblem(toArguments(text));
    if (problem && !isAllowed(problem.code)) problems.push(`${file}: ${text}: ${problem.message}`);
  }
  return problems;
}

/** A sentence can name a command without its arguments. */
const isIncomplete = (code: string) =>
  ['commander.missingArgument', 'commander.missingMandatoryOptionValue', 'commander.help'].includes(code);

test('every command line of the documentation is complete', async () => {
  const lines = findAll(TEXTS, new RegExp(`^ *(?:\\$ )?(?:docker compose .*exec \\w+ )?${PROGRAM.source}(.*)$`, 'gm'));
  assert.ok(lines.length > 20, 'no commands were found');
  assert.deepEqual(await listProblems(lines), []);
});

test('every command that a sentence names exists', async () => {
  const names = findAll(TEXTS, new RegExp(`(?:\`|<code>)${PROGRAM.source}([^\`<]*)(?:\`|</code>)`, 'g'));
  assert.ok(names.length > 5, 'no commands were found');
  assert.deepEqual(await listProblems(names, isIncomplete), []);
});

test('every command in a message exists', async () => {
  const messages = findAll(SOURCES, /toCommandText\([^,)]+, '([^']+)'\)/g);
  assert.ok(messages.length > 5, 'no commands were found');
  assert.deepEqual(await listProblems(messages, isIncomplete), []);
});

test('no text names a command without the program that runs it', () => {
  const program = new Command('switchboard');
  defineCommands(program, () => async () => undefined);
  const names = program.commands.map((command) => command.name()).join('|');
  const mentions = findAll([...TEXTS, ...SOURCES], new RegExp(`(\\bswitchboard (?:${names})\\b)`, 'g'));
  assert.deepEqual(mentions, []);
});
