import type { ReactNode } from 'react';
import { Avatar } from '../../shared/components/Avatar.tsx';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { visitorPanelTexts } from './texts.ts';
import { Verified } from './Verified.tsx';

interface IdentityProps {
  readonly name: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly isErased: boolean;
  /** The buttons beside the name. */
  readonly children?: ReactNode;
}

/** Who it is. */
export function Identity({ name, email, isEmailVerified, isErased, children }: IdentityProps) {
  const t = useTexts(visitorPanelTexts);
  return (
    <section className="panel-section identity">
      <Avatar name={name} />
      <div className="identity-who">
        <h2 className="truncate" dir="auto" title={name}>
          {name}
        </h2>
        {email !== '' && email !== name && (
          <span className="small truncate" title={email}>
            {email}
          </span>
        )}
        {isEmailVerified && <Verified />}
        {isErased && <span className="small">{t('erased')}</span>}
      </div>
      <span className="identity-actions">{children}</span>
    </section>
  );
}
