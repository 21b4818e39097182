import { readFileSync } from 'node:fs';
import { blocksOf, htmlOf } from './markdown.ts';

const MARKDOWN = new URL('../docs/migration.md', import.meta.url);

/** The page at `/docs/migration`: the same text as in the repository, in the dress of the other pages. */
export function migrationPage(): string {
  const [title, lead, ...rest] = blocksOf(readFileSync(MARKDOWN, 'utf8'));
  if (title?.kind !== 'heading' || lead?.kind !== 'paragraph') {
    throw new Error('docs/migration.md must begin with a title and a paragraph.');
  }
  return `<!doctype html>
<!-- Made from docs/migration.md by \`npm run generate\`; do not edit it. -->
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${title.text} · Switchboard</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="/style.css" />
</head>
<body>
<header>
<div class="brand"><img src="/favicon.svg" alt="" /><a href="/">Switchboard</a></div>
<h1>${title.text}</h1>
${htmlOf([lead]).replace('<p>', '<p class="lead">')}
<p><a href="/docs/migration/meter">Migration meter</a> · <a href="/graphiql">GraphiQL</a> · <a href="/docs">REST</a></p>
</header>
<main>
${htmlOf(rest)}
</main>
<footer><a href="/">Back to the start</a></footer>
</body>
</html>
`;
}
