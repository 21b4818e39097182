import type { Selectable } from 'kysely';
import type { Tables } from '../../../storage/tables.ts';
import { NOTICE_TEXTS, type NoticeCode, type NoticeParameters } from './notice-texts.ts';

/** A message of the service to the visitor and the operator. Readers get it in their language. */
export type Notice = {
  readonly [Code in NoticeCode]: { readonly code: Code; readonly parameters: NoticeParameters[Code] };
}[NoticeCode];

type NoticeColumns = Pick<Selectable<Tables['messages']>, 'text' | 'noticeCode' | 'noticeParameters'>;

export function operatorJoined(pseudo: string): Notice {
  const name = pseudo.trim();
  return { code: 'operator_joined', parameters: name === '' ? {} : { pseudo: name } };
}

/** The text of a message as a reader sees it: a notice in the reader's language, anything else as it was stored. */
export function renderText({ text, ...stored }: NoticeColumns, language: string): string {
  const notice = parseNotice(stored);
  return (notice && renderNotice(notice, language)) ?? text;
}

/** The code and the parameters of a notice; null for messages of persons and notices of earlier versions. */
export function parseNotice({
  noticeCode,
  noticeParameters,
}: Pick<NoticeColumns, 'noticeCode' | 'noticeParameters'>): StoredNotice | null {
  if (noticeCode === null) return null;
  return { code: noticeCode, parameters: noticeParameters === null ? {} : JSON.parse(noticeParameters) };
}

/** A notice as stored: a newer version may have written a code that this one does not know. */
export interface StoredNotice {
  readonly code: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Undefined for an unknown code or language: then the stored sentence has to do. */
export function renderNotice({ code, parameters }: StoredNotice | Notice, language: string): string | undefined {
  const texts: Readonly<Record<string, Readonly<Record<string, NoticeText>>>> = NOTICE_TEXTS;
  const inLanguage = Object.hasOwn(texts, language) ? texts[language] : undefined;
  const text = inLanguage && Object.hasOwn(inLanguage, code) ? inLanguage[code] : undefined;
  return typeof text === 'function' ? text(parameters) : text;
}

type NoticeText = string | ((parameters: object) => string);
