import { FILE_BUDGET, FOLDER_BUDGETS } from './budgets.ts';

const MAX_SHOWN_FILES = 10;

/** Seconds by file. */
export type Seconds = ReadonlyMap<string, number>;

/** The slowest files by the clock, and the processor time of each folder beside its budget. */
export function describeTimes(duration: Seconds, processor: Seconds): string[] {
  const files = sortByTime(duration).slice(0, MAX_SHOWN_FILES);
  const folders = sortByTime(sumByFolder(processor));
  const total = folders.reduce((sum, [, each]) => sum + each, 0);
  return [
    ...(files.length > 1 ? ['slowest files, and their processor time:'] : []),
    ...(files.length > 1 ? files.map(([file, each]) => `${format(each)} ${format(processor.get(file))}  ${file}`) : []),
    ...(folders.length > 1 ? [`processor time: ${format(total).trim()}, by folder with its budget:`] : []),
    ...(folders.length > 1 ? folders.map(([name, each]) => `${format(each)} ${format(budgetOf(name))}  ${name}`) : []),
  ];
}

/** The files and folders that took more processor time than they may. */
export function findExceededBudgets(processor: Seconds): string[] {
  const files = [...processor]
    .filter(([name]) => name.includes('.test.'))
    .map((entry) => [...entry, FILE_BUDGET] as const);
  const folders = [...sumByFolder(processor)].map(([name, each]) => [name, each, budgetOf(name)] as const);
  return [...files, ...folders]
    .filter(([, each, budget]) => each > budget)
    .map(
      ([name, each, budget]) => `over budget: ${name} took ${each.toFixed(0)} s of the processor, may take ${budget} s`,
    );
}

/** `test/api/rest/lists.test.ts` counts for `test/api`. */
function sumByFolder(processor: Seconds): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [file, each] of processor) {
    const folder = file.split('/').slice(0, 2).join('/');
    sums.set(folder, (sums.get(folder) ?? 0) + each);
  }
  return sums;
}

function budgetOf(folder: string): number {
  return FOLDER_BUDGETS[folder] ?? FILE_BUDGET;
}

function sortByTime(seconds: Seconds): [string, number][] {
  return [...seconds].sort(([, one], [, other]) => other - one);
}

function format(seconds = 0): string {
  return `${seconds.toFixed(1).padStart(7)} s`;
}
