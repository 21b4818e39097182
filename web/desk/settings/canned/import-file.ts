import { parseCsv, removeFormulaGuard } from './csv.ts';
import {
  createReplyKey,
  findReplyProblems,
  MAX_REPLIES,
  type OwnedReply,
  type ReplyContent,
  type ReplyProblem,
} from './reply.ts';

export type FileProblem = 'unreadable' | 'noColumns' | 'empty' | 'tooMany';

/** What the import does with a row. */
export interface ImportRow extends ReplyContent {
  /** In the file, from 1, without the names of the columns. */
  readonly row: number;
  readonly effect: 'create' | 'change' | 'same' | 'wrong';
  /** Of a row that is wrong. */
  readonly problems: readonly (ReplyProblem | 'repeated')[];
  /** That the row replaces. */
  readonly before?: OwnedReply | undefined;
}

export type ImportPlan =
  | { readonly ok: true; readonly rows: readonly ImportRow[] }
  | { readonly ok: false; readonly problem: FileProblem };

/** Reads a file and compares it with the replies of the owner, so that people see what will happen. */
export function planImport(text: string, existing: readonly OwnedReply[]): ImportPlan {
  const isJson = /^\s*[[{]/.test(text.replace(/^\ufeff/, ''));
  const contents = isJson ? readJson(text.replace(/^\ufeff/, '')) : readCsv(text);
  if (typeof contents === 'string') return { ok: false, problem: contents };
  if (contents.length === 0) return { ok: false, problem: 'empty' };
  if (contents.length > MAX_REPLIES) return { ok: false, problem: 'tooMany' };
  const byKey = new Map(existing.map((reply) => [createReplyKey(reply), reply]));
  const seen = new Set<string>();
  const rows = contents.map((content, index): ImportRow => {
    const key = createReplyKey(content);
    const problems = [...findReplyProblems(content), ...(seen.has(key) ? (['repeated'] as const) : [])];
    seen.add(key);
    const before = byKey.get(key);
    const isSame = before?.text === content.text && before.shortcut === content.shortcut;
    const effect = problems.length > 0 ? 'wrong' : before === undefined ? 'create' : isSame ? 'same' : 'change';
    return { ...content, row: index + 1, effect, problems, before };
  });
  return { ok: true, rows };
}

function readCsv(text: string): ReplyContent[] | FileProblem {
  const rows = parseCsv(text);
  if (rows === undefined) return 'unreadable';
  const [names = [], ...lines] = rows;
  const columns = names.map((name) => name.trim().toLowerCase());
  const find = (name: string) => columns.indexOf(name);
  const [shortcut, content, language] = [find('shortcut'), find('text'), find('language')];
  if (shortcut < 0 || content < 0) return 'noColumns';
  const read = (line: string[], column: number) => removeFormulaGuard(line[column] ?? '');
  return lines.map((line) =>
    toContent({ shortcut: read(line, shortcut), text: read(line, content), language: read(line, language) }),
  );
}

/** A list, or an object whose `replies` is one. */
function readJson(text: string): ReplyContent[] | FileProblem {
  try {
    const content: unknown = JSON.parse(text);
    const list = Array.isArray(content) ? content : (content as { replies?: unknown }).replies;
    if (!Array.isArray(list)) return 'noColumns';
    return list.map((item: unknown) => toContent(typeof item === 'object' && item !== null ? item : {}));
  } catch {
    return 'unreadable';
  }
}

function toContent(values: { shortcut?: unknown; text?: unknown; language?: unknown }): ReplyContent {
  const toText = (value: unknown) => (typeof value === 'string' ? value : '');
  const language = toText(values.language).trim().toLowerCase();
  return {
    shortcut: toText(values.shortcut).trim().replace(/^\//, ''),
    text: toText(values.text).replaceAll(/\r\n?/g, '\n'),
    language: language === '' ? null : language,
  };
}
