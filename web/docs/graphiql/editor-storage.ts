const PREFIX = 'graphiql:';
const OWNER = 'graphiql-owner';

/**
 * GraphiQL's storage for editor contents. It lives only in this tab, because the text may contain secrets such as a new
 * password in the variables, and it is for one operator: another one who logs in begins with an empty editor. GraphiQL
 * writes with a delay, even after it was unmounted; a closed storage ignores that.
 */
export function createEditorStorage(owner: string) {
  if (sessionStorage.getItem(OWNER) !== owner) clear();
  sessionStorage.setItem(OWNER, owner);
  let isOpen = true;
  return {
    getItem: (name: string) => sessionStorage.getItem(name),
    setItem: (name: string, value: string) => {
      if (isOpen) sessionStorage.setItem(name, value);
    },
    removeItem: (name: string) => sessionStorage.removeItem(name),
    clear,
    get length() {
      return listNames().length;
    },
    /** Nothing is left in the browser. */
    close: () => {
      isOpen = false;
      clear();
      sessionStorage.removeItem(OWNER);
    },
  };
}

function clear(): void {
  for (const name of listNames()) sessionStorage.removeItem(name);
}

function listNames(): string[] {
  return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
}
