import { describeLanguage } from '../../../shared/format/language-name.ts';
import type { Translate } from '../../../shared/texts/texts.ts';
import type { FileProblem, ImportRow } from './import-file.ts';
import { MAX_REPLIES, MAX_SHORTCUT, MAX_TEXT, type OwnedReply, type ReplyProblem, VARIABLES } from './reply.ts';
import type { en } from './texts/en.ts';

type T = Translate<typeof en>;

export function describeOwner({ scope, group }: Pick<OwnedReply, 'scope' | 'group'>, t: T): string {
  if (scope === 'GROUP') return group === null ? t('scopeGroup') : t('ofGroup', { group: group.name });
  return scope === 'OWN' ? t('scopeOwn') : t('scopeAccount');
}

export function describeReplyLanguage(language: string | null, locale: string, t: T): string {
  return language === null ? t('everyLanguage') : describeLanguage(language, locale);
}

export function describeProblem(problem: ReplyProblem | 'repeated', t: T): string {
  switch (problem) {
    case 'shortcutInvalid':
      return t('shortcutInvalid', { count: MAX_SHORTCUT });
    case 'textTooLong':
      return t('textTooLong', { count: MAX_TEXT });
    case 'variableUnknown':
      return t('variableUnknown', { list: VARIABLES.map((name) => `{{${name}}}`).join(', ') });
    default:
      return t(problem);
  }
}

export function describeFileProblem(problem: FileProblem, t: T): string {
  return problem === 'tooMany' ? t('fileTooMany', { count: MAX_REPLIES }) : t(`file_${problem}`);
}

export function describeEffect({ effect }: Pick<ImportRow, 'effect'>, t: T): string {
  return t(`effect_${effect}`);
}
