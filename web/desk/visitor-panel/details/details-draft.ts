import type { VisitorDetails } from '../visitor-query.ts';
import { DETAIL_NAMES, type DetailName } from './visitor-details.ts';

/** What was typed and not saved: only what differs, and nothing if that is nothing. */
export function formatDraft(before: VisitorDetails, typed: VisitorDetails): string {
  const changed = DETAIL_NAMES.filter((name) => typed[name] !== before[name]);
  return changed.length === 0 ? '' : JSON.stringify(Object.fromEntries(changed.map((name) => [name, typed[name]])));
}

/** The details with the draft. What the website has signed meanwhile stays as it is. */
export function applyDraft(before: VisitorDetails, draft: string, signed: readonly string[]): VisitorDetails {
  const typed = parse(draft);
  const values = DETAIL_NAMES.flatMap((name): [DetailName, string][] => {
    const value = typed[name];
    return typeof value === 'string' && !signed.includes(name) ? [[name, value]] : [];
  });
  return { ...before, ...Object.fromEntries(values) };
}

function parse(draft: string): Readonly<Partial<Record<DetailName, unknown>>> {
  try {
    return JSON.parse(draft) ?? {};
  } catch {
    return {};
  }
}
