import { send } from '../../shared/api/request.ts';
import { goToLogIn, readingSession } from '../bar.ts';

const USAGE_QUERY = `{
  restUsage {
    key { id name prefix revokedAt }
    what count firstUsedAt lastUsedAt replacement
  }
}`;

interface Usage {
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly revokedAt: string | null;
  };
  readonly what: string;
  readonly count: number;
  readonly firstUsedAt: string;
  readonly lastUsedAt: string;
  readonly replacement: string | null;
}

interface Answer {
  readonly data?: { readonly restUsage: readonly Usage[] | null };
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

const element = (id: string) => document.getElementById(id) as HTMLElement;

async function showMeter(): Promise<void> {
  const answer = await send('/graphql', { method: 'POST', body: { query: USAGE_QUERY } });
  if (!answer.ok && answer.failure.kind === 'loggedOut') return goToLogIn('ended');
  element('meter').hidden = false;
  element('refresh').hidden = false;
  const { data, errors } = (answer.ok ? answer.value : {}) as Answer;
  element('message').textContent = describeResult(data?.restUsage ?? undefined, errors);
  element('keys').replaceChildren(...createSections(data?.restUsage ?? []));
}

function describeResult(usages: readonly Usage[] | undefined, errors: Answer['errors']): string {
  if (usages?.length === 0) return 'No key has used the REST API. There is nothing to migrate.';
  if (usages) return '';
  if (errors?.[0]?.extensions?.code === 'FORBIDDEN') return 'Only admins of the account can see the meter.';
  return 'The server is not available. Please try again.';
}

/** One table per key. */
function createSections(usages: readonly Usage[]): HTMLElement[] {
  return [...Map.groupBy(usages, ({ key }) => key.id).values()].map((usagesOfKey) => {
    const { name, prefix, revokedAt } = (usagesOfKey[0] as Usage).key;
    const head = createElement(
      'tr',
      {},
      ...['Call', 'Count', 'Last used', 'First used', 'Replacement'].map(createHeadCell),
    );
    const table = createElement(
      'table',
      { className: 'table' },
      createElement('thead', {}, head),
      createElement('tbody', {}, ...usagesOfKey.map(createRow)),
    );
    return createElement(
      'section',
      {},
      createElement('h2', {}, `${name} `, createElement('code', {}, `${prefix}…`), revokedAt ? ' (revoked)' : ''),
      // The scroll area is focusable, so that it can be scrolled with the keyboard.
      createElement('div', { className: 'table-scroll', tabIndex: 0, role: 'group', ariaLabel: name }, table),
    );
  });
}

function createHeadCell(title: string): HTMLElement {
  return createElement('th', { scope: 'col', className: title === 'Count' ? 'number' : '' }, title);
}

function createRow({ what, count, firstUsedAt, lastUsedAt, replacement }: Usage): HTMLElement {
  const details = createElement(
    'details',
    {},
    createElement('summary', {}, 'GraphQL'),
    createElement('pre', {}, createElement('code', {}, replacement ?? '')),
  );
  return createElement(
    'tr',
    {},
    createElement('td', {}, createElement('code', {}, what)),
    createElement('td', { className: 'number' }, count.toLocaleString()),
    createElement('td', {}, createTime(lastUsedAt)),
    createElement('td', {}, createTime(firstUsedAt)),
    createElement('td', {}, replacement === null ? '–' : details),
  );
}

function createTime(iso: string): HTMLElement {
  return createElement('time', { dateTime: iso }, new Date(iso).toLocaleString());
}

/** Strings become text nodes, so a key's name is never parsed as HTML. */
function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: readonly (Node | string)[]
): HTMLElement {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

element('refresh').addEventListener('click', showMeter);
addEventListener('loggedout', () => {
  element('meter').hidden = true;
  goToLogIn();
});

const session = await readingSession;
if (session.ok && (!session.value.authenticated || session.value.mustSetUpTwoFactor)) goToLogIn();
else await showMeter();
