import { describeDevice } from '../format/describe-device.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { accountTexts } from './texts.ts';

/** `Firefox on Windows`, in the language of the page. */
export function useDeviceName(): (userAgent: string | null) => string {
  const t = useTexts(accountTexts);
  return (userAgent) => {
    const { browser, system } = describeDevice(userAgent);
    if (browser && system) return t('device', { browser, system });
    return browser ?? system ?? t('unknownDevice');
  };
}

/** The full user agent is the tooltip. */
export function DeviceName({ userAgent }: { readonly userAgent: string | null }) {
  const getDeviceName = useDeviceName();
  return (
    <span className="strong" title={userAgent ?? undefined}>
      {getDeviceName(userAgent)}
    </span>
  );
}
