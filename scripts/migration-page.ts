import { readFileSync } from 'node:fs';
import { parseBlocks, renderHtml } from './markdown.ts';

const MARKDOWN_FILE = new URL('../docs/migration.md', import.meta.url);

/** Renders the page at `/docs/migration` from the text in the repository, in the layout of the other pages. */
export function renderMigrationPage(): string {
  const [title, lead, ...rest] = parseBlocks(readFileSync(MARKDOWN_FILE, 'utf8'));
  if (title?.kind !== 'heading' || lead?.kind !== 'paragraph') {
    throw new Error('docs/migration.md must start with a title and a paragraph.');
  }
  return `<!doctype html>
<!-- Generated from docs/migration.md by \`npm run generate\`; do not edit. -->
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${title.text} · Switchboard</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="{{pages.css}}" />
</head>
<body>
{{bar}}
<main class="article">
<h1>${title.text}</h1>
${renderHtml([lead]).replace('<p>', '<p class="lead">')}
${renderHtml(rest)}
</main>
</body>
</html>
`;
}
