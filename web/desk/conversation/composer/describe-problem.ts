import type { Failure } from '../../../shared/api/request.ts';
import type { Translate } from '../../../shared/texts/texts.ts';
import { formatSize } from '../messages/times.ts';
import type { en } from '../texts/en.ts';
import type { Problem } from './uploads.ts';

type Text = Translate<typeof en>;

/** Why a file is not sent, in the language of the desk. */
export function describeProblem(problem: Problem, t: Text, locale: string): string {
  if (problem.kind === 'refusedKind') return t('fileKindRefused');
  if (problem.kind === 'empty') return t('fileEmpty');
  if (problem.kind === 'failed') return describeFailure(problem.failure, t);
  const { size, maxBytes } = problem;
  return t('fileTooLarge', { size: formatSize(size, locale), limit: formatSize(maxBytes, locale) });
}

function describeFailure(failure: Failure, t: Text): string {
  if (failure.kind === 'unreachable') return t('fileUnreachable');
  if (failure.kind === 'limited') return t('fileLimited');
  if (failure.kind === 'loggedOut') return t('fileLoggedOut');
  return describeRefusal(failure.code, t);
}

/** By the codes of `uploadFile`. */
function describeRefusal(code: string, t: Text): string {
  switch (code) {
    case 'file.unsupported':
      return t('fileKindRefused');
    case 'file.too_large':
      return t('fileTooLargeForService');
    case 'file.too_slow':
      return t('fileTooSlow');
    case 'state':
      return t('fileNoRoom');
    case 'FORBIDDEN':
    case 'id.unknown_id':
      return t('lost');
    default:
      return t('fileRefused');
  }
}
