import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import type { ConversationFacts } from '../../state/facts.ts';
import { PanelFailure, PanelSkeleton } from '../PanelFailure.tsx';
import { PanelSection } from '../PanelSection.tsx';
import { usePanelReading } from '../usePanelReading.ts';
import type { RoutingDecision } from './decision.ts';
import { type DescribeOptions, describeCause, describeChoice, describeExcluded } from './describe-decision.ts';
import { Ranking } from './Ranking.tsx';
import { readLastDecision } from './routing-query.ts';
import { routingTexts } from './texts.ts';

interface RoutingSectionProps {
  readonly conversation: ConversationFacts;
  readonly visitorName: string;
}

/** Why the conversation came to its operator, in words. Nothing if the viewer may not know it. */
export function RoutingSection({ conversation, visitorName }: RoutingSectionProps) {
  const t = useTexts(routingTexts);
  const { locale } = useLanguage();
  const viewerId = useDesk((state) => state.viewer.id);
  const { id, operator } = conversation;
  // Another operator: another decision.
  const { value, failure, isLost, reload } = usePanelReading(`routing ${id} ${operator?.id}`, () =>
    readLastDecision(id),
  );
  if (value === null || (isLost && value === undefined)) return null;
  const isViewer = operator === null || operator.id === viewerId;
  return (
    <PanelSection name="routing" title={isViewer ? t('toYou') : t('toOther', { name: operator.pseudo })}>
      {failure && <PanelFailure failure={failure} onRetry={reload} />}
      {value === undefined && failure === undefined && <PanelSkeleton widths={['95%', '60%']} />}
      {value && <Decision decision={value} options={{ viewerId, visitorName, locale, t }} />}
    </PanelSection>
  );
}

function Decision({ decision, options }: { readonly decision: RoutingDecision; readonly options: DescribeOptions }) {
  const cause = describeCause(decision, options);
  const excluded = describeExcluded(decision, options);
  return (
    <div className="routing">
      <p className="small">
        {describeChoice(decision, options)} {cause}
      </p>
      <Ranking decision={decision} options={options} />
      {excluded !== undefined && <p className="small">{excluded}</p>}
    </div>
  );
}
