import { detectLanguage, isPlayedLanguage, type PlayedLanguage, understand } from './topics.ts';

/** A message as a played person remembers it. */
export interface HeardMessage {
  /** A colleague is another operator who handled the conversation before. */
  readonly author: 'visitor' | 'self' | 'colleague';
  readonly text: string;
  readonly file?: 'image' | 'other' | undefined;
  /** When the played person saw it. */
  readonly at: number;
}

/** A conversation from the point of view of the played person who handles it. */
export interface HeardConversation {
  readonly pseudo: string;
  /** The first name of the visitor, if they gave one. */
  readonly visitorName: string;
  readonly language: string;
  /** Address and title of the page on which the visitor is. */
  readonly page: string;
  readonly startedAt: number;
  readonly messages: readonly HeardMessage[];
}

/** A goodbye together with a question is a question. */
export function isGoodbye(conversation: HeardConversation, written: readonly HeardMessage[]): boolean {
  const text = written.map((message) => message.text).join('\n');
  const language = followLanguage(conversation);
  const { isGoodbye: saysGoodbye, questions } = understand(text, language);
  return saysGoodbye && questions.length === 0;
}

/** The language of the conversation, until the visitor writes in another one. */
export function followLanguage({ language, messages }: HeardConversation): PlayedLanguage {
  return messages
    .filter(({ author }) => author === 'visitor')
    .reduce((current, { text }) => detectLanguage(text, current), isPlayedLanguage(language) ? language : 'en');
}
