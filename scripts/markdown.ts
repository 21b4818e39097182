/** The little Markdown that our pages use. Anything else is refused, so that no page is shown half rendered. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Headings, paragraphs, lists with `-`, fenced code and tables, one after the other. */
export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  /** Takes lines while they fit. */
  const take = (fits: (line: string) => boolean) => {
    const end = lines.findIndex((line) => !fits(line));
    return lines.splice(0, end < 0 ? lines.length : end);
  };
  while (lines.length > 0) {
    const line = lines[0] as string;
    const heading = line.match(/^(#{1,3}) (.+)$/);
    if (line === '') {
      lines.shift();
    } else if (heading) {
      lines.shift();
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
    } else if (line.startsWith('```')) {
      lines.shift();
      const text = take((inside) => inside !== '```').join('\n');
      if (lines.shift() === undefined) throw new Error(`Code that does not end: ${text}`);
      blocks.push({ kind: 'code', language: line.slice(3), text });
    } else if (line.startsWith('|')) {
      const [head = '', , ...rows] = take((inside) => inside.startsWith('|'));
      blocks.push({ kind: 'table', head: cellsOf(head), rows: rows.map(cellsOf) });
    } else if (line.startsWith('- ')) {
      blocks.push({ kind: 'list', items: take((inside) => inside.startsWith('- ')).map((item) => item.slice(2)) });
    } else if (/^(#|\d+\. |[*+>] | {2,}|<)/.test(line)) {
      throw new Error(`The page uses Markdown that is not rendered: ${line}`);
    } else {
      blocks.push({
        kind: 'paragraph',
        text: take((inside) => inside !== '' && !/^(```|\||#|- )/.test(inside)).join(' '),
      });
    }
  }
  return blocks;
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());
}

export function htmlOf(blocks: readonly Block[]): string {
  return blocks.map(htmlOfBlock).join('\n');
}

function htmlOfBlock(block: Block): string {
  if (block.kind === 'heading') {
    return `<h${block.level} id="${slugOf(block.text)}">${inline(block.text)}</h${block.level}>`;
  }
  if (block.kind === 'paragraph') return `<p>${inline(block.text)}</p>`;
  if (block.kind === 'list') return `<ul>\n${block.items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</ul>`;
  if (block.kind === 'code') return `<pre><code>${escaped(block.text)}</code></pre>`;
  const head = block.head.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('');
  const rows = block.rows.map((row) => `<tr>${row.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`);
  return `<div class="scroll"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table></div>`;
}

/** Code, strong words and links; what is inside code stays as it is. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`')
        ? `<code>${escaped(part.slice(1, -1))}</code>`
        : escaped(part)
            .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
            .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>'),
    )
    .join('');
}

/** As code hosts make it, so that a link into the page works in both places. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
