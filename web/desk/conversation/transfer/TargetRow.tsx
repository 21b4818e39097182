import { Avatar } from '../../../shared/components/Avatar.tsx';
import type { LampState } from '../../../shared/components/lamp-state.ts';
import { SlotMeter } from '../../../shared/components/SlotMeter.tsx';
import { StateWord } from '../../../shared/components/StateWord.tsx';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { BlockReason } from '../../state/model.ts';
import { routingTexts } from '../../visitor-panel/routing/texts.ts';
import { conversationTexts } from '../texts.ts';
import { describeTarget, type TargetNeed } from './describe-target.ts';
import type { Target } from './targets.ts';

const LAMPS: Readonly<Record<BlockReason, LampState>> = {
  ...{ OFFLINE: 'offline', IN_GRACE: 'reconnecting', NOT_ENABLED: 'offline', NOT_AVAILABLE: 'pause' },
  ...{ SLOTS_FULL: 'busy', ON_CALL: 'busy', ON_VIDEO: 'busy', ON_CHAT: 'busy' },
};

interface TargetRowProps {
  readonly id: string;
  readonly target: Target;
  readonly need: TargetNeed;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

export function TargetRow({ id, target, need, isChosen, onChoose }: TargetRowProps) {
  const t = useTexts(conversationTexts);
  const routing = useTexts(routingTexts);
  const { locale } = useLanguage();
  const { name, canTake } = target;
  const hint = describeTarget(target, need, { locale, t, routing });
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search
    // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the search
    <div
      className="target"
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={canTake ? undefined : true}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => canTake && onChoose()}
    >
      <Avatar name={name} />
      <span className="target-name">
        <span className="truncate">{name}</span>
        {hint !== '' && <span className="small">{hint}</span>}
      </span>
      <TargetState target={target} />
      {target.kind === 'operator' && <SlotMeter used={target.slotNumber} max={target.slotMaxNumber} />}
    </div>
  );
}

function TargetState({ target }: { readonly target: Target }) {
  const t = useTexts(conversationTexts);
  if (target.kind !== 'operator') {
    const { routableCount } = target;
    return (
      <StateWord state={routableCount > 0 ? 'available' : 'offline'}>
        {routableCount > 0 ? t('freeNow', { count: routableCount }) : t('noneFree')}
      </StateWord>
    );
  }
  const [reason] = target.blockedBy;
  if (reason === undefined) return <StateWord state="available">{t('available')}</StateWord>;
  return <StateWord state={LAMPS[reason]}>{t(`blocked${reason}`)}</StateWord>;
}
