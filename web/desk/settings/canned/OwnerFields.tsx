import { succeed } from '../../../shared/api/request.ts';
import { useReading } from '../../../shared/api/useReading.ts';
import { SelectField } from '../../../shared/components/SelectField.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import type { Viewer } from '../../state/model.ts';
import { Failed } from '../Failed.tsx';
import { readGroups } from './replies-query.ts';
import type { ReplyOwner, Scope } from './reply.ts';
import { cannedTexts } from './texts.ts';

interface OwnerFieldsProps {
  readonly role: Viewer['role'];
  readonly owner: ReplyOwner;
  readonly onChange: (owner: ReplyOwner) => void;
}

/** Who can use the reply. Only managers and admins have a choice. */
export function OwnerFields({ role, owner, onChange }: OwnerFieldsProps) {
  const t = useTexts(cannedTexts);
  const isManager = role === 'MANAGER' || role === 'ADMIN';
  const { value, failure, reload } = useReading(String(isManager), async () =>
    isManager ? readGroups() : succeed([]),
  );
  if (!isManager) return null;
  const groups = value ?? [];
  const scopes: Partial<Record<Scope, string>> = {
    OWN: t('scopeOwn'),
    ...(groups.length > 0 && { GROUP: t('scopeGroup') }),
    ...(role === 'ADMIN' && { ACCOUNT: t('scopeAccount') }),
  };
  const change = (scope: Scope) => onChange({ scope, groupId: scope === 'GROUP' ? (groups[0]?.id ?? null) : null });
  return (
    <>
      <Failed failure={failure} onRetry={reload} />
      <SelectField label={t('scope')} value={owner.scope} options={scopes as Record<Scope, string>} onChange={change} />
      {owner.scope === 'GROUP' && (
        <SelectField
          label={t('group')}
          value={owner.groupId ?? ''}
          options={Object.fromEntries(groups.map(({ id, name }) => [id, name]))}
          onChange={(groupId) => onChange({ scope: 'GROUP', groupId })}
        />
      )}
    </>
  );
}
