import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { describeEffect, describeProblem, describeReplyLanguage } from './describe-reply.ts';
import type { ImportRow } from './import-file.ts';
import { cannedTexts } from './texts.ts';

const EFFECTS = ['create', 'change', 'same', 'wrong'] as const;

/** Each row with what happens to it; those with mistakes first, because someone has to look at them. */
export function ImportPreview({ rows }: { readonly rows: readonly ImportRow[] }) {
  const t = useTexts(cannedTexts);
  const { locale } = useLanguage();
  const count = (effect: ImportRow['effect']) => rows.filter((row) => row.effect === effect).length;
  const summary = EFFECTS.filter((effect) => count(effect) > 0).map((effect) =>
    t('effectCount', { effect: describeEffect({ effect }, t), count: count(effect) }),
  );
  const ordered = rows.toSorted((a, b) => Number(b.effect === 'wrong') - Number(a.effect === 'wrong') || a.row - b.row);
  return (
    <div className="canned-plan">
      <p role="status">{summary.join(' · ')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
      <section className="canned-plan-rows" aria-label={t('planRows')} tabIndex={0}>
        <ul className="canned-list">
          {ordered.map((row) => (
            <li key={row.row} className="canned-row">
              <div className="canned-who">
                <strong className="strong">{row.shortcut === '' ? '–' : `/${row.shortcut}`}</strong>
                <span className="small">
                  {t('row', { row: row.row })} · {describeReplyLanguage(row.language, locale, t)}
                </span>
              </div>
              <div>
                <span className="tag" data-effect={row.effect}>
                  {describeEffect(row, t)}
                </span>{' '}
                {row.problems.map((problem) => (
                  <span className="canned-problem" key={problem}>
                    {describeProblem(problem, t)}{' '}
                  </span>
                ))}
                {row.effect === 'change' && <del className="canned-text muted">{row.before?.text}</del>}
                <p className="canned-text" dir="auto">
                  {row.text}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
