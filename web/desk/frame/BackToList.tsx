import { IconButton } from '../../shared/components/Button.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { CHEVRON_LEFT } from '../conversation/icons.ts';
import { conversationTexts } from '../conversation/texts.ts';
import { navigate } from './navigation.ts';

/** Where there is one column: elsewhere the list is in sight. */
export function BackToList() {
  const t = useTexts(conversationTexts);
  return (
    <span className="head-back">
      <IconButton icon={CHEVRON_LEFT} label={t('back')} onPress={() => navigate({ view: 'list' })} />
    </span>
  );
}
