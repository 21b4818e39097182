const PREFIX = 'graphiql:';

/**
 * Where GraphiQL keeps what was typed: for this tab alone, as it may hold secrets, such as a new password in the
 * variables. GraphiQL writes with a delay, also after it was taken off the page: closed, nothing is written any more.
 */
export function editorStorage() {
  let open = true;
  return {
    getItem: (name) => sessionStorage.getItem(name),
    setItem: (name, value) => open && sessionStorage.setItem(name, value),
    removeItem: (name) => sessionStorage.removeItem(name),
    // Its button "Clear data" is not a log-out.
    clear: () => {
      for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
    },
    get length() {
      return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX)).length;
    },
    close: () => {
      open = false;
    },
  };
}
