import { describeDevice } from '../../shared/format/describe-device.ts';
import { describeLanguage } from '../../shared/format/language-name.ts';
import { findWebAddress, shortenAddress } from '../../shared/format/web-address.ts';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import type { ConversationFacts } from '../state/facts.ts';
import { Facts } from './Facts.tsx';
import { describePlace, findOrigin } from './place.ts';
import { visitorPanelTexts } from './texts.ts';
import { useMinute } from './useMinute.ts';
import type { PanelVisitor } from './visitor-query.ts';

interface ContextFactsProps {
  readonly conversation: ConversationFacts;
  readonly visitor: PanelVisitor;
}

/** Where the visitor is now, and how to reach them. */
export function ContextFacts({ conversation, visitor }: ContextFactsProps) {
  const t = useTexts(visitorPanelTexts);
  const { locale } = useLanguage();
  const now = useMinute();
  const { context, phone, address, zip, city, country, externalId } = visitor;
  const place = context ? describePlace(context.timezone, now, locale) : undefined;
  const userAgent = context?.browser || visitor.browser;
  const { browser, system } = describeDevice(userAgent);
  const device = [browser, system].filter((part) => part !== undefined).join(', ');
  const origin = context ? findOrigin(context.referrer, context.page) : undefined;
  const home = [address, `${zip} ${city}`.trim(), country].filter((part) => part !== '').join(', ');
  return (
    <section className="panel-section">
      <h3 className="visually-hidden">{t('details')}</h3>
      <Facts
        facts={[
          [t('language'), describeLanguage(conversation.language, locale)],
          [t('place'), place && t('localTime', { place: place.name, time: place.time })],
          [t('page'), context && <PageLink page={context.page} title={context.title} />],
          [t('cameFrom'), origin && context && <span title={context.referrer}>{origin}</span>],
          [t('device'), device && <span title={userAgent}>{device}</span>],
          [t('phone'), phone],
          [t('address'), home],
          [t('customer'), externalId],
        ]}
      />
    </section>
  );
}

/** The page that the visitor sees now: the operator looks at it in a new tab, without a trace of the desk. */
function PageLink({ page, title }: { readonly page: string; readonly title: string }) {
  const address = findWebAddress(page);
  if (address === undefined) return page === '' ? null : <span title={page}>{title || page}</span>;
  return (
    <a href={address} target="_blank" rel="noreferrer" title={title === '' ? page : `${title}\n${page}`}>
      {shortenAddress(page)}
    </a>
  );
}
