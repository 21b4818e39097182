import { barPlot, linePlot, sharePlot } from './plots.ts';
import { buildSections, formatOffset, hasFailedChecks, type Report, type Section } from './report.ts';
import type { Series } from './series.ts';

const MAX_PROBLEMS = 50;

/** Renders the report as one self-contained HTML page. */
export function renderReportPage(report: Report, series: Series): string {
  const { options, figures, checks } = report;
  const hasFailed = hasFailedChecks(checks);
  const plots: readonly (readonly [string, string])[] = [
    ['Waiting time until accepted', barPlot(series.waiting, 'Histogram of waiting times in seconds')],
    ['Queued conversations', linePlot([{ name: 'waiting', points: series.queue }], '')],
    [
      'Conversations per second',
      linePlot(
        [
          { name: 'started', points: series.started },
          { name: 'closed', points: series.closed },
        ],
        '',
      ),
    ],
    [
      'Slot utilization by operator',
      sharePlot(
        figures.utilisation.map(({ participant, share }) => ({ name: participant, share })),
        'Share of slots in use, by operator',
      ),
    ],
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard: simulation of ${figures.seconds.toFixed(0)} s</title>
<style>${STYLE}</style>
<main>
<h1>Simulation of ${figures.seconds.toFixed(0)} s</h1>
<p>${new Date(report.startedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC · ${options.operators} operators · ${figures.conversations.started} conversations · seed <code>${escapeHtml(options.seed)}</code></p>
<h2>Rules <span class="${hasFailed ? 'bad' : 'good'}">${hasFailed ? 'broken' : 'ok'}</span></h2>
<ul class="checks">
${checks
  .map(({ name, problems }) => {
    const list = problems
      .slice(0, MAX_PROBLEMS)
      .map(({ message, at }) => `<li>${escapeHtml(formatOffset(report, at) + message)}</li>`);
    const more = problems.length > MAX_PROBLEMS ? `<li>and ${problems.length - MAX_PROBLEMS} more</li>` : '';
    const mark = problems.length === 0 ? '<b class="good">ok</b>' : '<b class="bad">BROKEN</b>';
    return `<li>${mark} ${escapeHtml(name)}${list.length > 0 ? `<ul>${list.join('')}${more}</ul>` : ''}</li>`;
  })
  .join('\n')}
</ul>
${plots.map(([title, plot]) => `<h2>${title}</h2>\n${plot}`).join('\n')}
${buildSections(report).map(renderTable).join('\n')}
<h2>Options</h2>
<pre>${escapeHtml(JSON.stringify(options, null, 2))}</pre>
</main>
</html>
`;
}

function renderTable({ title, head, rows }: Section): string {
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  const top = head.length > 0 ? cells('th', head) : '';
  return `<h2>${title}</h2>\n<table>${top}${rows.map((row) => cells('td', row)).join('')}</table>`;
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => HTML_ENTITIES[character] as string);
}

const STYLE = `
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --soft: #59636e; --grid: #d8dee4; --one: #0a6e9e; --two: #b35900; --good: #116329; --bad: #b3151e; }
@media (prefers-color-scheme: dark) { :root { --back: #14181d; --text: #e6edf3; --soft: #9aa5b1; --grid: #343b44; --one: #58b8e8; --two: #f0a35e; --good: #56d364; --bad: #ff7b72; } }
body { background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
svg { width: 100%; height: auto; font-size: 11px; }
svg text { fill: var(--soft); } svg .x { text-anchor: middle; } svg .y { text-anchor: end; } svg .t0 { fill: var(--one); } svg .t1 { fill: var(--two); }
.grid { stroke: var(--grid); } .bar { fill: var(--one); } .line { fill: none; stroke-width: 1.5; } .l0 { stroke: var(--one); } .l1 { stroke: var(--two); }
table { border-collapse: collapse; } td, th { padding: .15rem 1rem .15rem 0; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; } td:first-child, th:first-child { text-align: left; white-space: normal; }
.checks { list-style: none; padding: 0; } .good { color: var(--good); } .bad { color: var(--bad); }
pre { overflow: auto; color: var(--soft); }
`;
