const PREFIX = 'graphiql:';

/**
 * GraphiQL's storage for editor contents. It lives only in this tab, because the text may contain secrets such as a new
 * password in the variables. GraphiQL writes with a delay, even after it was unmounted; a closed storage ignores that.
 */
export function createEditorStorage() {
  let isOpen = true;
  return {
    getItem: (name: string) => sessionStorage.getItem(name),
    setItem: (name: string, value: string) => {
      if (isOpen) sessionStorage.setItem(name, value);
    },
    removeItem: (name: string) => sessionStorage.removeItem(name),
    // GraphiQL's button "Clear data" must not log the user out.
    clear: () => {
      for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
    },
    get length() {
      return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX)).length;
    },
    close: () => {
      isOpen = false;
    },
  };
}
