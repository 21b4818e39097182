const MAX_HEADER_LENGTH = 500;

/** The languages that a browser prefers (`Accept-Language`, RFC 9110), the first one most. */
export function parseAcceptLanguage(header: string): string[] {
  return header
    .slice(0, MAX_HEADER_LENGTH)
    .split(',')
    .map((item) => {
      const [tag = '', ...parameters] = item.trim().toLowerCase().split(';');
      const weight = parameters
        .find((parameter) => parameter.trim().startsWith('q='))
        ?.trim()
        .slice(2);
      return { language: toLanguage(tag), weight: weight === undefined ? 1 : Number(weight) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((first, second) => second.weight - first.weight)
    .map(({ language }) => language);
}

interface LanguageRequest {
  readonly asked: string | undefined;
  readonly acceptLanguage: string | undefined;
  readonly websiteLanguage: string;
  readonly available: readonly string[];
}

/** The asked language, then the browser's, then the website's, then English: the first in which there are texts. */
export function chooseLanguage({ asked, acceptLanguage, websiteLanguage, available }: LanguageRequest): {
  readonly language: string;
  /** Whether the answer depends on the browser's languages. */
  readonly usesHeader: boolean;
} {
  const first = asked === undefined ? undefined : toLanguage(asked);
  if (first !== undefined && available.includes(first)) return { language: first, usesHeader: false };
  const accepted = acceptLanguage === undefined ? [] : parseAcceptLanguage(acceptLanguage);
  const language = [...accepted, websiteLanguage].find((candidate) => available.includes(candidate)) ?? 'en';
  return { language, usesHeader: true };
}

/** `fr` of `fr-CA`. */
function toLanguage(tag: string): string {
  return tag.trim().toLowerCase().split('-')[0] ?? '';
}
