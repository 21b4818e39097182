import { readFileSync } from 'node:fs';
import { type Block, parseBlocks } from '../../../scripts/markdown.ts';

/** One example of docs/migration.md: a REST call with its GraphQL document, or a document alone. */
export interface Example {
  readonly title: string;
  readonly rest: { readonly method: string; readonly path: string; readonly body: string | undefined } | undefined;
  readonly document: string;
  readonly variables: Record<string, unknown>;
}

export const pageBlocks = parseBlocks(readFileSync(new URL('../../../docs/migration.md', import.meta.url), 'utf8'));

/**
 * The examples in order: an `http` block, then a `graphql` block, then a `json` block. In a table headed
 * "REST, Variables" each row is an example of the document above it.
 */
export function parseExamples(blocks: readonly Block[]): Example[] {
  const examples: Example[] = [];
  let document = '';
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'code' && block.language === 'graphql') {
      document = block.text;
      const [before, after] = [blocks[index - 1], blocks[index + 1]];
      const rest = before?.kind === 'code' && before.language === 'http' ? parseCall(before.text) : undefined;
      const variables = after?.kind === 'code' && after.language === 'json' ? JSON.parse(after.text) : {};
      // A document without a REST call belongs to the table below it, if there is one.
      const hasTableBelow = blocks.slice(index).find((next) => next.kind !== 'code')?.kind === 'table';
      if (rest || !hasTableBelow) examples.push({ title: titleOf(rest, document), rest, document, variables });
    }
    if (block.kind === 'table' && block.head.join() === 'REST,Variables') {
      for (const [call = '', variables = ''] of block.rows) {
        const [line = '', body] = extractCode(call);
        const rest = parseCall(body === undefined ? line : `${line}\n\n${body}`);
        const title = titleOf(rest, document);
        examples.push({ title, rest, document, variables: JSON.parse(extractCode(variables)[0] ?? '') });
      }
    }
  }
  return examples;
}

/** The text under a level 2 heading. */
export function sectionText(title: string): string {
  const start = pageBlocks.findIndex((block) => block.kind === 'heading' && block.level === 2 && block.text === title);
  const rest = pageBlocks.slice(start + 1);
  const end = rest.findIndex((block) => block.kind === 'heading' && block.level === 2);
  return start < 0 ? '' : JSON.stringify(end < 0 ? rest : rest.slice(0, end));
}

function extractCode(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function parseCall(text: string): Example['rest'] {
  const [line = '', ...body] = text.split(/\n\n/);
  const [method = '', path = ''] = line.split(' ');
  return { method, path, body: body.length > 0 ? body.join('\n\n') : undefined };
}

function titleOf(rest: Example['rest'], document: string): string {
  return rest ? `${rest.method} ${rest.path}${rest.body ? ` ${rest.body}` : ''}` : document.replace(/\s+/g, ' ');
}
