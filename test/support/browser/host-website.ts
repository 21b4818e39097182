import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page of a website that shows the widget. */
export interface HostPage {
  /** The address of the service, without a slash at its end. */
  readonly service: string;
  readonly website: number;
  /** Further attributes of the script tag, for example `data-theme`. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** The number of script tags. */
  readonly tags?: number;
  /** Comes before the script tag. */
  readonly head?: string;
  readonly body?: string;
  /** The content security policy. */
  readonly policy?: string;
}

export interface HostWebsite {
  /** On `localhost`, which is another origin than that of the service, on `127.0.0.1`. */
  readonly origin: string;
  /** Returns the address of a page. Every path below it shows the same page, for navigation within the page. */
  addPage(page: HostPage): string;
  stop(): Promise<void>;
}

/** A website on another origin than the service. */
export async function startHostWebsite(): Promise<HostWebsite> {
  const pages = new Map<string, HostPage>();
  const server = createServer(({ url = '' }, response) => {
    const page = pages.get(url.split('/')[1] ?? '');
    if (!page) return response.writeHead(url === '/favicon.ico' ? 204 : 404).end();
    const { policy } = page;
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      ...(policy && { 'content-security-policy': policy }),
    });
    response.end(renderPage(page));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    addPage(page) {
      const name = `page${pages.size + 1}`;
      pages.set(name, page);
      return `${origin}/${name}/`;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function renderPage({ service, website, attributes = {}, tags = 1, head = '', body = '' }: HostPage): string {
  const others = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  const tag = `<script async src="${service}/widget.js" data-website="${website}"${others.join('')}></script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A shop</title>
${head}
${tag.repeat(tags)}
</head>
<body>
<main><h1>A shop</h1>${body}</main>
</body>
</html>`;
}
