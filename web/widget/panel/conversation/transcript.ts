import type { Message } from '../state/state.ts';

export interface TranscriptWords {
  readonly title: string;
  readonly you: string;
  readonly operator: string;
  readonly locale: string;
}

/** The conversation as a text file. */
export function writeTranscript(
  messages: readonly Message[],
  { title, you, operator, locale }: TranscriptWords,
): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const lines = messages.map((message) => {
    const { author, text, attachments } = message;
    const name = author === 'VISITOR' ? you : (message.operator?.pseudo ?? operator);
    const content = [text, ...attachments.map((file) => `[${file.name}]`)].filter((part) => part !== '').join('\n');
    return `${format.format(new Date(message.at))}  ${author === 'NOTICE' ? content : `${name}: ${content}`}`;
  });
  return `${[title, '', ...lines].join('\n')}\n`;
}
