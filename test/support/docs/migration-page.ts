import { readFileSync } from 'node:fs';
import { type Block, blocksOf } from '../../../scripts/markdown.ts';

/** One example of docs/migration.md: a REST call beside a document, or a document alone. */
export interface Example {
  readonly title: string;
  readonly rest: { readonly method: string; readonly path: string; readonly body: string | undefined } | undefined;
  readonly document: string;
  readonly variables: Record<string, unknown>;
}

export const page = blocksOf(readFileSync(new URL('../../../docs/migration.md', import.meta.url), 'utf8'));

/**
 * The examples in their order: a block `http`, the block `graphql` after it and the block `json` after that. In a table
 * headed "REST, Variables" each row is an example with the document above it.
 */
export function examplesIn(blocks: readonly Block[]): Example[] {
  const examples: Example[] = [];
  let document = '';
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'code' && block.language === 'graphql') {
      document = block.text;
      const [before, after] = [blocks[index - 1], blocks[index + 1]];
      const rest = before?.kind === 'code' && before.language === 'http' ? callOf(before.text) : undefined;
      const given = after?.kind === 'code' && after.language === 'json' ? JSON.parse(after.text) : {};
      // A document alone without what it needs is there for the table below it.
      const needed = blocks.slice(index).find((next) => next.kind !== 'code')?.kind === 'table';
      if (rest || !needed) examples.push({ title: titleOf(rest, document), rest, document, variables: given });
    }
    if (block.kind === 'table' && block.head.join() === 'REST,Variables') {
      for (const [call = '', variables = ''] of block.rows) {
        const [line = '', body] = codeIn(call);
        const rest = callOf(body === undefined ? line : `${line}\n\n${body}`);
        const title = titleOf(rest, document);
        examples.push({ title, rest, document, variables: JSON.parse(codeIn(variables)[0] ?? '') });
      }
    }
  }
  return examples;
}

/** All text under a heading of the second level. */
export function sectionOf(title: string): string {
  const start = page.findIndex((block) => block.kind === 'heading' && block.level === 2 && block.text === title);
  const rest = page.slice(start + 1);
  const end = rest.findIndex((block) => block.kind === 'heading' && block.level === 2);
  return start < 0 ? '' : JSON.stringify(end < 0 ? rest : rest.slice(0, end));
}

function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function callOf(text: string): Example['rest'] {
  const [line = '', ...body] = text.split(/\n\n/);
  const [method = '', path = ''] = line.split(' ');
  return { method, path, body: body.length > 0 ? body.join('\n\n') : undefined };
}

function titleOf(rest: Example['rest'], document: string): string {
  return rest ? `${rest.method} ${rest.path}${rest.body ? ` ${rest.body}` : ''}` : document.replace(/\s+/g, ' ');
}
