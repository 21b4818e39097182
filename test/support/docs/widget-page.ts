import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const TEXT = readFileSync(join(import.meta.dirname, '../../../docs/widget.md'), 'utf8');

/** The page about the widget. */
export const readWidgetText = () => TEXT;

/** The examples in a section of the page about the widget, for a service at this address. */
export function readWidgetExamples(title: string, service: string): string[] {
  const section = TEXT.split(/^##? /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```(?:html|text)\n(.*?)^```$/gms)].map(([, example = '']) =>
    example.replaceAll('https://chat.example.com', service).replaceAll('wss://chat.example.com', toSocket(service)),
  );
}

const toSocket = (address: string) => address.replace(/^http/, 'ws');
