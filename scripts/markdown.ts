/** The subset of Markdown that our pages use. Other syntax is an error, so that no page is rendered incompletely. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Parses headings, paragraphs, lists with `-`, fenced code and tables. */
export function parseBlocks(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  const takeWhile = (matches: (line: string) => boolean) => {
    const end = lines.findIndex((line) => !matches(line));
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
      const text = takeWhile((inside) => inside !== '```').join('\n');
      if (lines.shift() === undefined) throw new Error(`Unclosed code block: ${text}`);
      blocks.push({ kind: 'code', language: line.slice(3), text });
    } else if (line.startsWith('|')) {
      const [head = '', , ...rows] = takeWhile((inside) => inside.startsWith('|'));
      blocks.push({ kind: 'table', head: parseCells(head), rows: rows.map(parseCells) });
    } else if (line.startsWith('- ')) {
      blocks.push({ kind: 'list', items: takeWhile((inside) => inside.startsWith('- ')).map((item) => item.slice(2)) });
    } else if (/^(#|\d+\. |[*+>] | {2,}|<)/.test(line)) {
      throw new Error(`Unsupported Markdown: ${line}`);
    } else {
      blocks.push({
        kind: 'paragraph',
        text: takeWhile((inside) => inside !== '' && !/^(```|\||#|- )/.test(inside)).join(' '),
      });
    }
  }
  return blocks;
}

function parseCells(line: string): string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());
}

export function renderHtml(blocks: readonly Block[]): string {
  return blocks.map(renderBlock).join('\n');
}

function renderBlock(block: Block): string {
  if (block.kind === 'heading') {
    return `<h${block.level} id="${toSlug(block.text)}">${renderInline(block.text)}</h${block.level}>`;
  }
  if (block.kind === 'paragraph') return `<p>${renderInline(block.text)}</p>`;
  if (block.kind === 'list')
    return `<ul>\n${block.items.map((item) => `<li>${renderInline(item)}</li>`).join('\n')}\n</ul>`;
  if (block.kind === 'code') return `<pre><code>${escapeHtml(block.text)}</code></pre>`;
  const head = block.head.map((cell) => `<th scope="col">${renderInline(cell)}</th>`).join('');
  const rows = block.rows.map((row) => `<tr>${row.map((cell) => `<td>${renderInline(cell)}</td>`).join('')}</tr>`);
  return `<div class="table-scroll"><table class="table">\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table></div>`;
}

/** Renders code, bold text and links. Text inside code is not interpreted. */
function renderInline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`')
        ? `<code>${escapeHtml(part.slice(1, -1))}</code>`
        : escapeHtml(part)
            .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
            .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>'),
    )
    .join('');
}

/** The same slug as on code hosts, so that links into the page work in both places. */
function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
