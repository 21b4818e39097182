import { useLanguage } from '../texts/LanguageContext.tsx';
import { formatRelativeTime } from './relative-time.ts';

/** How long ago something was; the exact time is its tooltip. */
export function RelativeTime({ at }: { readonly at: string }) {
  const { locale } = useLanguage();
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'medium' }).format(new Date(at));
  return (
    <time dateTime={at} title={exact}>
      {formatRelativeTime(Date.parse(at), { now: Date.now(), locale })}
    </time>
  );
}
