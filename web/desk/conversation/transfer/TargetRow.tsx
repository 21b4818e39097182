import { Avatar } from '../../../shared/components/Avatar.tsx';
import { SlotMeter } from '../../../shared/components/SlotMeter.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { BlockReason } from '../../state/model.ts';
import { conversationTexts } from '../texts.ts';
import { Lamp, type LampState } from './Lamp.tsx';
import type { Target } from './targets.ts';

const LAMPS: Readonly<Record<BlockReason, LampState>> = {
  ...{ OFFLINE: 'offline', IN_GRACE: 'reconnecting', NOT_ENABLED: 'offline', NOT_AVAILABLE: 'pause' },
  ...{ SLOTS_FULL: 'busy', ON_CALL: 'busy', ON_VIDEO: 'busy', ON_CHAT: 'busy' },
};

interface TargetRowProps {
  readonly id: string;
  readonly target: Target;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

export function TargetRow({ id, target, isChosen, onChoose }: TargetRowProps) {
  const { name, canTake } = target;
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
      <span className="truncate">{name}</span>
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
      <Lamp state={routableCount > 0 ? 'available' : 'offline'}>
        {routableCount > 0 ? t('freeNow', { count: routableCount }) : t('noneFree')}
      </Lamp>
    );
  }
  const [reason] = target.blockedBy;
  if (reason === undefined) return <Lamp state="available">{t('available')}</Lamp>;
  return <Lamp state={LAMPS[reason]}>{t(`blocked${reason}`)}</Lamp>;
}
